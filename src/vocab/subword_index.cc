#include <array>
#include <numeric>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "firth/subwords.h"
#include "vocab/character_ngrams.h"

namespace firth {
namespace {

absl::Status ValidateLengths(int min_n, int max_n) {
  if (max_n < 1 || max_n > 100) {
    return absl::InvalidArgumentError(
        absl::StrCat("max-n: expected 1 to 100, found ", max_n));
  }
  if (min_n >= 1 && min_n <= max_n) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("min-n: expected 1 to max-n, ", max_n, ", found ", min_n));
}

absl::Status ValidateOptions(const NoSubwords&) { return absl::OkStatus(); }
absl::Status ValidateOptions(const BucketSubwords& options) {
  FIRTH_RETURN_IF_ERROR(ValidateLengths(options.min_n, options.max_n));
  // A row that is none has a number, too.
  if (options.buckets >= 1 && options.buckets < SubwordIndex::kNoRow) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("buckets: expected 1 to ",
                                                 SubwordIndex::kNoRow - 1,
                                                 ", found ", options.buckets));
}
absl::Status ValidateOptions(const ExplicitSubwords& options) {
  FIRTH_RETURN_IF_ERROR(ValidateLengths(options.min_n, options.max_n));
  if (options.min_count >= 1) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "n-gram min-count: expected 1 or more, found 0");
}

absl::Status ValidateOptions(const FloretSubwords& options) {
  FIRTH_RETURN_IF_ERROR(ValidateLengths(options.min_n, options.max_n));
  if (options.buckets < 1 || options.buckets >= SubwordIndex::kNoRow) {
    return absl::InvalidArgumentError(
        absl::StrCat("buckets: expected 1 to ", SubwordIndex::kNoRow - 1,
                     ", found ", options.buckets));
  }
  if (options.hashes >= 1 && options.hashes <= 4) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("hashes: expected 1 to 4, found ", options.hashes));
}

// Which of the rising numbers below `end` has a place: its position, or kNoRow.
// Memory goes by the numbers, not by `end`, which a file may claim.
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

  // number < end
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
  std::vector<uint32_t> first_;  // position of the first with these upper bits
};

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

}  // namespace

absl::Status Validate(const SubwordOptions& options) {
  return std::visit([](const auto& chosen) { return ValidateOptions(chosen); },
                    options);
}

bool WordsHaveRows(const SubwordOptions& options) {
  return !std::holds_alternative<FloretSubwords>(options);
}

struct SubwordIndex::Body {
  SubwordOptions options;
  size_t rows = 0;
  RisingNumbers buckets;  // BucketSubwords: those that have a row
  Vocabulary n_grams;     // ExplicitSubwords: ids are rows

  // Of one n-gram.
  absl::InlinedVector<uint32_t, 4> RowsOf(const BucketSubwords& chosen,
                                          absl::string_view n_gram) const {
    const uint32_t row = buckets.Find(NGramHash(n_gram) % chosen.buckets);
    if (row == kNoRow) return {};
    return {row};
  }
  absl::InlinedVector<uint32_t, 4> RowsOf(const ExplicitSubwords&,
                                          absl::string_view n_gram) const {
    const std::optional<WordId> found = n_grams.Find(n_gram);
    if (!found.has_value()) return {};
    return {static_cast<uint32_t>(*found)};
  }
  absl::InlinedVector<uint32_t, 4> RowsOf(const FloretSubwords& chosen,
                                          absl::string_view n_gram) const {
    const std::array<uint32_t, 4> hashes = FloretHashes(n_gram, chosen.seed);
    absl::InlinedVector<uint32_t, 4> rows;
    for (int i = 0; i < chosen.hashes; ++i) {
      rows.push_back(hashes[static_cast<size_t>(i)] % chosen.buckets);
    }
    return rows;
  }

