// Builds the vocabulary of a text: counts all words, and keeps those known
// before and the frequent ones.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/saturated.h"
#include "distributed/agreement.h"
#include "firth/ranks.h"
#include "firth/status_macros.h"
#include "firth/thousands.h"
#include "vocab/word_counter.h"
#include "vocab/word_table.h"

namespace firth {
namespace {

using Entry = WordTable::Entry;

constexpr size_t kPrefetchStep = 8;

// Ranks merge the words of their shares of a text as follows. Each word belongs
// to the rank that its hash selects. Every rank sends the words that it has
// seen to their owners, which add up the counts. The owners then send the words
// that are kept to all ranks. So no rank ever holds all rare words.

// A word that is sent. `first` orders words by their first appearance in the
// whole text: it contains the rank and the id there.
struct SentWord {
  uint64_t hash;
  uint64_t count;
  uint64_t first;
};

// Returns the rank that owns a word. The table uses the lower bits of the hash.
size_t OwnerOf(uint64_t hash, const Ranks& ranks) {
  return (hash >> 32) % static_cast<size_t>(ranks.size());
}

void PackWord(absl::string_view word, const SentWord& sent, std::string* out) {
  Pack(sent, out);
  PackText(word, out);
}

// The words of all ranks that this rank owns.
struct OwnedWords {
  WordTable table;
  std::vector<uint64_t> firsts;  // Indexed by id.
};

absl::StatusOr<OwnedWords> GatherOwned(Ranks& ranks, const WordTable& own) {
  std::vector<std::string> to(static_cast<size_t>(ranks.size()));
  for (size_t i = 0; i < own.size(); ++i) {
    const WordTable::Entry& entry = own.entry(i);
    const uint64_t first = static_cast<uint64_t>(ranks.rank()) << 32 | entry.id;
    PackWord(entry.word(), {entry.hash, entry.count, first},
             &to[OwnerOf(entry.hash, ranks)]);
  }
  FIRTH_ASSIGN_OR_RETURN(const std::vector<std::string> from,
                         ranks.Exchange(to));
  OwnedWords owned;
  for (const std::string& bytes : from) {
    absl::string_view in = bytes;
    while (!in.empty()) {
      const auto sent = Unpack<SentWord>(&in);
      const size_t id = owned.table.Add(UnpackText(&in), sent.hash, sent.count);
      // Ranks come in order, so the first one that has the word saw it first.
      if (id == owned.firsts.size()) owned.firsts.push_back(sent.first);
    }
  }
  return owned;
}

const WordTable::Entry* MostFrequent(const OwnedWords& owned) {
  const WordTable::Entry* most = nullptr;
  for (size_t i = 0; i < owned.table.size(); ++i) {
    const WordTable::Entry& entry = owned.table.entry(i);
    if (most == nullptr || entry.count > most->count ||
        (entry.count == most->count &&
         owned.firsts[entry.id] < owned.firsts[most->id])) {
      most = &entry;
    }
  }
  return most;
}

struct KeptWord {
  absl::string_view word;
  SentWord sent;
};

// Returns the words in the order of their first appearance.
WordTable TableOf(const std::vector<std::string>& texts) {
  std::vector<KeptWord> words;
  for (absl::string_view in : texts) {
    while (!in.empty()) {
      const auto sent = Unpack<SentWord>(&in);
      words.push_back({UnpackText(&in), sent});
    }
  }
  std::sort(words.begin(), words.end(),
            [](const KeptWord& a, const KeptWord& b) {
              return a.sent.first < b.sent.first;
            });
  WordTable table;
  for (const KeptWord& word : words) {
    table.Add(word.word, word.sent.hash, word.sent.count);
  }
  return table;
}

struct MergedWords {
  // By first appearance in the whole text, since shares are in the order of
  // ranks.
  WordTable table;
  uint64_t types = 0;            // Of all words, including those left out.
  uint64_t left_out_tokens = 0;  // Tokens of words that are not in the table.
};

// Returns the same on all ranks. `keep` returns whether a word with this count
// belongs to the result. The most frequent word of each owner always does, so
// that messages can name it.
absl::StatusOr<MergedWords> MergeWords(
    Ranks& ranks, const WordTable& own,
    absl::FunctionRef<bool(absl::string_view word, uint64_t count)> keep) {
  FIRTH_ASSIGN_OR_RETURN(const OwnedWords owned, GatherOwned(ranks, own));
  const WordTable::Entry* const most = MostFrequent(owned);
  // Words that were pruned are types that no owner has.
  uint64_t sums[2] = {owned.table.size() + own.next_id() - own.size(), 0};
  std::string kept;
  for (size_t i = 0; i < owned.table.size(); ++i) {
    const WordTable::Entry& entry = owned.table.entry(i);
    if (&entry == most || keep(entry.word(), entry.count)) {
      PackWord(entry.word(), {entry.hash, entry.count, owned.firsts[entry.id]},
               &kept);
    } else {
      sums[1] += entry.count;
    }
  }
  FIRTH_RETURN_IF_ERROR(ranks.Sum(absl::MakeSpan(sums)));
  FIRTH_ASSIGN_OR_RETURN(const std::vector<std::string> texts,
                         GatherTexts(ranks, kept));
  MergedWords merged;
  merged.table = TableOf(texts);
  merged.types = sums[0];
  merged.left_out_tokens = sums[1];
  return merged;
}

// Orders by count, and equal counts by first appearance.
bool MoreFrequent(const Entry* a, const Entry* b) {
  return a->count != b->count ? a->count > b->count : a->id < b->id;
}

class VocabularyBuilder final : public WordCounter {
 public:
  VocabularyBuilder(const VocabularyOptions& options, const KnownWords& known,
                    uint64_t memory_bytes, ProgressSink* progress)
      : options_(options),
        known_(known),
        memory_bytes_(memory_bytes),
        progress_(progress) {}

