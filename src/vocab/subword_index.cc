// Maps a word to the rows of its n-grams. There are three kinds of n-grams,
// with overloads for their differences:
//
//   ForEachNGramOfWord   the n-grams of a word
//   RowsOf               the rows of an n-gram
//   MakeIndex            the n-grams of a vocabulary that get rows
//
// BucketSubwords hashes an n-gram to a bucket; only buckets that some word of
// the vocabulary uses have a row. ExplicitSubwords lists its n-grams, and other
// n-grams have no row. FloretSubwords hashes an n-gram to several rows of a
// table of fixed size, so nothing has to be stored.
//
// The fields of the options for n-grams, and the checks that they are
// consistent, are also here.

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <optional>
#include <utility>
#include <variant>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "base/saturated.h"
#include "firth/fields.h"
#include "firth/status_macros.h"
#include "firth/subwords.h"
#include "vocab/character_ngrams.h"

namespace firth {
namespace {

// A list of ascending numbers below `end`, with a fast search for the position
// of a number. They are grouped by their upper bits, so that a group has about
// one number. The memory depends on the number of entries and not on `end`,
// which may be large in a file.
class RisingNumbers {
 public:
  RisingNumbers() = default;
  RisingNumbers(std::vector<uint32_t> numbers, uint32_t end)
      : numbers_(std::move(numbers)) {
    while ((end >> shift_) > numbers_.size() + 1) ++shift_;
    first_.resize((size_t{end} >> shift_) + 2);
    for (const uint32_t number : numbers_) ++first_[(number >> shift_) + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
  }

  // Returns the position of `number`, which must be below `end`, or kNoRow if
  // it is not in the list.
  uint32_t Find(uint32_t number) const {
    const uint32_t last = first_[(number >> shift_) + 1];
    for (uint32_t i = first_[number >> shift_]; i < last; ++i) {
      if (numbers_[i] == number) return i;
    }
    return SubwordIndex::kNoRow;
  }
  const std::vector<uint32_t>& numbers() const { return numbers_; }

 private:
  std::vector<uint32_t> numbers_;
  int shift_ = 0;
  // Position of the first number with these upper bits.
  std::vector<uint32_t> first_;
};

uint32_t BucketOf(const BucketSubwords& options, absl::string_view n_gram) {
  return options.hash == BucketHash::kFasttext
             ? NGramHash(n_gram) % options.buckets
             : static_cast<uint32_t>(FinalfusionHash(n_gram) % options.buckets);
}

template <class Visit>
void ForEachNGramOfWord(const BucketSubwords& options, absl::string_view word,
                        Visit visit) {
  if (options.hash == BucketHash::kFasttext) {
    ForEachNGram(word, options.min_n, options.max_n, visit);
  } else {
    ForEachNGramOfMarked(absl::StrCat("<", word, ">"), options.min_n,
                         options.max_n, /*marks_alone=*/true, visit);
  }
}

// The whole word with its marks comes first.
template <class Visit>
void ForEachNGramOfWord(const FloretSubwords& options, absl::string_view word,
                        Visit visit) {
  const std::string marked =
      absl::StrCat(options.word_begin, word, options.word_end);
  visit(absl::string_view(marked));
  if (word == kSentenceEndWord) return;
  ForEachNGramOfMarked(marked, options.min_n, options.max_n,
                       /*marks_alone=*/false, visit);
}

template <class Visit>
void ForEachNGramOfVocabulary(const Vocabulary& vocabulary, int min_n,
                              int max_n, Visit visit) {
  for (size_t i = 0; i < vocabulary.size(); ++i) {
    const WordId word = ToWordId(i);
    ForEachNGram(vocabulary.Word(word), min_n, max_n,
                 [&](absl::string_view n_gram) {
                   visit(n_gram, vocabulary.Count(word));
                 });
  }
}

template <class Subwords>
void AddLengths(FieldsOf<Subwords>* fields) {
  fields->Add(
      "min-n", &Subwords::min_n,
      "minimum length of character n-grams, in characters, including the "
      "< and > that mark the ends of a word",
      Field().Range(1, 100).Shape());
  fields->Add("max-n", &Subwords::max_n,
              "maximum length of character n-grams, in characters",
              Field().Range(1, 100).Shape());
}

// kNoRow, which means that there is no row, must not be a bucket.
template <class Subwords>
void AddBuckets(FieldsOf<Subwords>* fields) {
  fields->Add("buckets", &Subwords::buckets,
              "number of hash buckets for n-grams",
              Field().Range(1, SubwordIndex::kNoRow - 1).Shape());
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

bool WordsHaveRows(const SubwordOptions& options) {
  return !std::holds_alternative<FloretSubwords>(options);
}

struct SubwordIndex::Body {
  SubwordOptions options;
  size_t rows = 0;
  RisingNumbers buckets;  // BucketSubwords: position i has the bucket of row i.
  // ExplicitSubwords: the n-gram with id i has row[i], or row i if `row` is
  // empty because no two n-grams share a row. marks_alone: whether "<" or ">"
  // is an n-gram.
  Vocabulary n_grams;
  std::vector<uint32_t> row;
  bool marks_alone = false;

  // Returns the rows of one n-gram.
  absl::InlinedVector<uint32_t, 4> RowsOf(const BucketSubwords& chosen,
                                          absl::string_view n_gram) const {
    const uint32_t found = buckets.Find(BucketOf(chosen, n_gram));
    if (found == kNoRow) return {};
    return {found};
  }
  absl::InlinedVector<uint32_t, 4> RowsOf(const ExplicitSubwords&,
                                          absl::string_view n_gram) const {
    const std::optional<WordId> found = n_grams.Find(n_gram);
    if (!found.has_value()) return {};
    return {row.empty() ? static_cast<uint32_t>(*found) : row[Index(*found)]};
  }
  absl::InlinedVector<uint32_t, 4> RowsOf(const FloretSubwords& chosen,
                                          absl::string_view n_gram) const {
    const std::array<uint32_t, 4> hashes = FloretHashes(n_gram, chosen.seed);
    absl::InlinedVector<uint32_t, 4> found;
    for (int i = 0; i < chosen.hashes; ++i) {
      found.push_back(hashes[static_cast<size_t>(i)] % chosen.buckets);
    }
    return found;
  }

  // Calls visit(n_gram, rows) for the n-grams of a word.
  template <class Visit>
  void ForEachRows(absl::string_view word, Visit visit) const {
    const auto visit_all = [&](const auto& chosen) {
      ForEachNGramOfWord(chosen, word, [&](absl::string_view n_gram) {
        visit(n_gram, RowsOf(chosen, n_gram));
      });
    };
    if (const auto* by_hash = std::get_if<BucketSubwords>(&options)) {
      visit_all(*by_hash);
    } else if (const auto* floret = std::get_if<FloretSubwords>(&options)) {
      visit_all(*floret);
    } else if (const auto* listed = std::get_if<ExplicitSubwords>(&options)) {
      if (word == kSentenceEndWord) return;
      ForEachNGramOfMarked(absl::StrCat("<", word, ">"), listed->min_n,
                           listed->max_n, marks_alone,
                           [&](absl::string_view n_gram) {
                             visit(n_gram, RowsOf(*listed, n_gram));
                           });
    }
  }
};

SubwordIndex::SubwordIndex() : body_(std::make_shared<const Body>()) {}

SubwordIndex::SubwordIndex(std::shared_ptr<const Body> body)
    : body_(std::move(body)) {}

absl::StatusOr<SubwordIndex> SubwordIndex::OfBuckets(
    const BucketSubwords& options, std::vector<uint32_t> buckets) {
  FIRTH_RETURN_IF_ERROR(Validate(options));
  auto body = std::make_shared<Body>();
  body->options = options;
  body->rows = buckets.size();
  for (size_t row = 0; row < buckets.size(); ++row) {
    if (buckets[row] >= options.buckets ||
        (row > 0 && buckets[row] <= buckets[row - 1])) {
      return absl::InvalidArgumentError(absl::StrCat(
          "row ", row, ": expected a bucket below ", options.buckets,
          row > 0 ? absl::StrCat(" and above ", buckets[row - 1]) : "",
          ", found ", buckets[row]));
    }
  }
  body->buckets = RisingNumbers(std::move(buckets), options.buckets);
  return SubwordIndex(std::move(body));
}

absl::StatusOr<SubwordIndex> SubwordIndex::OfFloret(
    const FloretSubwords& options) {
  FIRTH_RETURN_IF_ERROR(Validate(options));
  auto body = std::make_shared<Body>();
  body->options = options;
  body->rows = options.buckets;
  return SubwordIndex(std::move(body));
}

namespace {

// Returns the number of rows, each of which must have an n-gram.
absl::StatusOr<size_t> CountRows(const std::vector<uint32_t>& rows) {
  std::vector<bool> used(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] < rows.size()) {
      used[rows[i]] = true;
      continue;
    }
    return absl::InvalidArgumentError(
        absl::StrCat("n-gram ", i, ": expected a row below ", rows.size(),
                     ", the number of n-grams, found ", rows[i]));
  }
  const auto unused = std::find(used.begin(), used.end(), false);
  if (std::find(unused, used.end(), true) == used.end()) {
    return static_cast<size_t>(unused - used.begin());
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "every row needs an n-gram, but none has row ", unused - used.begin()));
}

bool IsIdentity(const std::vector<uint32_t>& rows) {
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] != i) return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<SubwordIndex> SubwordIndex::OfNGrams(
    const ExplicitSubwords& options,
    absl::Span<const absl::string_view> n_grams, std::vector<uint32_t> rows) {
  FIRTH_RETURN_IF_ERROR(Validate(options));
  auto body = std::make_shared<Body>();
  body->options = options;
  body->rows = n_grams.size();
  if (!rows.empty() && rows.size() != n_grams.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a row for each of ", n_grams.size(),
                     " n-grams, found ", rows.size()));
  }
  if (!IsIdentity(rows)) {
    FIRTH_ASSIGN_OR_RETURN(body->rows, CountRows(rows));
    body->row = std::move(rows);
  }
  FIRTH_ASSIGN_OR_RETURN(body->n_grams, Vocabulary::Create(n_grams, {}));
  body->marks_alone = body->n_grams.Find("<").has_value() ||
                      body->n_grams.Find(">").has_value();
  return SubwordIndex(std::move(body));
}