  // visit(n_gram, rows) for the n-grams of a word.
  template <class Visit>
  void ForEachRows(absl::string_view word, Visit visit) const {
    std::visit(
        [&](const auto& chosen) {
          if constexpr (requires { chosen.hashes; }) {
            const std::string marked = absl::StrCat("<", word, ">");
            visit(marked, RowsOf(chosen, marked));
          }
          if constexpr (requires { chosen.min_n; }) {
            ForEachNGram(word, chosen.min_n, chosen.max_n,
                         [&](absl::string_view n_gram) {
                           visit(n_gram, RowsOf(chosen, n_gram));
                         });
          }
        },
        options);
  }
};

SubwordIndex::SubwordIndex() : body_(std::make_shared<const Body>()) {}

SubwordIndex::SubwordIndex(std::shared_ptr<const Body> body)
    : body_(std::move(body)) {}

absl::StatusOr<SubwordIndex> SubwordIndex::OfBuckets(
    const BucketSubwords& options, std::vector<uint32_t> buckets) {
  FIRTH_RETURN_IF_ERROR(ValidateOptions(options));
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
  FIRTH_RETURN_IF_ERROR(ValidateOptions(options));
  auto body = std::make_shared<Body>();
  body->options = options;
  body->rows = options.buckets;
  return SubwordIndex(std::move(body));
}

absl::StatusOr<SubwordIndex> SubwordIndex::OfNGrams(
    const ExplicitSubwords& options,
    absl::Span<const absl::string_view> n_grams) {
  FIRTH_RETURN_IF_ERROR(ValidateOptions(options));
  auto body = std::make_shared<Body>();
  body->options = options;
  body->rows = n_grams.size();
  FIRTH_ASSIGN_OR_RETURN(body->n_grams, Vocabulary::Create(n_grams, {}));
  return SubwordIndex(std::move(body));
}

namespace {

absl::StatusOr<SubwordIndex> MakeIndex(const NoSubwords&, const Vocabulary&) {
  return SubwordIndex();
}

absl::StatusOr<SubwordIndex> MakeIndex(const BucketSubwords& options,
                                       const Vocabulary& vocabulary) {
  std::vector<bool> used(options.buckets);
  ForEachNGramOfVocabulary(vocabulary, options.min_n, options.max_n,
                           [&](absl::string_view n_gram, uint64_t) {
                             used[NGramHash(n_gram) % options.buckets] = true;
                           });
  std::vector<uint32_t> buckets;
  for (uint32_t bucket = 0; bucket < options.buckets; ++bucket) {
    if (used[bucket]) buckets.push_back(bucket);
  }
  return SubwordIndex::OfBuckets(options, std::move(buckets));
}

absl::StatusOr<SubwordIndex> MakeIndex(const FloretSubwords& options,
                                       const Vocabulary&) {
  return SubwordIndex::OfFloret(options);
}

// Rows are in the order in which the words of the vocabulary show them.
absl::StatusOr<SubwordIndex> MakeIndex(const ExplicitSubwords& options,
                                       const Vocabulary& vocabulary) {
  absl::flat_hash_map<std::string, uint64_t> counts;
  ForEachNGramOfVocabulary(vocabulary, options.min_n, options.max_n,
                           [&](absl::string_view n_gram, uint64_t count) {
                             counts[n_gram] += count;
                           });
  std::vector<absl::string_view> frequent;
  ForEachNGramOfVocabulary(vocabulary, options.min_n, options.max_n,
                           [&](absl::string_view n_gram, uint64_t) {
                             const auto found = counts.find(n_gram);
                             if (found->second < options.min_count) return;
                             frequent.push_back(found->first);
                             found->second = 0;  // it has a row now
                           });
  return SubwordIndex::OfNGrams(options, frequent);
}

}  // namespace

absl::StatusOr<SubwordIndex> SubwordIndex::Create(
    const SubwordOptions& options, const Vocabulary& vocabulary) {
  FIRTH_RETURN_IF_ERROR(Validate(options));
  return std::visit(
      [&](const auto& chosen) { return MakeIndex(chosen, vocabulary); },
      options);
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
  std::vector<absl::string_view> n_grams;
  n_grams.reserve(body_->n_grams.size());
  for (size_t row = 0; row < body_->n_grams.size(); ++row) {
    n_grams.push_back(body_->n_grams.Word(ToWordId(row)));
  }
  return n_grams;
}

}  // namespace firth
