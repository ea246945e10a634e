// All contents of a file are checked before they are used: the options by their
// ranges, the tags by their number, the size of the file by that of the
// parameters. The network is then made as for training, and its parameters are
// read by their names.

#include "tag/tagger_model.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/checksum.h"
#include "base/json.h"
#include "base/mapped_file.h"
#include "base/quote.h"
#include "base/threads.h"
#include "firth/status_macros.h"
#include "lm/model/json_section.h"
#include "lm/model/language_model_options.h"
#include "lm/model/matrix_tensors.h"
#include "tag/tag_set.h"

namespace firth {
namespace {

constexpr const char* kKind = kTaggerKind;
constexpr char kNetworkFile[] = "a tagger with a network";
constexpr char kTags[] = "tags";
constexpr char kVectors[] = "vectors";
constexpr char kContextualizer[] = "contextualizer";
constexpr char kVectorsFormat[] = "vectors_format";
constexpr char kTuned[] = "tuned_contextualizer";

Json ToJson(const FileReference& file) {
  return {{"name", file.name},
          {"bytes", file.bytes},
          {"checksum", HexChecksum(file.checksum)}};
}

Json ToJson(const TagNetworkOptions& options) {
  Json json = FileFields(options);
  const nn::TokenEncoderOptions& spelling = options.spelling;
  if (spelling.has_table()) json["case_dim"] = spelling.embedding_dim;
  if (spelling.has_characters()) {
    json["char_cnn"] = CharCnnJson(spelling.char_cnn);
  }
  return json;
}

absl::StatusOr<nn::TokenEncoderOptions> ParseSpelling(const JsonSection& json) {
  nn::TokenEncoderOptions spelling;
  if (json.json.contains("case_dim")) {
    spelling.vocab_size = kNumCasings;
    FIRTH_ASSIGN_OR_RETURN(spelling.embedding_dim,
                           json.Size("case_dim", 1, kMostUnits));
  }
  if (json.json.contains("char_cnn")) {
    FIRTH_ASSIGN_OR_RETURN(const JsonSection cnn, json.Sub("char_cnn"));
    FIRTH_ASSIGN_OR_RETURN(spelling.char_cnn, ReadCharCnn(cnn));
  }
  return spelling;
}

absl::StatusOr<TagNetworkOptions> ParseNetwork(const JsonSection& json) {
  TagNetworkOptions options;
  FIRTH_RETURN_IF_ERROR(json.Read(&options));
  if (options.contextual_dim > 0 && options.mix.layers == 0) {
    return json.Bad("mix_layers", "1 or more, since there are layers to mix");
  }
  FIRTH_ASSIGN_OR_RETURN(options.spelling, ParseSpelling(json));
  if (options.input_dim() > 0) return options;
  return json.Bad("static_dim",
                  "1 or more, since the tagger has no other input");
}

absl::StatusOr<FileReference> ParseFile(const JsonSection& root,
                                        const char* key) {
  FileReference file;
  if (!root.json.contains(key)) return file;
  FIRTH_ASSIGN_OR_RETURN(const JsonSection section, root.Sub(key));
  const Json name = section.json.value("name", Json());
  const Json sum = section.json.value("checksum", Json());
  if (!name.is_string() || name.get<std::string>().empty()) {
    return section.Bad("name", "a file's name");
  }
  file.name = name.get<std::string>();
  FIRTH_ASSIGN_OR_RETURN(file.bytes, section.Size("bytes", 0, UINT64_MAX));
  if (!sum.is_string() ||
      !absl::SimpleHexAtoi(sum.get<std::string>(), &file.checksum)) {
    return section.Bad("checksum", "16 hexadecimal digits");
  }
  return file;
}

// Returns a lower bound, close to the value, of the bytes of the network's
// parameters. The ranges of the options keep it far below 2^64.
uint64_t ParameterBytes(const TagNetworkOptions& options) {
  const bool lstm = options.lstm_layers > 0;
  uint64_t values =
      options.num_tags * (lstm ? 2 * options.units : options.input_dim());
  if (options.crf) values += options.num_tags * options.num_tags;
  if (lstm) {
    values +=
        8 * options.units *
        (options.input_dim() + options.units * (2 * options.lstm_layers - 1));
  }
  const nn::CharCnnOptions& cnn = options.spelling.char_cnn;
  uint64_t windows = cnn.num_characters;
  for (const nn::CharFilters& set : cnn.filters) {
    windows += set.width * set.count;
  }
  return (values + windows * cnn.embedding_dim) * sizeof(float);
}

// Reads the files that this one contains: all that it refers to, or none.
absl::Status ReadInputs(const CheckedReader& reader, const Json& json,
                        TaggerModel* model) {
  if (!reader.Has(kVectors) && !reader.Has(kContextualizer)) {
    return absl::OkStatus();
  }
  if (!model->vectors.name.empty()) {
    FIRTH_ASSIGN_OR_RETURN(model->held_vectors.file, reader.ReadFile(kVectors));
    const Json format = json.value(kVectorsFormat, Json());
    if (format.is_string()) model->held_vectors.format = format;
  }
  if (!model->contextualizer.name.empty()) {
    FIRTH_ASSIGN_OR_RETURN(model->held_contextualizer,
                           reader.ReadFile(kContextualizer));
    model->tuned = json.value(kTuned, Json()) == true;
  }
  return absl::OkStatus();
}

absl::Status CheckHeld(const std::string& model_path,
                       const TaggerInputs& inputs) {
  const bool vectors = !inputs.vectors.empty();
  if (!vectors && inputs.contextualizer.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      model_path,
      ": this tagger contains the files that it was trained with; omit --",
      vectors ? "vectors" : "contextualizer", " ",
      vectors ? inputs.vectors : inputs.contextualizer));
}

absl::Status CheckInput(const FileReference& expected, const std::string& path,
                        const char* option, const std::string& model_path) {
  if (expected.name.empty()) {
    if (path.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat(model_path, ": this tagger was trained without --", option,
                     "; omit --", option, " ", path));
  }
  if (path.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(model_path, ": this tagger needs --", option,
                     " FILE. The file that it was trained with was named ",
                     Quote(expected.name), " and has ", Describe(expected)));
  }
  FIRTH_ASSIGN_OR_RETURN(const FileReference found, ReferTo(path));
  if (found == expected) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(path, ": this is not the file that ", model_path,
                   " was trained with: expected ", Describe(expected),
                   ", found ", Describe(found)));
}

