#include "lm/ngram/ngram_file.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "firth/status_macros.h"
#include "io/tensors/checked_tensors.h"
#include "lm/model/language_model_options.h"

namespace firth {
namespace {

constexpr char kKind[] = "counting_model";
constexpr char kWordTexts[] = "vocabulary";
constexpr char kSmoothing[] = "smoothing";
constexpr char kNgrams[] = "ngrams";

// Reads tensors, and keeps the first error.
class TensorReader {
 public:
  explicit TensorReader(const CheckedReader& reader) : reader_(reader) {}

  template <class Value>
  absl::Span<const Value> Read(const char* name, const char* dtype) {
    const TensorEntry* const tensor = reader_.header().Find(name);
    if (!IsOfShape(tensor, dtype, {kAnySize}) ||
        tensor->begin % alignof(Value) != 0) {
      status_.Update(reader_.BadTensor(
          name, absl::StrCat(dtype, " [any], aligned"), tensor));
      return {};
    }
    return {
        reinterpret_cast<const Value*>(reader_.file()->data() + tensor->begin),
        (tensor->end - tensor->begin) / sizeof(Value)};
  }
  const absl::Status& status() const { return status_; }

 private:
  const CheckedReader& reader_;
  absl::Status status_;
};

// Returns the first node of each order, given the numbers of n-grams. Returns
// nothing if they are not numbers, or too large.
std::vector<uint32_t> BeginsOf(const Json& numbers) {
  std::vector<uint32_t> begins = {0, 1};
  if (!numbers.is_array()) return {};
  for (const Json& number : numbers) {
    if (!number.is_number_unsigned()) return {};
    const auto count = number.get<uint64_t>();
    if (count >= NgramTrie::kNone - begins.back()) return {};
    begins.push_back(begins.back() + static_cast<uint32_t>(count));
  }
  return begins;
}

bool BeginsWithMarks(const Vocabulary& words) {
  for (size_t i = 0; i < kMarks.size(); ++i) {
    if (words.size() <= i || words.Word(ToWordId(i)) != kMarks[i]) return false;
  }
  return true;
}

absl::StatusOr<NgramModelData> ReadNgramModel(const CheckedReader& reader) {
  const Json content = reader.ContentJson();
  if (!content.is_object() || !content.contains(kSmoothing) ||
      !content[kSmoothing].is_string() || !content.contains(kNgrams)) {
    return absl::DataLossError(
        absl::StrCat("expected a JSON object with smoothing and ngrams, found ",
                     reader.content()));
  }
  FIRTH_ASSIGN_OR_RETURN(Vocabulary words, reader.ReadWords(kWordTexts, ""));
  TensorReader tensors(reader);
  NgramArrays arrays = {
      .begins = BeginsOf(content[kNgrams]),
      .words = tensors.Read<uint32_t>("words", "U32"),
      .log_probabilities = tensors.Read<float>("log_probabilities", "F32"),
      .children = tensors.Read<uint32_t>("children", "U32"),
      .suffixes = tensors.Read<uint32_t>("suffixes", "U32"),
      .backoffs = tensors.Read<float>("backoffs", "F32")};
  FIRTH_RETURN_IF_ERROR(tensors.status());
  FIRTH_RETURN_IF_ERROR(NgramTrie::Check(arrays));
  if (!BeginsWithMarks(words) || words.size() != arrays.begins[2] - 1) {
    return absl::DataLossError(
        absl::StrCat("expected <S>, </S>, <UNK> and other words, ",
                     arrays.begins[2] - 1, " in all, found ", words.size()));
  }
  const auto smoothing = content[kSmoothing].get<std::string>();
  const bool is_additive = smoothing == kCountSmoothingNames[1];
  return NgramModelData{
      std::move(words),
      NgramTrie(std::move(arrays), is_additive, reader.file()), smoothing,
      reader.Metadata()};
}

}  // namespace

absl::Status SaveNgramModel(const NgramModelData& model,
                            const std::string& path) {
  const NgramArrays& arrays = model.trie.arrays();
  Json counts = Json::array();
  for (int n = 1; n <= model.trie.order(); ++n) {
    counts.push_back(arrays.begins[n + 1] - arrays.begins[n]);
  }
  CheckedWriter writer;
  writer.Add("words", "U32", BytesOf(arrays.words));
  writer.Add("log_probabilities", "F32", BytesOf(arrays.log_probabilities));
  writer.Add("children", "U32", BytesOf(arrays.children));
  writer.Add("suffixes", "U32", BytesOf(arrays.suffixes));
  writer.Add("backoffs", "F32", BytesOf(arrays.backoffs));
  writer.AddWords(kWordTexts, model.words);
  const Json content = {{kSmoothing, model.smoothing}, {kNgrams, counts}};
  return std::move(writer).Write(model.metadata, kKind, DumpJson(content),
                                 path);
}

absl::StatusOr<std::optional<NgramModelData>> LoadNgramModel(
    const MappedFilePtr& file) {
  FIRTH_ASSIGN_OR_RETURN(const auto reader,
                         CheckedReader::OpenIfKind(file, kKind));
  if (!reader.has_value()) return std::nullopt;
  absl::StatusOr<NgramModelData> model = ReadNgramModel(*reader);
  if (model.ok()) return *std::move(model);
  const absl::string_view message = model.status().message();
  return absl::DataLossError(absl::StartsWith(message, file->path())
                                 ? std::string(message)
                                 : absl::StrCat(file->path(), ": ", message));
}

}  // namespace firth
