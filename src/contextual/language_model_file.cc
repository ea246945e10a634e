#include "contextual/language_model_file.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/quote.h"
#include "base/status_macros.h"
#include "contextual/character_ids.h"
#include "io/safetensors_header.h"
#include "io/safetensors_subwords.h"
#include "io/safetensors_writer.h"
#include "io/vector_rows.h"
#include "nlohmann/json.hpp"

namespace firth {
namespace {

using Json = nlohmann::json;

constexpr char kOptions[] = "language_model";
constexpr char kChecksums[] = "checksums";
constexpr char kVocabulary[] = "vocabulary";
constexpr char kInputVocabulary[] = "input_vocabulary";
constexpr char kCounts[] = "counts";
constexpr char kOutputVectors[] = "output_vectors";
constexpr char kNGrams[] = "n_grams";

std::string Hex(uint64_t checksum) {
  return absl::StrCat(absl::Hex(checksum, absl::kZeroPad16));
}

// Of pieces, so that it is the same for the rows of a table with gaps.
std::string HexChecksum(absl::string_view bytes, size_t piece_bytes) {
  uint64_t sum = 0;
  for (; !bytes.empty(); bytes.remove_prefix(piece_bytes)) {
    piece_bytes = std::min(piece_bytes, bytes.size());
    sum = Checksum(bytes.substr(0, piece_bytes), sum);
  }
  return Hex(sum);
}

std::string HexChecksum(const FloatTable& table) {
  uint64_t sum = 0;
  for (size_t row = 0; row < table.rows(); ++row) {
    sum = Checksum(BytesOf(table.Row(row)), sum);
  }
  return Hex(sum);
}

std::string WordLines(const Vocabulary& words) {
  std::string lines;
  for (size_t i = 0; i < words.size(); ++i) {
    absl::StrAppend(&lines, words.Word(ToWordId(i)), "\n");
  }
  return lines;
}

bool SameWords(const Vocabulary& a, const Vocabulary& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a.Word(ToWordId(i)) != b.Word(ToWordId(i))) return false;
  }
  return true;
}

// A SafetensorsWriter that adds up checksums.
class Writer {
 public:
  // Borrows name and bytes.
  void Add(const char* name, const char* dtype, absl::string_view bytes) {
    checksums_[name] = HexChecksum(bytes, bytes.size());
    writer_.Add(name, dtype, {bytes.size() / BytesPerValue(dtype)},
                [bytes](OutputFile& out) { return out.Write(bytes); });
  }
  void AddTable(const char* name, const FloatTable& table) {
    checksums_[name] = HexChecksum(table);
    writer_.AddTable(name, "F32", table);
  }
  void AddNGrams(const SubwordTables& subwords) {
    AddSubwordTensors(subwords, &writer_);
    checksums_[kNGrams] = HexChecksum(subwords.n_grams);
  }
  absl::Status Write(std::map<std::string, std::string> metadata,
                     std::string options, const std::string& path) && {
    checksums_[kOptions] = HexChecksum(options, options.size());
    writer_.metadata().merge(metadata);
    writer_.metadata()["format"] = "firth-lm";
    writer_.metadata()["firth_version"] = FIRTH_VERSION;
    writer_.metadata()[kOptions] = std::move(options);
    writer_.metadata()[kChecksums] = checksums_.dump();
    return std::move(writer_).Write(path);
  }

 private:
  SafetensorsWriter writer_;
  Json checksums_ = Json::object();
};