  void Prepare(const BlockWords& words,
               std::vector<uint32_t>* ids) const override {
    ids->resize(words.size());
  }

  absl::Status Merge(const BlockWords& words,
                     std::vector<uint32_t>* ids) override {
    const auto list = words.words();
    if (WordTable::kMostIds - table_.next_id() - 2 < list.size()) {
      return absl::ResourceExhaustedError(
          "the text has more than 2^32 - 2 different words");
    }
    for (size_t i = 0; i < list.size(); ++i) {
      const auto ahead = [&](size_t steps) {
        return list[std::min(i + steps * kPrefetchStep, list.size() - 1)]
            .key.hash;
      };
      table_.PrefetchSlot(ahead(3));
      table_.PrefetchEntry(ahead(2));
      table_.PrefetchBytes(ahead(1));
      (*ids)[i] =
          table_.Add(words.View(list[i]), list[i].key.hash, words.counts()[i]);
    }
    // Pruning happens after a block, in the order of blocks, so that the pruned
    // words do not depend on the number of threads.
    if (table_.MemoryBytes() > memory_bytes_) Prune();
    return absl::OkStatus();
  }

  uint64_t types() const override { return table_.size(); }

  absl::StatusOr<Result> MakeVocabulary(Ranks* ranks,
                                        CorpusReport* report) override {
    report->types_seen = table_.next_id();
    report->dropped_pruned = pruned_tokens_;
    Result result;
    if (ranks == nullptr) {
      Ids ids;
      FIRTH_ASSIGN_OR_RETURN(result.vocabulary,
                             MakeVocabularyOf(table_, 0, report, &ids));
      result.map = MakeMap(std::move(ids));
      return result;
    }
    FIRTH_RETURN_IF_ERROR(
        ranks->Sum(absl::MakeSpan(&report->dropped_pruned, 1)));
    FIRTH_ASSIGN_OR_RETURN(
        const MergedWords merged,
        MergeWords(*ranks, table_, [&](absl::string_view word, uint64_t count) {
          return count >= options_.min_count || FindKnown(word).has_value();
        }));
    report->types_seen = merged.types;
    Ids ignored;
    FIRTH_ASSIGN_OR_RETURN(
        result.vocabulary,
        MakeVocabularyOf(merged.table, merged.left_out_tokens, report,
                         &ignored));
    // The ids of the stream are those of this rank's words.
    result.map = MakeMap(IdsIn(result.vocabulary));
    // Drops the hash table that was needed for the lookups, up to 34 bytes per
    // word. Training makes no lookups.
    const absl::Span<const uint64_t> counts = result.vocabulary.counts();
    FIRTH_ASSIGN_OR_RETURN(
        result.vocabulary,
        Vocabulary::CreateDistinct(result.vocabulary.Words(),
                                   {counts.begin(), counts.end()}));
    return result;
  }

