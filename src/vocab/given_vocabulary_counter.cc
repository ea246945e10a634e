// Counts with an existing vocabulary: words are looked up, and unknown ones are
// dropped immediately.

#include <algorithm>
#include <optional>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "distributed/agreement.h"
#include "firth/status_macros.h"
#include "vocab/word_counter.h"

namespace firth {
namespace {

// Maximum bytes of an absl::flat_hash_set per hash, including its free slots.
constexpr uint64_t kBytesPerHash = 24;

class GivenVocabularyCounter final : public WordCounter {
 public:
  GivenVocabularyCounter(const Vocabulary& vocabulary, uint64_t memory_bytes,
                         bool may_find_none)
      : may_find_none_(may_find_none),
        vocabulary_(vocabulary),
        counts_(vocabulary.size(), 0),
        most_unknown_(memory_bytes / kBytesPerHash) {}

  void Prepare(const BlockWords& words,
               std::vector<uint32_t>* ids) const override {
    ids->resize(words.size());
    for (size_t i = 0; i < words.size(); ++i) {
      const std::optional<WordId> word =
          vocabulary_.Find(words.View(words.words()[i]));
      (*ids)[i] =
          word.has_value() ? static_cast<uint32_t>(Index(*word)) : kUnknown;
    }
  }

  absl::Status Merge(const BlockWords& words,
                     std::vector<uint32_t>* ids) override {
    for (size_t i = 0; i < words.size(); ++i) {
      const uint64_t count = words.counts()[i];
      if ((*ids)[i] == kUnknown) {
        unknown_tokens_ += count;
        if (unknown_.size() < most_unknown_) {
          unknown_types_ += unknown_.insert(words.words()[i].key.hash).second;
        }
      } else {
        known_types_ += counts_[(*ids)[i]] == 0;
        counts_[(*ids)[i]] += count;
      }
    }
    return absl::OkStatus();
  }

  uint64_t types() const override { return known_types_ + unknown_types_; }

  absl::StatusOr<Result> MakeVocabulary(Ranks* ranks,
                                        CorpusReport* report) override {
    if (ranks != nullptr) FIRTH_RETURN_IF_ERROR(AddRanks(*ranks));
    report->types_seen = types();
    report->types_kept = vocabulary_.size();
    report->dropped_not_given = unknown_tokens_;
    report->words_kept =
        report->tokens - report->dropped_too_long - unknown_tokens_;
    if (report->words_kept == 0 && !may_find_none_) {
      return absl::InvalidArgumentError(
          absl::StrCat("none of the ", vocabulary_.size(),
                       " words of the given vocabulary occurs in the ",
                       report->tokens, " tokens of the text"));
    }
    Result result;
    result.vocabulary = vocabulary_;
    if (vocabulary_.total_count() > 0) return result;
    FIRTH_ASSIGN_OR_RETURN(result.vocabulary,
                           Vocabulary::Create(vocabulary_.Words(), counts_));
    return result;
  }

 private:
  // Replaces the counts by those of all ranks. Each rank counts the distinct
  // unknown words whose hashes belong to it.
  absl::Status AddRanks(Ranks& ranks) {
    std::vector<std::string> to(static_cast<size_t>(ranks.size()));
    for (const uint64_t hash : unknown_) {
      Pack(hash, &to[(hash >> 32) % to.size()]);
    }
    FIRTH_ASSIGN_OR_RETURN(const std::vector<std::string> from,
                           ranks.Exchange(to));
    unknown_.clear();
    for (absl::string_view in : from) {
      while (!in.empty()) unknown_.insert(Unpack<uint64_t>(&in));
    }
    uint64_t sums[] = {unknown_tokens_, unknown_.size()};
    FIRTH_RETURN_IF_ERROR(ranks.Sum(absl::MakeSpan(sums)));
    FIRTH_RETURN_IF_ERROR(ranks.Sum(absl::MakeSpan(counts_)));
    unknown_tokens_ = sums[0];
    unknown_types_ = sums[1];
    known_types_ = counts_.size() - static_cast<uint64_t>(std::count(
                                        counts_.begin(), counts_.end(), 0));
    return absl::OkStatus();
  }

  const bool may_find_none_;
  Vocabulary vocabulary_;
  std::vector<uint64_t> counts_;
  uint64_t known_types_ = 0;
  uint64_t unknown_tokens_ = 0;
  uint64_t unknown_types_ = 0;
  uint64_t most_unknown_;
  absl::flat_hash_set<uint64_t> unknown_;
};

}  // namespace

std::unique_ptr<WordCounter> MakeGivenVocabularyCounter(
    const Vocabulary& vocabulary, uint64_t memory_bytes, bool may_find_none) {
  return std::make_unique<GivenVocabularyCounter>(vocabulary, memory_bytes,
                                                  may_find_none);
}

}  // namespace firth