// A mapped file with all that is read of it.
class Reader {
 public:
  static absl::StatusOr<Reader> Open(const std::string& path) {
    FIRTH_ASSIGN_OR_RETURN(MappedFilePtr file, MappedFile::Open(path));
    FIRTH_ASSIGN_OR_RETURN(SafetensorsHeader header,
                           ReadSafetensorsHeader(*file));
    if (header.metadata.count(kOptions) == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat(path,
                       ": expected a language model, as \"firth lm\" writes "
                       "it, found a .safetensors file of something else"));
    }
    Reader reader(std::move(file), std::move(header));
    FIRTH_RETURN_IF_ERROR(reader.CheckSums());
    return reader;
  }

  std::map<std::string, std::string>& metadata() { return header_.metadata; }

  absl::StatusOr<LanguageModelOptions> ReadOptions() const {
    return ParseLanguageModelOptions(
        header_.metadata.at(kOptions),
        absl::StrCat(file_->path(), ": metadata \"", kOptions, "\""));
  }

  // Empty if there is none.
  absl::StatusOr<Vocabulary> ReadWords(const char* name,
                                       const char* counts_name) const {
    const TensorEntry* tensor = header_.Find(name);
    if (tensor == nullptr) return Vocabulary();
    if (tensor->dtype != "U8" || tensor->shape.size() != 1) {
      return Bad(name, "U8 [bytes]", tensor);
    }
    const absl::string_view bytes = Bytes(*tensor);
    const auto lines =
        static_cast<uint64_t>(std::count(bytes.begin(), bytes.end(), '\n'));
    FIRTH_ASSIGN_OR_RETURN(const std::vector<absl::string_view> words,
                           ReadTexts(*file_, *tensor, lines, name));
    const absl::string_view marks[] = {kBeginSentence, kEndSentence, kUnknown};
    if (words.size() < kNumMarks ||
        !std::equal(std::begin(marks), std::end(marks), words.begin())) {
      return DataLoss(name, "expected <S>, </S> and <UNK> as first words");
    }
    std::vector<uint64_t> counts;
    const TensorEntry* counted = header_.Find(counts_name);
    if (counted != nullptr) {
      if (counted->dtype != "I64" ||
          counted->shape != std::vector<uint64_t>{words.size()}) {
        return Bad(counts_name, absl::StrCat("I64 [", words.size(), "]"),
                   counted);
      }
      counts.resize(words.size());
      std::memcpy(counts.data(), file_->data() + counted->begin,
                  counts.size() * sizeof(uint64_t));
    }
    auto vocabulary = Vocabulary::Create(words, std::move(counts));
    if (vocabulary.ok()) return vocabulary;
    return DataLoss(name, vocabulary.status().message());
  }

  absl::StatusOr<FloatTable> ReadOutputVectors(uint64_t rows) const {
    const TensorEntry* tensor = header_.Find(kOutputVectors);
    if (tensor == nullptr || !IsTable(*tensor) || tensor->shape[0] != rows) {
      return Bad(kOutputVectors, absl::StrCat("F32 [", rows, ", any]"), tensor);
    }
    return ReadTable(file_, *tensor, rows, tensor->shape[1], true);
  }

  absl::StatusOr<WordVectors> ReadNGrams(uint64_t dim) const {
    FIRTH_ASSIGN_OR_RETURN(
        std::optional<SubwordTables> subwords,
        ReadSubwordTensors(file_, header_, 0, dim, /*all_finite=*/true));
    if (!subwords.has_value()) return WordVectors();
    return WordVectors::Create(Vocabulary(),
                               FloatTable(nullptr, 0, dim, dim, nullptr),
                               std::move(subwords));
  }

  absl::Status ReadParameter(nn::Parameter<float>* parameter) const {
    nn::Matrix<float>& value = parameter->value;
    const TensorEntry* tensor = header_.Find(parameter->name);
    const std::vector<uint64_t> shape = {value.rows(), value.cols()};
    if (tensor == nullptr || tensor->dtype != "F32" || tensor->shape != shape) {
      return Bad(parameter->name,
                 absl::StrCat("F32 [", shape[0], ", ", shape[1], "]"), tensor);
    }
    FIRTH_ASSIGN_OR_RETURN(
        const FloatTable table,
        ReadTable(file_, *tensor, shape[0], shape[1], /*all_finite=*/true));
    if (value.size() > 0) {
      std::memcpy(value.data(), table.data(), value.size() * sizeof(float));
    }
    return absl::OkStatus();
  }

  absl::Status Bad(absl::string_view name, absl::string_view expected,
                   const TensorEntry* found) const {
    return BadTensor(*file_, name, expected, found);
  }

  absl::Status CheckSize(const LanguageModelOptions& options) const {
    const uint64_t needed = ParameterBytes(options);
    if (needed <= file_->size()) return absl::OkStatus();
    return absl::DataLossError(absl::StrCat(
        file_->path(), ": expected parameters of ", needed,
        " bytes, as the options say, found a file of ", file_->size()));
  }

 private:
  Reader(MappedFilePtr file, SafetensorsHeader header)
      : file_(std::move(file)), header_(std::move(header)) {}

  absl::string_view Bytes(const TensorEntry& tensor) const {
    return file_->bytes().substr(tensor.begin, tensor.end - tensor.begin);
  }
  absl::Status DataLoss(absl::string_view tensor,
                        absl::string_view message) const {
    return absl::DataLossError(
        absl::StrCat(file_->path(), ": tensor ", Quote(tensor), ": ", message));
  }

  absl::Status CheckSums() const {
    const auto found = header_.metadata.find(kChecksums);
    const Json sums = found == header_.metadata.end()
                          ? Json()
                          : Json::parse(found->second, nullptr, false);
    if (!sums.is_object()) {
      return absl::DataLossError(
          absl::StrCat(file_->path(), ": expected a JSON object as metadata \"",
                       kChecksums, "\""));
    }
    for (const auto& [name, sum] : sums.items()) {
      const TensorEntry* tensor = header_.Find(name);
      if (tensor == nullptr && name != kOptions) {
        return DataLoss(name, "expected one, as there is a checksum");
      }
      const absl::string_view bytes =
          tensor == nullptr ? header_.metadata.at(kOptions) : Bytes(*tensor);
      const std::string actual =
          HexChecksum(bytes, tensor != nullptr && IsTable(*tensor)
                                 ? tensor->shape[1] * sizeof(float)
                                 : bytes.size());
      if (sum != actual) {
        return DataLoss(name, absl::StrCat("expected the checksum ", sum.dump(),
                                           ", found \"", actual,
                                           "\": the file has been altered"));
      }
    }
    return absl::OkStatus();
  }

  MappedFilePtr file_;
  SafetensorsHeader header_;
};