 private:
  // Pairs of old and new id.
  using Ids = std::vector<std::pair<uint32_t, uint32_t>>;

  // Makes the vocabulary from the words of `counted`. `left_out_tokens` counts
  // the tokens of words that it lacks because they occur less often than
  // min_count. *ids receives the new ids of the words in the table.
  absl::StatusOr<Vocabulary> MakeVocabularyOf(const WordTable& counted,
                                              uint64_t left_out_tokens,
                                              CorpusReport* report,
                                              Ids* ids) const {
    FIRTH_RETURN_IF_ERROR(known_.vocabulary.CheckDistinct());
    Selection selection = Select(counted);
    if (selection.empty()) return NothingKept(counted, *report);
    report->dropped_min_count = selection.dropped_min_count + left_out_tokens;
    report->dropped_max_vocab = selection.dropped_max_vocab;
    report->types_kept = selection.words.size();
    report->types_known = known_.vocabulary.size();
    std::stable_sort(
        selection.words.begin(), selection.words.end(),
        [](const Word& a, const Word& b) { return a.count > b.count; });
    std::vector<absl::string_view> words;
    std::vector<uint64_t> counts;
    for (const Word& word : selection.words) {
      if (word.entry != nullptr) {
        report->words_kept += word.entry->count;
        ids->emplace_back(word.entry->id, static_cast<uint32_t>(words.size()));
      }
      words.push_back(word.text);
      counts.push_back(word.count);
    }
    // Each word occurs once in the table that counted it, or among the known
    // words, which have been checked.
    return Vocabulary::CreateDistinct(words, std::move(counts));
  }

  void Prune() {
    const WordTable::Dropped dropped = table_.Prune(memory_bytes_ / 4 * 3);
    pruned_tokens_ += dropped.tokens;
    if (progress_ == nullptr || dropped.types == 0) return;
    progress_->OnWarning(absl::StrCat(
        "the words read so far need more than ", memory_bytes_ >> 20,
        " MiB; dropped ", Thousands(dropped.types),
        dropped.types == 1 ? " word" : " words", " that occurred up to ",
        Thousands(dropped.threshold),
        dropped.threshold == 1 ? " time" : " times", " so far (",
        Thousands(dropped.tokens), dropped.tokens == 1 ? " token" : " tokens",
        "); the counts of rare words are now too low. A larger --memory avoids "
        "this"));
  }

  // A word of the future vocabulary.
  struct Word {
    absl::string_view text;
    uint64_t count = 0;            // Its count in the vocabulary.
    const Entry* entry = nullptr;  // Null if it is not in the text.
  };

  struct Selection {
    std::vector<Word> words;  // Known words, then the others by count.
    uint64_t dropped_min_count = 0;
    uint64_t dropped_max_vocab = 0;
    bool empty() const {
      return std::all_of(words.begin(), words.end(), [](const Word& word) {
        return word.entry == nullptr;
      });
    }
  };

