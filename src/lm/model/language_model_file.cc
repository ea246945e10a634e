// The parts of a model are read in the order of their dependencies: the
// options; the words, whose number is the number of rows of the tables; and the
// parameters, whose shapes follow from both. The file must be large enough for
// them before memory is allocated.

#include "lm/model/language_model_file.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/json.h"
#include "firth/status_macros.h"
#include "io/codecs/vector_rows.h"
#include "lm/model/matrix_tensors.h"

namespace firth {
namespace {

constexpr char kVocabulary[] = "vocabulary";
constexpr char kInputVocabulary[] = "input_vocabulary";
constexpr char kCounts[] = "counts";
constexpr char kOutputVectors[] = "output_vectors";
constexpr char kMerges[] = "merges";

bool SameWords(const Vocabulary& a, const Vocabulary& b) {
  bool same = a.size() == b.size();
  for (size_t i = 0; same && i < a.size(); ++i) {
    same = a.Word(ToWordId(i)) == b.Word(ToWordId(i));
  }
  return same;
}

absl::StatusOr<Vocabulary> ReadWords(const CheckedReader& reader,
                                     const std::vector<std::string>& marks,
                                     const char* name, const char* counts) {
  FIRTH_ASSIGN_OR_RETURN(Vocabulary words, reader.ReadWords(name, counts));
  for (size_t i = 0; i < marks.size() && !words.empty(); ++i) {
    if (words.size() < marks.size() || words.Word(ToWordId(i)) != marks[i]) {
      return reader.BadTensor(
          name, absl::StrCat(absl::StrJoin(marks, ", "), " as its first words"),
          nullptr);
    }
  }
  return words;
}

absl::StatusOr<std::shared_ptr<const TextCutter>> ReadCutter(
    const CheckedReader& reader, const LanguageModelOptions& options,
    const LanguageModelData& data) {
  FIRTH_ASSIGN_OR_RETURN(const Vocabulary merges,
                         reader.ReadWords(kMerges, ""));
  auto cutter = TextCutter::Create(options.pieces, options.marks,
                                   data.input_words, merges);
  if (cutter.ok()) return cutter;
  return absl::DataLossError(absl::StrCat(reader.path(), ": tensor \"", kMerges,
                                          "\": ", cutter.status().message()));
}

absl::StatusOr<LanguageModelData> ReadData(
    const CheckedReader& reader, const LanguageModelOptions& options) {
  LanguageModelData data;
  FIRTH_ASSIGN_OR_RETURN(
      data.words, ReadWords(reader, options.marks, kVocabulary, kCounts));
  const size_t table_dim = options.encoder.embedding_dim;
  if (table_dim > 0) {
    FIRTH_ASSIGN_OR_RETURN(data.input_words, ReadWords(reader, options.marks,
                                                       kInputVocabulary, ""));
    if (data.input_words.empty()) data.input_words = data.words;
    FIRTH_ASSIGN_OR_RETURN(data.n_grams, reader.ReadNGrams(table_dim));
  }
  if ((table_dim > 0 && data.input_words.empty()) ||
      (options.head != HeadKind::kNone && data.words.empty())) {
    return reader.BadTensor(kVocabulary, "words", nullptr);
  }
  if (options.head == HeadKind::kContinuous) {
    FIRTH_ASSIGN_OR_RETURN(data.output_vectors,
                           reader.ReadRows(kOutputVectors, data.words.size()));
  }
  if (options.tied && data.words.size() != data.input_words.size()) {
    return reader.BadTensor(
        kInputVocabulary,
        "only words that are predicted, since the rows are tied", nullptr);
  }
  if (options.pieces.cut()) {
    FIRTH_ASSIGN_OR_RETURN(data.cutter, ReadCutter(reader, options, data));
  }
  data.metadata = reader.Metadata();
  return data;
}

absl::StatusOr<LanguageModelOptions> ParseOptions(const CheckedReader& reader) {
  return ParseLanguageModelOptions(
      reader.content(),
      absl::StrCat(reader.path(), ": metadata \"", kLanguageModelKind, "\""));
}

absl::StatusOr<std::unique_ptr<BiLanguageModel>> ReadModel(
    const CheckedReader& reader) {
  FIRTH_ASSIGN_OR_RETURN(LanguageModelOptions options, ParseOptions(reader));
  FIRTH_ASSIGN_OR_RETURN(LanguageModelData data, ReadData(reader, options));
  options.encoder.vocab_size = data.input_words.size();
  options.vocab_size = data.words.size();
  const uint64_t needed = ParameterBytes(options);
  if (needed > reader.size()) {
    return absl::DataLossError(
        absl::StrCat(reader.path(), ": the options require parameters of ",
                     needed, " bytes, but the file has ", reader.size()));
  }
  const nn::WithoutFirstValues read;
  auto model = std::make_unique<BiLanguageModel>(options, std::move(data), 0);
  for (nn::Parameter<float>* parameter : model->Parameters()) {
    FIRTH_RETURN_IF_ERROR(
        ReadMatrix(reader, parameter->name, &parameter->value));
  }
  return model;
}

// Adds the kind and the sizes of the layers.
template <class Layers>
void AddFacts(const Layers& layers, std::vector<FileFact>* facts) {
  const OrderedJson json = FileFields(layers);
  for (const Field& field : TableFor<Layers>().fields()) {
    const OrderedJson& value = json[field.name];
    if (field.kind == FieldKind::kChoice) {
      facts->push_back({field.name, value.template get<std::string>()});
    } else if (field.kind == FieldKind::kWhole && field.min > 0 &&
               field.name != "layers") {
      facts->push_back({field.name, value.template get<uint64_t>()});
    }
  }
}

CheckedWriter WriterOf(BiLanguageModel& model) {
  const LanguageModelData& data = model.data();
  CheckedWriter writer;
  for (const nn::Parameter<float>* parameter : model.Parameters()) {
    writer.Add(parameter->name, FloatTable(parameter->value.view()));
  }
  if (!data.words.empty()) {
    writer.AddWords(kVocabulary, data.words);
    writer.Add(kCounts, "I64", BytesOf(data.words.counts()));
  }
  if (!data.input_words.empty() && !SameWords(data.input_words, data.words)) {
    writer.AddWords(kInputVocabulary, data.input_words);
  }
  if (!data.output_vectors.empty()) {
    writer.Add(kOutputVectors, data.output_vectors);
  }
  if (data.cutter != nullptr && !data.cutter->merges().empty()) {
    writer.AddWords(kMerges, data.cutter->merges());
  }
  if (data.n_grams.subwords() != nullptr) writer.Add(*data.n_grams.subwords());
  return writer;
}

}  // namespace

absl::Status SaveLanguageModel(BiLanguageModel& model,
                               const std::string& path) {
  return WriterOf(model).Write(model.data().metadata, kLanguageModelKind,
                               ToJson(model.options()), path);
}

absl::StatusOr<MappedFilePtr> LanguageModelFile(BiLanguageModel& model,
                                                const std::string& path) {
  return WriterOf(model).WriteUnnamed(model.data().metadata, kLanguageModelKind,
                                      ToJson(model.options()), path);
}

absl::StatusOr<std::unique_ptr<BiLanguageModel>> LoadLanguageModel(
    const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(const MappedFilePtr file, MappedFile::Open(path));
  return LoadLanguageModel(file);
}

absl::StatusOr<std::unique_ptr<BiLanguageModel>> LoadLanguageModel(
    const MappedFilePtr& file) {
  FIRTH_ASSIGN_OR_RETURN(
      const CheckedReader reader,
      CheckedReader::Open(file, kLanguageModelKind,
                          "a language model as \"firth lm\" writes it"));
  auto model = ReadModel(reader);
  // Contents that the readers of vectors call malformed are damage here.
  if (model.ok() || absl::IsDataLoss(model.status())) return model;
  return absl::DataLossError(model.status().message());
}

absl::StatusOr<std::optional<FileInfo>> DescribeLanguageModel(
    const MappedFilePtr& file) {
  FIRTH_ASSIGN_OR_RETURN(const auto reader,
                         CheckedReader::OpenIfKind(file, kLanguageModelKind));
  if (!reader.has_value()) return std::nullopt;
  FIRTH_ASSIGN_OR_RETURN(const LanguageModelOptions options,
                         ParseOptions(*reader));
  FIRTH_ASSIGN_OR_RETURN(const LanguageModelData data,
                         ReadData(*reader, options));
  const nn::TokenEncoderOptions& encoder = options.encoder;
  FileInfo info;
  info.kind = "language model";
  info.facts = {
      {"dim", uint64_t{NumDirections(options) * nn::OutputDim(options.layers)}},
      {"word_dim", uint64_t{encoder.output_dim()}},
      {"layers", uint64_t{nn::NumLayers(options.layers)}}};
  std::visit([&](const auto& kind) { AddFacts(kind, &info.facts); },
             options.layers);
  const FileFact more[] = {
      {"head", absl::StrCat(kHeadNames[static_cast<size_t>(options.head)])},
      {"words_predicted", uint64_t{data.words.size()}},
      {"words_with_vectors", uint64_t{data.input_words.size()}},
      {"has_subwords", data.n_grams.subwords() != nullptr},
      {"has_characters", encoder.has_characters()},
      {"reads_pieces", options.pieces.cut()},
      {"parameters", reader->num_floats()}};
  info.facts.insert(info.facts.end(), std::begin(more), std::end(more));
  info.options = ToJson(options);
  info.metadata = data.metadata;
  return info;
}

}  // namespace firth
