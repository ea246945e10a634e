// The metadata describe how words are divided into n-grams. A separate tensor
// contains the n-gram of each row: the numbers of buckets, or the texts of
// explicit n-grams. floret needs none, since its hashes determine the rows.
// Data that are read go through the same factories as an index that was just
// trained, so that a damaged list is found by the checks for a valid index.

#include "io/tensors/safetensors_subwords.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <variant>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/quote.h"
#include "firth/status_macros.h"
#include "io/codecs/vector_rows.h"

namespace firth {
namespace {

constexpr char kWords[] = "words";
constexpr char kBuckets[] = "buckets";
constexpr char kTexts[] = "n_gram_texts";
constexpr char kNGramRows[] = "n_gram_rows";

constexpr char kIndexKey[] = "subword-index";
constexpr char kMinKey[] = "min-n";
constexpr char kMaxKey[] = "max-n";
constexpr char kBucketsKey[] = "buckets";
constexpr char kHashesKey[] = "hashes";
constexpr char kSeedKey[] = "hash-seed";
// If present, missing buckets do not count.
constexpr char kMissingKey[] = "missing-buckets";
constexpr char kHashKey[] = "bucket-hash";      // If missing, fastText's.
constexpr char kWordBeginKey[] = "word-begin";  // If missing, "<".
constexpr char kWordEndKey[] = "word-end";      // If missing, ">".
constexpr char kFinalfusion[] = "finalfusion";

// The input from which tensors are read.
struct Source {
  const MappedFile& file;
  const SafetensorsHeader& header;
  uint64_t rows;  // Number of rows of n-grams.

  absl::StatusOr<std::string> Text(const char* key) const {
    const auto found = header.metadata.find(key);
    if (found != header.metadata.end()) return found->second;
    return absl::InvalidArgumentError(
        absl::StrCat(file.path(), ": metadata \"", key,
                     "\" is missing; the tensor \"", kNGrams, "\" needs it"));
  }

  absl::Status Number(const char* key, uint32_t* number) const {
    FIRTH_ASSIGN_OR_RETURN(const std::string text, Text(key));
    if (absl::SimpleAtoi(text, number)) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat(file.path(), ": metadata \"", key,
                     "\": expected a number, found ", Quote(text)));
  }

  // Sets *text if the metadata contain the key.
  void OptionalText(const char* key, std::string* text) const {
    const auto found = header.metadata.find(key);
    if (found != header.metadata.end()) *text = found->second;
  }

  // Returns the numbers of a U32 tensor.
  absl::StatusOr<std::vector<uint32_t>> Numbers(const char* name,
                                                uint64_t count) const {
    const TensorEntry* tensor = header.Find(name);
    if (IsOfShape(tensor, "U32", {count})) {
      return CopyValues<uint32_t>(file, *tensor);
    }
    return BadTensor(file, name, absl::StrCat("U32 [", count, "]"), tensor);
  }

  template <class Options>
  absl::Status Lengths(Options* options) const {
    uint32_t min_n = 0;
    uint32_t max_n = 0;
    FIRTH_RETURN_IF_ERROR(Number(kMinKey, &min_n));
    FIRTH_RETURN_IF_ERROR(Number(kMaxKey, &max_n));
    options->min_n = static_cast<int>(std::min<uint32_t>(min_n, INT32_MAX));
    options->max_n = static_cast<int>(std::min<uint32_t>(max_n, INT32_MAX));
    return absl::OkStatus();
  }
};

absl::StatusOr<SubwordIndex> ReadBuckets(const Source& source) {
  BucketSubwords options;
  FIRTH_RETURN_IF_ERROR(source.Lengths(&options));
  FIRTH_RETURN_IF_ERROR(source.Number(kBucketsKey, &options.buckets));
  options.missing_count = source.header.metadata.count(kMissingKey) == 0;
  std::string hash;
  source.OptionalText(kHashKey, &hash);
  if (hash == kFinalfusion) options.hash = BucketHash::kFinalfusion;
  FIRTH_ASSIGN_OR_RETURN(std::vector<uint32_t> buckets,
                         source.Numbers(kBuckets, source.rows));
  return SubwordIndex::OfBuckets(options, std::move(buckets));
}

absl::StatusOr<SubwordIndex> ReadNGrams(const Source& source) {
  ExplicitSubwords options;
  FIRTH_RETURN_IF_ERROR(source.Lengths(&options));
  const TensorEntry* tensor = source.header.Find(kTexts);
  if (!IsOfShape(tensor, "U8", {kAnySize})) {
    return BadTensor(source.file, kTexts, "U8 [bytes] with one n-gram per line",
                     tensor);
  }
  const TensorEntry* rows = source.header.Find(kNGramRows);
  if (rows == nullptr) {
    FIRTH_ASSIGN_OR_RETURN(
        const std::vector<absl::string_view> texts,
        ReadTexts(source.file, *tensor, source.rows, kNGrams));
    return SubwordIndex::OfNGrams(options, texts);
  }
  const uint64_t count = rows->shape.empty() ? 0 : rows->shape[0];
  FIRTH_ASSIGN_OR_RETURN(std::vector<uint32_t> numbers,
                         source.Numbers(kNGramRows, count));
  FIRTH_ASSIGN_OR_RETURN(const std::vector<absl::string_view> texts,
                         ReadTexts(source.file, *tensor, count, kNGramRows));
  FIRTH_ASSIGN_OR_RETURN(
      SubwordIndex index,
      SubwordIndex::OfNGrams(options, texts, std::move(numbers)));
  if (index.rows() == source.rows) return index;
  return absl::InvalidArgumentError(
      absl::StrCat("expected n-grams of ", source.rows,
                   " rows, found those of ", index.rows()));
}

absl::StatusOr<SubwordIndex> ReadFloret(const Source& source) {
  FloretSubwords options;
  FIRTH_RETURN_IF_ERROR(source.Lengths(&options));
  FIRTH_RETURN_IF_ERROR(source.Number(kBucketsKey, &options.buckets));
  uint32_t hashes = 0;
  FIRTH_RETURN_IF_ERROR(source.Number(kHashesKey, &hashes));
  options.hashes = static_cast<int>(std::min<uint32_t>(hashes, INT32_MAX));
  FIRTH_RETURN_IF_ERROR(source.Number(kSeedKey, &options.seed));
  source.OptionalText(kWordBeginKey, &options.word_begin);
  source.OptionalText(kWordEndKey, &options.word_end);
  if (options.buckets != source.rows) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a row for each of ", options.buckets,
                     " buckets, found ", source.rows));
  }
  return SubwordIndex::OfFloret(options);
}

