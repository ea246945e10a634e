#include "train/replicas/row_turns.h"

#include <algorithm>

namespace firth {
namespace {

constexpr size_t kFirstWords = 2048;
constexpr size_t kWordsATurn = kFirstWords / 2;

// Returns the words, out of `count`, whose turn it is in exchange k.
std::vector<RowRange> WordsOfExchange(uint64_t k, size_t count) {
  std::vector<RowRange> words = {{0, std::min(count, kFirstWords)}};
  for (size_t group = kFirstWords; group < count; group *= 2) {
    const size_t begin = group + k % (group / kWordsATurn) * kWordsATurn;
    const size_t end = std::min(begin + kWordsATurn, count);
    if (begin < end) words.push_back({begin, end});
  }
  return words;
}

// Returns the maximum number of words, out of `count`, in one exchange.
size_t MostWords(size_t count) {
  size_t words = kFirstWords;
  for (size_t group = kFirstWords; group < count; group *= 2) {
    words += kWordsATurn;
  }
  return std::min(words, count);
}

}  // namespace

std::vector<RowRange> RowsOfExchange(uint64_t k, size_t vocab_size,
                                     const RowTurns& turns) {
  const size_t first = turns.first;
  const size_t end = first + turns.count;
  if (turns.count == 0 || turns.order == RowTurns::kAll) return AllRows(turns);
  if (turns.order == RowTurns::kAny) {
    const size_t words = MostWords(vocab_size);
    const size_t count = (turns.count * words + vocab_size - 1) / vocab_size;
    const size_t begin = first + k * count % turns.count;
    if (begin + count <= end) return {{begin, begin + count}};
    return {{begin, end}, {first, begin + count - turns.count}};
  }
  std::vector<RowRange> rows = WordsOfExchange(k, turns.count);
  for (RowRange& range : rows) {
    range = turns.order == RowTurns::kFrequentLast
                ? RowRange{end - range.end, end - range.begin}
                : RowRange{first + range.begin, first + range.end};
  }
  return rows;
}

}  // namespace firth