namespace {

absl::StatusOr<SubwordIndex> MakeIndex(const NoSubwords&, const Vocabulary&,
                                       const SubwordIndex&) {
  return SubwordIndex();
}

// Adds rows for the n-grams of the vocabulary to those that `known` has.
absl::StatusOr<SubwordIndex> MakeIndex(const BucketSubwords& options,
                                       const Vocabulary& vocabulary,
                                       const SubwordIndex& known) {
  std::vector<bool> used(options.buckets);
  for (const uint32_t bucket : known.Buckets()) used[bucket] = true;
  for (size_t i = 0; i < vocabulary.size(); ++i) {
    ForEachNGramOfWord(options, vocabulary.Word(ToWordId(i)),
                       [&](absl::string_view n_gram) {
                         used[BucketOf(options, n_gram)] = true;
                       });
  }
  std::vector<uint32_t> buckets;
  for (uint32_t bucket = 0; bucket < options.buckets; ++bucket) {
    if (used[bucket]) buckets.push_back(bucket);
  }
  return SubwordIndex::OfBuckets(options, std::move(buckets));
}

absl::StatusOr<SubwordIndex> MakeIndex(const FloretSubwords& options,
                                       const Vocabulary&, const SubwordIndex&) {
  return SubwordIndex::OfFloret(options);
}

// New rows are in the order of appearance in the words of the vocabulary.
absl::StatusOr<SubwordIndex> MakeIndex(const ExplicitSubwords& options,
                                       const Vocabulary& vocabulary,
                                       const SubwordIndex& known) {
  absl::flat_hash_map<std::string, uint64_t> counts;
  ForEachNGramOfVocabulary(vocabulary, options.min_n, options.max_n,
                           [&](absl::string_view n_gram, uint64_t count) {
                             uint64_t& sum = counts[n_gram];
                             sum = AddSaturated(sum, count);
                           });
  std::vector<absl::string_view> frequent = known.RowNGrams();
  for (const absl::string_view n_gram : frequent) counts[n_gram] = 0;
  ForEachNGramOfVocabulary(vocabulary, options.min_n, options.max_n,
                           [&](absl::string_view n_gram, uint64_t) {
                             const auto found = counts.find(n_gram);
                             if (found->second < options.min_count) return;
                             frequent.push_back(found->first);
                             found->second = 0;  // It has a row now.
                           });
  std::vector<uint32_t> rows(known.NGramRows().begin(),
                             known.NGramRows().end());
  if (!rows.empty()) {
    auto row = static_cast<uint32_t>(known.rows());
    while (rows.size() < frequent.size()) rows.push_back(row++);
  }
  return SubwordIndex::OfNGrams(options, frequent, std::move(rows));
}

}  // namespace

