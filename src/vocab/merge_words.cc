#include "vocab/merge_words.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "distributed/agreement.h"
#include "distributed/packing.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

// A word on its way. first: where it appeared first in the whole text, by the
// rank and the id there.
struct SentWord {
  uint64_t hash;
  uint64_t count;
  uint64_t first;
};

// The table's slots go by the lower bits of the hash.
size_t OwnerOf(uint64_t hash, const Ranks& ranks) {
  return (hash >> 32) % static_cast<size_t>(ranks.size());
}

void PackWord(absl::string_view word, const SentWord& sent, std::string* out) {
  Pack(sent, out);
  PackText(word, out);
}

// The words of all ranks that this one owns.
struct OwnedWords {
  WordTable table;
  std::vector<uint64_t> firsts;  // by id
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
      // Ranks come in order: the first that knows the word saw it first.
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

// By first appearance.
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

}  // namespace

absl::StatusOr<MergedWords> MergeWords(
    Ranks& ranks, const WordTable& own,
    absl::FunctionRef<bool(absl::string_view word, uint64_t count)> keep) {
  FIRTH_ASSIGN_OR_RETURN(const OwnedWords owned, GatherOwned(ranks, own));
  const WordTable::Entry* const most = MostFrequent(owned);
  // Words that were pruned are types that no owner knows.
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

}  // namespace firth
