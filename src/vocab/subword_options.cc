// The fields of the options for n-grams, and the checks that they are
// consistent.

#include <bit>
#include <variant>

#include "absl/strings/str_cat.h"
#include "firth/fields.h"
#include "firth/status_macros.h"
#include "firth/subwords.h"

namespace firth {
namespace {

template <class Subwords>
void AddLengths(FieldsOf<Subwords>* fields) {
  fields
      ->Add("min-n", &Subwords::min_n,
            "minimum length of character n-grams, in characters, including the "
            "< and > that mark the ends of a word")
      .Range(1, 100)
      .Shape();
  fields
      ->Add("max-n", &Subwords::max_n,
            "maximum length of character n-grams, in characters")
      .Range(1, 100)
      .Shape();
}

// kNoRow, which means that there is no row, must not be a bucket.
template <class Subwords>
void AddBuckets(FieldsOf<Subwords>* fields) {
  fields
      ->Add("buckets", &Subwords::buckets, "number of hash buckets for n-grams")
      .Range(1, SubwordIndex::kNoRow - 1)
      .Shape();
}

absl::Status CheckLengths(int min_n, int max_n) {
  if (min_n <= max_n) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("min-n: must be 1 to max-n (", max_n, "), found ", min_n));
}

absl::Status Check(const NoSubwords&) { return absl::OkStatus(); }
absl::Status Check(const BucketSubwords& options) {
  FIRTH_RETURN_IF_ERROR(CheckFields(options));
  FIRTH_RETURN_IF_ERROR(CheckLengths(options.min_n, options.max_n));
  if (options.hash != BucketHash::kFinalfusion ||
      std::has_single_bit(options.buckets)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "buckets: finalfusion requires a power of 2, found ", options.buckets));
}
template <class Subwords>
absl::Status Check(const Subwords& options) {
  FIRTH_RETURN_IF_ERROR(CheckFields(options));
  return CheckLengths(options.min_n, options.max_n);
}

}  // namespace

FieldTable BucketSubwords::Fields() {
  FieldsOf<BucketSubwords> fields;
  AddLengths(&fields);
  AddBuckets(&fields);
  fields
      .Add("missing-count", &BucketSubwords::missing_count,
           "count n-grams without a row as zero vectors in the mean of a word")
      .Shape()
      .Unlisted();
  fields
      .Choice("hash", &BucketSubwords::hash, {"fasttext", "finalfusion"},
              "choose the hash function that maps n-grams to buckets")
      .Shape()
      .Unlisted();
  return fields;
}

FieldTable ExplicitSubwords::Fields() {
  FieldsOf<ExplicitSubwords> fields;
  AddLengths(&fields);
  fields
      .Add("ngram-min-count", &ExplicitSubwords::min_count,
           "drop n-grams that occur less often than this in the text")
      .Range(1, Field::kUnlimited)
      .Habit();
  return fields;
}

FieldTable FloretSubwords::Fields() {
  FieldsOf<FloretSubwords> fields;
  AddLengths(&fields);
  AddBuckets(&fields);
  fields.Add("hashes", &FloretSubwords::hashes, "number of rows per n-gram")
      .Range(1, 4)
      .Shape();
  fields
      .Add("hash-seed", &FloretSubwords::seed,
           "set the seed of the hash function")
      .Shape()
      .Unlisted();
  fields
      .Add("word-begin", &FloretSubwords::word_begin,
           "string that marks the beginning of a word")
      .Shape()
      .Unlisted();
  fields
      .Add("word-end", &FloretSubwords::word_end,
           "string that marks the end of a word")
      .Shape()
      .Unlisted();
  return fields;
}

absl::Status Validate(const SubwordOptions& options) {
  return std::visit([](const auto& chosen) { return Check(chosen); }, options);
}

}  // namespace firth
