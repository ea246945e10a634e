// All contents of a file are checked before they are used: the options by their
// ranges, the size of the file by that of the parameters. The network is then
// made as for training, and its parameters are read by their names.

#include "seq2seq/seq2seq_model.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "base/fields_json.h"
#include "base/json.h"
#include "firth/status_macros.h"
#include "io/tensors/checked_tensors.h"
#include "lm/model/json_section.h"
#include "lm/model/language_model_options.h"
#include "lm/model/matrix_tensors.h"

namespace firth {
namespace {

constexpr char kKind[] = "seq2seq";
constexpr char kWhat[] =
    "a sequence-to-sequence model as \"firth seq2seq train\" writes it";
constexpr char kSourceWords[] = "source_words";
constexpr char kTargetWords[] = "target_words";

std::vector<uint32_t> IdsOf(const Vocabulary& words,
                            absl::Span<const std::string> text) {
  std::vector<uint32_t> ids;
  ids.reserve(text.size() + 1);
  for (const std::string& token : text) {
    const std::optional<WordId> id = words.Find(token);
    // A mark in a text is a word like others, which is unknown.
    const bool known = id.has_value() && Index(*id) >= kMarks.size();
    ids.push_back(known ? static_cast<uint32_t>(Index(*id)) : kUnknownId);
  }
  ids.push_back(kEndSentenceId);
  return ids;
}

Seq2SeqSizes SizesOf(const Seq2SeqModel& model) {
  return {.source_words = model.source_words.size(),
          .target_words = model.target_words.size(),
          .source_dim = model.network->source_table().cols(),
          .target_dim = model.network->target_table().cols()};
}

absl::StatusOr<Vocabulary> ReadMarkedWords(const CheckedReader& reader,
                                           const char* name) {
  FIRTH_ASSIGN_OR_RETURN(Vocabulary words, reader.ReadWords(name, ""));
  bool marked = words.size() >= kMarks.size();
  for (size_t i = 0; marked && i < kMarks.size(); ++i) {
    marked = words.Word(ToWordId(i)) == kMarks[i];
  }
  if (marked) return words;
  return reader.BadTensor(name, "lines that begin with <S>, </S> and <UNK>",
                          nullptr);
}

absl::StatusOr<Seq2SeqModel> ReadModel(const CheckedReader& reader) {
  const std::string place =
      absl::StrCat(reader.path(), ": metadata \"", kKind, "\"");
  const Json json = ParseJson(reader.content());
  if (!json.is_object()) {
    return absl::DataLossError(absl::StrCat(place, ": expected a JSON object"));
  }
  const JsonSection root{place, "", json};
  Seq2SeqModel model;
  FIRTH_ASSIGN_OR_RETURN(const JsonSection tokens, root.Sub("tokens"));
  FIRTH_RETURN_IF_ERROR(tokens.Read(&model.tokens));
  FIRTH_ASSIGN_OR_RETURN(const JsonSection network, root.Sub("network"));
  FIRTH_RETURN_IF_ERROR(network.Read(&model.shape));
  const absl::Status valid = model.shape.Validate();
  if (!valid.ok()) {
    return absl::DataLossError(absl::StrCat(place, ": ", valid.message()));
  }
  Seq2SeqSizes sizes;
  FIRTH_ASSIGN_OR_RETURN(sizes.source_dim,
                         root.Size("source_dim", 1, kMostUnits));
  FIRTH_ASSIGN_OR_RETURN(sizes.target_dim,
                         root.Size("target_dim", 1, kMostUnits));
  if (model.shape.tied && sizes.target_dim != model.shape.units) {
    return root.Bad("target_dim", absl::StrCat(model.shape.units,
                                               ", since the rows are tied"));
  }
  FIRTH_ASSIGN_OR_RETURN(model.source_words,
                         ReadMarkedWords(reader, kSourceWords));
  FIRTH_ASSIGN_OR_RETURN(model.target_words,
                         ReadMarkedWords(reader, kTargetWords));
  sizes.source_words = model.source_words.size();
  sizes.target_words = model.target_words.size();
  if (ParameterBytes(model.shape, sizes) > reader.size()) {
    return absl::DataLossError(
        absl::StrCat(reader.path(), ": the options require parameters of ",
                     ParameterBytes(model.shape, sizes),
                     " bytes, but the file has ", reader.size()));
  }
  const nn::WithoutFirstValues without_values;
  model.network = std::make_unique<Seq2SeqNetwork>(model.shape, sizes, 0, 0, 0);
  nn::ParameterList<float> parameters;
  model.network->AppendParameters(&parameters);
  for (auto* parameter : parameters) {
    FIRTH_RETURN_IF_ERROR(
        ReadMatrix(reader, parameter->name, &parameter->value));
  }
  model.network->ParametersStay();
  model.metadata = reader.Metadata();
  return model;
}

}  // namespace

std::vector<uint32_t> Seq2SeqModel::SourceIds(
    absl::Span<const std::string> text) const {
  return IdsOf(source_words, text);
}

std::vector<uint32_t> Seq2SeqModel::TargetIds(
    absl::Span<const std::string> text) const {
  return IdsOf(target_words, text);
}

absl::StatusOr<Vocabulary> CountWords(
    absl::FunctionRef<void(TextVisitor)> for_each_text,
    const Seq2SeqOptions& options) {
  absl::flat_hash_map<std::string, uint64_t> counts;
  for_each_text([&](absl::Span<const std::string> text) {
    for (const std::string& token : text) ++counts[token];
  });
  for (const absl::string_view mark : kMarks) counts.erase(mark);
  std::vector<std::pair<uint64_t, absl::string_view>> words;
  for (const auto& [word, count] : counts) {
    if (count >= options.min_count) words.emplace_back(count, word);
  }
  std::sort(words.begin(), words.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  if (options.max_vocab > 0 && words.size() > options.max_vocab) {
    words.resize(options.max_vocab);
  }
  if (words.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("min-count: no word occurs ", options.min_count,
                     " times; use a lower value"));
  }
  std::vector<absl::string_view> all(kMarks.begin(), kMarks.end());
  for (const auto& [count, word] : words) all.push_back(word);
  return Vocabulary::Create(all, {});
}

absl::Status SaveSeq2SeqModel(const Seq2SeqModel& model,
                              const std::string& path) {
  nn::ParameterList<float> parameters;
  model.network->AppendParameters(&parameters);
  CheckedWriter writer;
  for (const auto* parameter : parameters) {
    writer.Add(parameter->name, FloatTable(parameter->value.view()));
  }
  writer.AddWords(kSourceWords, model.source_words);
  writer.AddWords(kTargetWords, model.target_words);
  const Seq2SeqSizes sizes = SizesOf(model);
  OrderedJson json;
  json["tokens"] = FileFields(model.tokens);
  json["network"] = FileFields(model.shape);
  json["source_dim"] = sizes.source_dim;
  json["target_dim"] = sizes.target_dim;
  return std::move(writer).Write(model.metadata, kKind, DumpJson(json), path);
}

absl::StatusOr<Seq2SeqModel> LoadSeq2SeqModel(const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(const CheckedReader reader,
                         CheckedReader::Open(path, kKind, kWhat));
  return ReadModel(reader);
}

absl::StatusOr<std::optional<Seq2SeqModel>> LoadIfSeq2SeqModel(
    const MappedFilePtr& file) {
  FIRTH_ASSIGN_OR_RETURN(const auto reader,
                         CheckedReader::OpenIfKind(file, kKind));
  if (!reader.has_value()) return std::nullopt;
  FIRTH_ASSIGN_OR_RETURN(Seq2SeqModel model, ReadModel(*reader));
  return model;
}

absl::StatusOr<std::optional<FileInfo>> DescribeSeq2SeqModel(
    const MappedFilePtr& file) {
  FIRTH_ASSIGN_OR_RETURN(const auto reader,
                         CheckedReader::OpenIfKind(file, kKind));
  if (!reader.has_value()) return std::nullopt;
  FIRTH_ASSIGN_OR_RETURN(const Seq2SeqModel model, ReadModel(*reader));
  const Seq2SeqShape& shape = model.shape;
  const bool recurrent = shape.decoder == DecoderKind::kRecurrent;
  FileInfo info;
  info.kind = "sequence-to-sequence model";
  info.facts = {
      {"encoder",
       std::string(kNetworkNames[static_cast<size_t>(shape.encoder)])},
      {"decoder", recurrent ? "recurrent" : "transformer"},
      {"layers", uint64_t{shape.layers}},
      {"units", uint64_t{shape.units}},
      {"source_words", uint64_t{model.source_words.size()}},
      {"target_words", uint64_t{model.target_words.size()}},
      {"parameters", reader->num_floats()}};
  if (recurrent) {
    info.facts.push_back(
        {"attention",
         std::string(kAttentionNames[static_cast<size_t>(shape.attention)])});
  }
  info.options = reader->content();
  info.metadata = reader->Metadata();
  return info;
}

}  // namespace firth