absl::StatusOr<TaggerModel> ReadModel(const CheckedReader& reader,
                                      int threads) {
  const std::string& path = reader.path();
  const std::string place = absl::StrCat(path, ": metadata \"", kKind, "\"");
  const Json json = ParseJson(reader.content());
  if (!json.is_object()) {
    return absl::DataLossError(absl::StrCat(place, ": expected a JSON object"));
  }
  const JsonSection root{place, "", json};
  TaggerModel model;
  FIRTH_ASSIGN_OR_RETURN(const JsonSection network, root.Sub("network"));
  FIRTH_ASSIGN_OR_RETURN(TagNetworkOptions options, ParseNetwork(network));
  FIRTH_ASSIGN_OR_RETURN(model.vectors, ParseFile(root, "vectors"));
  FIRTH_ASSIGN_OR_RETURN(model.contextualizer,
                         ParseFile(root, "contextualizer"));
  FIRTH_RETURN_IF_ERROR(ReadInputs(reader, json, &model));
  FIRTH_ASSIGN_OR_RETURN(const Vocabulary tags, reader.ReadWords(kTags, ""));
  if (tags.empty() || tags.size() > kMostTags) {
    return reader.BadTensor(kTags, absl::StrCat("1 to ", kMostTags, " lines"),
                            nullptr);
  }
  for (size_t i = 0; i < tags.size(); ++i) {
    model.tags.emplace_back(tags.Word(ToWordId(i)));
  }
  options.num_tags = tags.size();
  options.threads = NumThreads(threads);
  if (ParameterBytes(options) > reader.size()) {
    return absl::DataLossError(absl::StrCat(
        path, ": the options require parameters of ", ParameterBytes(options),
        " bytes, but the file has ", reader.size()));
  }
  model.network = std::make_unique<TagNetwork<float>>(options, 0);
  nn::ParameterList<float> parameters;
  model.network->AppendParameters(&parameters);
  for (auto* parameter : parameters) {
    FIRTH_RETURN_IF_ERROR(
        ReadMatrix(reader, parameter->name, &parameter->value));
  }
  return model;
}

void AddFacts(const FileReference& file, const char* name,
              std::vector<FileFact>* facts) {
  if (file.name.empty()) return;
  facts->push_back({name, absl::StrCat(file.name, " of ", Describe(file))});
}

}  // namespace