  Selection Select(const WordTable& counted) const {
    Selection selection;
    const Vocabulary& known = known_.vocabulary;
    std::vector<Word>& words = selection.words;
    for (size_t i = 0; i < known.size(); ++i) {
      words.push_back({known.Word(ToWordId(i)),
                       CountOf(known.Count(ToWordId(i)), 0), nullptr});
    }
    std::vector<const Entry*> added;
    for (size_t i = 0; i < counted.size(); ++i) {
      const Entry& entry = counted.entry(i);
      if (const auto word = FindKnown(entry.word())) {
        words[Index(*word)].entry = &entry;
        words[Index(*word)].count = CountOf(known.Count(*word), entry.count);
      } else if (entry.count >= options_.min_count) {
        added.push_back(&entry);
      } else {
        selection.dropped_min_count += entry.count;
      }
    }
    std::sort(added.begin(), added.end(), MoreFrequent);
    for (const Entry* entry : added) {
      if (options_.max_vocab == 0 || words.size() < options_.max_vocab) {
        words.push_back({entry->word(), entry->count, entry});
      } else {
        selection.dropped_max_vocab += entry->count;
      }
    }
    return selection;
  }

  std::optional<WordId> FindKnown(absl::string_view word) const {
    if (known_.vocabulary.empty()) return std::nullopt;
    return known_.vocabulary.Find(word);
  }

  // Returns the count of a word that was known before.
  uint64_t CountOf(uint64_t before, uint64_t in_text) const {
    switch (known_.counts) {
      case KnownCounts::kAdd:
        return AddSaturated(before, in_text);
      case KnownCounts::kReplace:
        return in_text;
      case KnownCounts::kKeep:
        return before > 0 ? before : in_text;
    }
    return 0;
  }

  absl::Status NothingKept(const WordTable& counted,
                           const CorpusReport& report) const {
    const Entry* most_frequent = nullptr;
    for (size_t i = 0; i < counted.size(); ++i) {
      const Entry& entry = counted.entry(i);
      if (most_frequent == nullptr || MoreFrequent(&entry, most_frequent)) {
        most_frequent = &entry;
      }
    }
    if (report.tokens == report.dropped_too_long) {
      return absl::InvalidArgumentError(
          "all words are longer than max-word-bytes; the input is probably not "
          "text");
    }
    if (most_frequent == nullptr) {
      return absl::InvalidArgumentError(
          "all words were dropped to save memory; use a larger --memory");
    }
    return absl::InvalidArgumentError(absl::StrCat(
        "no word ", known_.vocabulary.empty() ? "" : "is known or ", "occurs ",
        options_.min_count, " times (min-count); the most frequent word, \"",
        most_frequent->word().substr(0, 100), "\", has the count ",
        most_frequent->count));
  }

  Ids IdsIn(const Vocabulary& vocabulary) const {
    Ids ids;
    for (size_t i = 0; i < table_.size(); ++i) {
      const Entry& entry = table_.entry(i);
      const std::optional<WordId> word = vocabulary.Find(entry.word());
      if (word.has_value()) {
        ids.emplace_back(entry.id, static_cast<uint32_t>(*word));
      }
    }
    return ids;
  }

  // Maps the ids of the text to those of the vocabulary.
  std::unique_ptr<IdMap> MakeMap(Ids ids) const {
    std::sort(ids.begin(), ids.end());
    auto map = std::make_unique<IdMap>(table_.next_id());
    for (const auto& [old_id, new_id] : ids) map->Add(old_id, new_id);
    map->Seal();
    return map;
  }

  VocabularyOptions options_;
  KnownWords known_;
  uint64_t memory_bytes_;
  ProgressSink* progress_;
  WordTable table_;
  uint64_t pruned_tokens_ = 0;
};

}  // namespace

std::unique_ptr<WordCounter> MakeVocabularyBuilder(
    const VocabularyOptions& options, const KnownWords& known,
    uint64_t memory_bytes, ProgressSink* progress) {
  return std::make_unique<VocabularyBuilder>(options, known, memory_bytes,
                                             progress);
}

}  // namespace firth