absl::StatusOr<std::unique_ptr<BiLanguageModel>> ReadModel(Reader& reader) {
  FIRTH_ASSIGN_OR_RETURN(LanguageModelOptions options, reader.ReadOptions());
  LanguageModelData data;
  FIRTH_ASSIGN_OR_RETURN(data.words, reader.ReadWords(kVocabulary, kCounts));
  const size_t table_dim = options.bi_lstm.encoder.embedding_dim;
  if (table_dim > 0) {
    FIRTH_ASSIGN_OR_RETURN(data.input_words,
                           reader.ReadWords(kInputVocabulary, ""));
    if (data.input_words.empty()) data.input_words = data.words;
    FIRTH_ASSIGN_OR_RETURN(data.n_grams, reader.ReadNGrams(table_dim));
  }
  if ((table_dim > 0 && data.input_words.empty()) ||
      (options.head != HeadKind::kNone && data.words.empty())) {
    return reader.Bad(kVocabulary, "words", nullptr);
  }
  if (options.head == HeadKind::kContinuous) {
    FIRTH_ASSIGN_OR_RETURN(data.output_vectors,
                           reader.ReadOutputVectors(data.words.size()));
  }
  options.bi_lstm.encoder.vocab_size = data.input_words.size();
  options.vocab_size = data.words.size();
  FIRTH_RETURN_IF_ERROR(reader.CheckSize(options));
  data.metadata = std::move(reader.metadata());
  data.metadata.erase(kOptions);
  data.metadata.erase(kChecksums);
  auto model =
      std::make_unique<BiLanguageModel>(std::move(options), std::move(data), 0);
  for (nn::Parameter<float>* parameter : model->Parameters()) {
    FIRTH_RETURN_IF_ERROR(reader.ReadParameter(parameter));
  }
  return model;
}

}  // namespace

absl::Status SaveLanguageModel(BiLanguageModel& model,
                               const std::string& path) {
  const LanguageModelData& data = model.data();
  Writer writer;
  const nn::ParameterList<float> parameters = model.Parameters();
  for (const nn::Parameter<float>* parameter : parameters) {
    const nn::Matrix<float>& value = parameter->value;
    writer.AddTable(parameter->name.c_str(),
                    FloatTable(value.data(), value.rows(), value.cols(),
                               value.cols(), nullptr));
  }
  const std::string words = WordLines(data.words);
  const std::string input_words = WordLines(data.input_words);
  if (!data.words.empty()) {
    writer.Add(kVocabulary, "U8", words);
    writer.Add(kCounts, "I64", BytesOf(data.words.counts()));
  }
  if (!data.input_words.empty() && !SameWords(data.words, data.input_words)) {
    writer.Add(kInputVocabulary, "U8", input_words);
  }
  if (!data.output_vectors.empty()) {
    writer.AddTable(kOutputVectors, data.output_vectors);
  }
  if (data.n_grams.subwords() != nullptr) {
    writer.AddNGrams(*data.n_grams.subwords());
  }
  return std::move(writer).Write(data.metadata, ToJson(model.options()), path);
}

absl::StatusOr<std::unique_ptr<BiLanguageModel>> LoadLanguageModel(
    const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(Reader reader, Reader::Open(path));
  auto model = ReadModel(reader);
  // What the readers of vectors call malformed is damage here.
  if (model.ok() || absl::IsDataLoss(model.status())) return model;
  return absl::DataLossError(model.status().message());
}

}  // namespace firth