std::string Describe(const FileReference& file) {
  return absl::StrCat(file.bytes, " bytes and checksum ",
                      HexChecksum(file.checksum));
}

absl::StatusOr<FileReference> ReferTo(const std::string& path) {
  if (path.empty()) return FileReference();
  FIRTH_ASSIGN_OR_RETURN(const auto file,
                         MappedFile::Open(FileOfVectors(path)));
  std::filesystem::path named = path;
  if (!named.has_filename()) named = named.parent_path();  // a folder
  return FileReference{named.filename().string(), file->size(),
                       Checksum(file->bytes(), 0)};
}

absl::Status SaveTaggerModel(const TaggerModel& model,
                             const std::string& path) {
  nn::ParameterList<float> parameters;
  model.network->AppendParameters(&parameters);
  const std::string tags = absl::StrCat(absl::StrJoin(model.tags, "\n"), "\n");
  CheckedWriter writer;
  for (const auto* parameter : parameters) {
    writer.Add(parameter->name, FloatTable(parameter->value.view()));
  }
  writer.Add(kTags, "U8", tags);
  Json options = {{"network", ToJson(model.network->options())}};
  if (!model.vectors.name.empty()) options["vectors"] = ToJson(model.vectors);
  if (!model.contextualizer.name.empty()) {
    options["contextualizer"] = ToJson(model.contextualizer);
  }
  if (model.held_vectors.file != nullptr) {
    writer.Add(kVectors, "U8", model.held_vectors.file->bytes());
    options[kVectorsFormat] = model.held_vectors.format;
  }
  if (model.held_contextualizer != nullptr) {
    writer.Add(kContextualizer, "U8", model.held_contextualizer->bytes());
    if (model.tuned) options[kTuned] = true;
  }
  // A name need not be valid UTF-8.
  return std::move(writer).Write({}, kKind, DumpJson(options), path);
}

absl::StatusOr<TaggerModel> LoadTaggerModel(const std::string& path,
                                            int threads) {
  FIRTH_ASSIGN_OR_RETURN(const CheckedReader reader,
                         CheckedReader::Open(path, kKind, kNetworkFile));
  return ReadModel(reader, threads);
}

absl::StatusOr<std::optional<TaggerModel>> LoadIfTaggerModel(
    const MappedFilePtr& file, int threads) {
  FIRTH_ASSIGN_OR_RETURN(const auto reader,
                         CheckedReader::OpenIfKind(file, kKind));
  if (!reader.has_value()) return std::nullopt;
  return ReadModel(*reader, threads);
}

absl::StatusOr<std::optional<FileInfo>> DescribeTagger(
    const MappedFilePtr& file) {
  FIRTH_ASSIGN_OR_RETURN(const auto reader,
                         CheckedReader::OpenIfKind(file, kKind));
  if (!reader.has_value()) return std::nullopt;
  FIRTH_ASSIGN_OR_RETURN(const TaggerModel model,
                         ReadModel(*reader, /*threads=*/1));
  const TagNetworkOptions& network = model.network->options();
  FileInfo info;
  info.kind = "tagger";
  info.facts = {{"tags", absl::StrJoin(model.tags, " ")},
                {"num_tags", uint64_t{model.tags.size()}},
                {"layers", uint64_t{network.lstm_layers}},
                {"units", uint64_t{network.units}},
                {"crf", network.crf},
                {"parameters", reader->num_floats()}};
  AddFacts(model.vectors, "vectors", &info.facts);
  AddFacts(model.contextualizer, "contextualizer", &info.facts);
  if (model.holds_inputs()) info.facts.push_back({"holds_inputs", true});
  if (model.tuned) info.facts.push_back({kTuned, true});
  info.options = DumpJson(ToJson(network));
  info.metadata = reader->Metadata();
  return info;
}

absl::Status CheckInputs(const TaggerModel& model,
                         const std::string& model_path,
                         const TaggerInputs& inputs) {
  if (model.holds_inputs()) return CheckHeld(model_path, inputs);
  FIRTH_RETURN_IF_ERROR(
      CheckInput(model.vectors, inputs.vectors, "vectors", model_path));
  return CheckInput(model.contextualizer, inputs.contextualizer,
                    "contextualizer", model_path);
}

}  // namespace firth