absl::StatusOr<SubwordIndex> ReadIndex(const Source& source) {
  FIRTH_ASSIGN_OR_RETURN(const std::string kind, source.Text(kIndexKey));
  if (kind == BucketSubwords::kName) return ReadBuckets(source);
  if (kind == ExplicitSubwords::kName) return ReadNGrams(source);
  if (kind == FloretSubwords::kName) return ReadFloret(source);
  return absl::InvalidArgumentError(absl::StrCat(
      source.file.path(), ": metadata \"", kIndexKey, "\": expected ",
      BucketSubwords::kName, ", ", ExplicitSubwords::kName, " or ",
      FloretSubwords::kName, ", found ", Quote(kind)));
}

void AddOptions(const SubwordOptions& options,
                std::map<std::string, std::string>* metadata) {
  std::visit(
      [metadata](const auto& chosen) {
        (*metadata)[kIndexKey] = std::string(chosen.kName);
        if constexpr (requires { chosen.min_n; }) {
          (*metadata)[kMinKey] = absl::StrCat(chosen.min_n);
          (*metadata)[kMaxKey] = absl::StrCat(chosen.max_n);
        }
        if constexpr (requires { chosen.buckets; }) {
          (*metadata)[kBucketsKey] = absl::StrCat(chosen.buckets);
        }
        if constexpr (requires { chosen.missing_count; }) {
          if (!chosen.missing_count) (*metadata)[kMissingKey] = "left out";
          if (chosen.hash == BucketHash::kFinalfusion) {
            (*metadata)[kHashKey] = kFinalfusion;
          }
        }
        if constexpr (requires { chosen.hashes; }) {
          (*metadata)[kHashesKey] = absl::StrCat(chosen.hashes);
          (*metadata)[kSeedKey] = absl::StrCat(chosen.seed);
          if (chosen.word_begin != "<" || chosen.word_end != ">") {
            (*metadata)[kWordBeginKey] = chosen.word_begin;
            (*metadata)[kWordEndKey] = chosen.word_end;
          }
        }
      },
      options);
}

}  // namespace

absl::StatusOr<std::optional<SubwordTables>> ReadSubwordTensors(
    const MappedFilePtr& file, const SafetensorsHeader& header, uint64_t words,
    uint64_t dim, bool all_finite) {
  const TensorEntry* n_grams = header.Find(kNGrams);
  if (n_grams == nullptr) return std::nullopt;
  if (!IsTable(*n_grams) || n_grams->shape[1] != dim) {
    return BadTensor(*file, kNGrams, absl::StrCat("F32 [rows, ", dim, "]"),
                     n_grams);
  }
  const uint64_t rows = n_grams->shape[0];
  absl::StatusOr<SubwordIndex> index = ReadIndex({*file, header, rows});
  if (!index.ok()) {
    // Errors in a list do not contain the name of the file.
    return absl::StartsWith(index.status().message(), file->path())
               ? index.status()
               : absl::InvalidArgumentError(absl::StrCat(
                     file->path(), ": n-grams: ", index.status().message()));
  }
  SubwordTables subwords;
  subwords.index = *std::move(index);
  FIRTH_ASSIGN_OR_RETURN(subwords.n_grams,
                         ReadTable(file, *n_grams, rows, dim, all_finite));
  const TensorEntry* own = header.Find(kWords);
  if (own == nullptr) return subwords;
  if (!IsOfShape(own, "F32", {words, dim})) {
    return BadTensor(*file, kWords,
                     absl::StrCat("F32 [", words, ", ", dim, "]"), own);
  }
  FIRTH_ASSIGN_OR_RETURN(subwords.words,
                         ReadTable(file, *own, words, dim, all_finite));
  return subwords;
}

void AddSubwordTensors(const SubwordTables& subwords,
                       SafetensorsWriter* writer) {
  const SubwordIndex& index = subwords.index;
  if (!subwords.words.empty()) {
    writer->AddTable(kWords, "F32", subwords.words);
  }
  writer->AddTable(kNGrams, "F32", subwords.n_grams);
  AddOptions(index.options(), &writer->metadata());
  if (std::holds_alternative<BucketSubwords>(index.options())) {
    writer->AddNumbers(kBuckets, "U32", index.Buckets());
  } else if (std::holds_alternative<ExplicitSubwords>(index.options())) {
    if (!index.NGramRows().empty()) {
      writer->AddNumbers(kNGramRows, "U32", index.NGramRows());
    }
    writer->AddTexts(kTexts, index.RowNGrams());
  }
}

bool IsOfSubwordIndex(absl::string_view tensor) {
  return tensor == kWords || tensor == kBuckets || tensor == kTexts ||
         tensor == kNGramRows;
}

}  // namespace firth
