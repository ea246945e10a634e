// Which rows of a table the exchanges of replicas have.
//
// Words differ in how often they move, so that frequent ones are exchanged
// often and rare ones seldom (Ji et al., "Parallelizing Word2Vec in Shared and
// Distributed Memory", 2016): the first 2048 words each time, the next 2048
// every second time, the 4096 after them every fourth time, and so on. Of each
// group but the first, 1024 words have their turn in an exchange, so that all
// exchanges have one size, and one distance: after one of many rows ranks would
// rest long, and the frequent words wait.

#ifndef FIRTH_TRAIN_REPLICAS_ROW_TURNS_H_
#define FIRTH_TRAIN_REPLICAS_ROW_TURNS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace firth {

// Rows [begin, end).
struct RowRange {
  size_t begin = 0;
  size_t end = 0;

  friend bool operator==(const RowRange&, const RowRange&) = default;
};

// Rows of a table that take turns.
struct RowTurns {
  enum Order {
    kFrequentFirst,  // as words do: the first is the most frequent word's
    kFrequentLast,
    kAny,  // as many of them, in proportion, as words, one behind another
    kAll,  // in every exchange
  };
  size_t table = 0;
  size_t first = 0;
  size_t count = 0;
  Order order = kFrequentFirst;
};

// The rows that exchange k has, from 0, where there are `vocab_size` words.
std::vector<RowRange> RowsOfExchange(uint64_t k, size_t vocab_size,
                                     const RowTurns& turns);
inline std::vector<RowRange> AllRows(const RowTurns& turns) {
  return {{turns.first, turns.first + turns.count}};
}

}  // namespace firth

#endif  // FIRTH_TRAIN_REPLICAS_ROW_TURNS_H_