absl::StatusOr<SubwordIndex> SubwordIndex::Create(
    const SubwordOptions& options, const Vocabulary& vocabulary) {
  FIRTH_RETURN_IF_ERROR(Validate(options));
  return std::visit(
      [&](const auto& chosen) {
        return MakeIndex(chosen, vocabulary, SubwordIndex());
      },
      options);
}

absl::StatusOr<SubwordIndex> SubwordIndex::Grown(
    const Vocabulary& vocabulary) const {
  return std::visit(
      [&](const auto& chosen) { return MakeIndex(chosen, vocabulary, *this); },
      options());
}

const SubwordOptions& SubwordIndex::options() const { return body_->options; }

size_t SubwordIndex::rows() const { return body_->rows; }

size_t SubwordIndex::AppendRows(absl::string_view word,
                                std::vector<uint32_t>* rows) const {
  const auto* buckets = std::get_if<BucketSubwords>(&body_->options);
  const size_t missing = buckets != nullptr && buckets->missing_count ? 1 : 0;
  size_t count = 0;
  body_->ForEachRows(word, [&](absl::string_view, const auto& found) {
    rows->insert(rows->end(), found.begin(), found.end());
    count += found.empty() ? missing : found.size();
  });
  return count;
}

std::vector<SubwordIndex::NGram> SubwordIndex::NGrams(
    absl::string_view word) const {
  std::vector<NGram> n_grams;
  body_->ForEachRows(word, [&](absl::string_view n_gram, const auto& rows) {
    n_grams.push_back({std::string(n_gram), {rows.begin(), rows.end()}});
  });
  return n_grams;
}

