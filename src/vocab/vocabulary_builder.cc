// The vocabulary of a reading: count all words, keep the frequent ones.

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "vocab/word_counter.h"
#include "vocab/word_table.h"

namespace firth {
namespace {

using Entry = WordTable::Entry;

constexpr size_t kPrefetchAhead = 8;

// By count, ties by first appearance.
bool MoreFrequent(const Entry* a, const Entry* b) {
  return a->count != b->count ? a->count > b->count : a->id < b->id;
}

class VocabularyBuilder final : public WordCounter {
 public:
  VocabularyBuilder(const VocabularyOptions& options, uint64_t memory_bytes,
                    ProgressSink* progress)
      : options_(options), memory_bytes_(memory_bytes), progress_(progress) {}

  void Prepare(const BlockWords& words,
               std::vector<uint32_t>* ids) const override {
    ids->resize(words.size());
  }

  absl::Status Merge(const BlockWords& words,
                     std::vector<uint32_t>* ids) override {
    const auto list = words.words();
    if (WordTable::kMostIds - table_.next_id() - 2 < list.size()) {
      return absl::ResourceExhaustedError(
          "expected fewer than 2^32 - 2 different words, found more");
    }
    for (size_t i = 0; i < list.size(); ++i) {
      if (i + kPrefetchAhead < list.size()) {
        table_.Prefetch(list[i + kPrefetchAhead].key.hash);
      }
      (*ids)[i] =
          table_.Add(words.View(list[i]), list[i].key.hash, words.counts()[i]);
    }
    // Once a block, in the order of blocks: what is pruned does not depend on
    // the number of threads.
    if (table_.MemoryBytes() > memory_bytes_) Prune();
    return absl::OkStatus();
  }

  uint64_t types() const override { return table_.size(); }

  absl::StatusOr<Result> Finish(CorpusReport* report) override {
    report->types_seen = table_.next_id();
    report->dropped_pruned = pruned_tokens_;
    FIRTH_ASSIGN_OR_RETURN(std::vector<const Entry*> kept, Select(report));
    std::vector<absl::string_view> words(kept.size());
    std::vector<uint64_t> counts(kept.size());
    for (size_t i = 0; i < kept.size(); ++i) {
      words[i] = kept[i]->word();
      counts[i] = kept[i]->count;
    }
    Result result;
    FIRTH_ASSIGN_OR_RETURN(result.vocabulary,
                           Vocabulary::Create(words, std::move(counts)));
    report->types_kept = kept.size();
    report->words_kept = result.vocabulary.total_count();
    result.map = MakeMap(std::move(kept));
    return result;
  }

 private:
  void Prune() {
    const WordTable::Dropped dropped = table_.Prune(memory_bytes_ / 4 * 3);
    pruned_tokens_ += dropped.tokens;
    if (progress_ == nullptr) return;
    progress_->OnWarning(absl::StrCat(
        "the words seen take more than ", memory_bytes_ >> 20, " MiB: dropped ",
        dropped.types, " words that occurred up to ", dropped.threshold,
        dropped.threshold == 1 ? " time" : " times", " so far (",
        dropped.tokens,
        " tokens); counts of rare words are now "
        "too low. Allow more memory to avoid this"));
  }

  absl::StatusOr<std::vector<const Entry*>> Select(CorpusReport* report) const {
    std::vector<const Entry*> kept;
    const Entry* most_frequent = nullptr;
    for (size_t i = 0; i < table_.size(); ++i) {
      const Entry& entry = table_.entry(i);
      if (most_frequent == nullptr || MoreFrequent(&entry, most_frequent)) {
        most_frequent = &entry;
      }
      if (entry.count >= options_.min_count) {
        kept.push_back(&entry);
      } else {
        report->dropped_min_count += entry.count;
      }
    }
    if (kept.empty()) return NothingKept(most_frequent);
    std::sort(kept.begin(), kept.end(), MoreFrequent);
    while (options_.max_vocab > 0 && kept.size() > options_.max_vocab) {
      report->dropped_max_vocab += kept.back()->count;
      kept.pop_back();
    }
    return kept;
  }

  absl::Status NothingKept(const Entry* most_frequent) const {
    if (most_frequent == nullptr) {
      return absl::InvalidArgumentError(
          "every word was pruned to save memory: allow more");
    }
    return absl::InvalidArgumentError(
        absl::StrCat("expected words that occur at least ", options_.min_count,
                     " times (min-count), found at most ", most_frequent->count,
                     ", for \"", most_frequent->word().substr(0, 100), "\""));
  }

  // `kept` is in the order of the new ids.
  std::unique_ptr<IdMap> MakeMap(std::vector<const Entry*> kept) const {
    std::vector<std::pair<uint32_t, uint32_t>> pairs(kept.size());
    for (size_t i = 0; i < kept.size(); ++i) {
      pairs[i] = {kept[i]->id, static_cast<uint32_t>(i)};
    }
    std::sort(pairs.begin(), pairs.end());
    auto map = std::make_unique<IdMap>(table_.next_id());
    for (const auto& [old_id, new_id] : pairs) map->Add(old_id, new_id);
    map->Seal();
    return map;
  }

  VocabularyOptions options_;
  uint64_t memory_bytes_;
  ProgressSink* progress_;
  WordTable table_;
  uint64_t pruned_tokens_ = 0;
};

}  // namespace

std::unique_ptr<WordCounter> MakeVocabularyBuilder(
    const VocabularyOptions& options, uint64_t memory_bytes,
    ProgressSink* progress) {
  return std::make_unique<VocabularyBuilder>(options, memory_bytes, progress);
}

}  // namespace firth