absl::Span<const uint32_t> SubwordIndex::Buckets() const {
  return body_->buckets.numbers();
}

std::vector<absl::string_view> SubwordIndex::RowNGrams() const {
  return body_->n_grams.Words();
}

absl::Span<const uint32_t> SubwordIndex::NGramRows() const {
  return body_->row;
}

FieldTable BucketSubwords::Fields() {
  FieldsOf<BucketSubwords> fields;
  AddLengths(&fields);
  AddBuckets(&fields);
  fields.Add(
      "missing-count", &BucketSubwords::missing_count,
      "count n-grams without a row as zero vectors in the mean of a word",
      Field().Shape().Unlisted());
  fields.Choice("hash", &BucketSubwords::hash, {"fasttext", "finalfusion"},
                "choose the hash function that maps n-grams to buckets",
                Field().Shape().Unlisted());
  return fields;
}

FieldTable ExplicitSubwords::Fields() {
  FieldsOf<ExplicitSubwords> fields;
  AddLengths(&fields);
  fields.Add("ngram-min-count", &ExplicitSubwords::min_count,
             "drop n-grams that occur less often than this in the text",
             Field().Range(1, Field::kUnlimited).Habit());
  return fields;
}

FieldTable FloretSubwords::Fields() {
  FieldsOf<FloretSubwords> fields;
  AddLengths(&fields);
  AddBuckets(&fields);
  fields.Add("hashes", &FloretSubwords::hashes, "number of rows per n-gram",
             Field().Range(1, 4).Shape());
  fields.Add("hash-seed", &FloretSubwords::seed,
             "set the seed of the hash function", Field().Shape().Unlisted());
  fields.Add("word-begin", &FloretSubwords::word_begin,
             "string that marks the beginning of a word",
             Field().Shape().Unlisted());
  fields.Add("word-end", &FloretSubwords::word_end,
             "string that marks the end of a word", Field().Shape().Unlisted());
  return fields;
}

absl::Status Validate(const SubwordOptions& options) {
  return std::visit([](const auto& chosen) { return Check(chosen); }, options);
}

}  // namespace firth
