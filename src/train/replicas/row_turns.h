// Selects the rows of a table for each exchange of replicas.
//
// Frequent words move more often than rare ones, so they are exchanged more
// often (Ji et al., "Parallelizing Word2Vec in Shared and Distributed Memory",
// 2016): the first 2048 words each time, the next 2048 every second time, the
// 4096 after them every fourth time, and so on. Of each group except the first,
// an exchange has 1024 words. So all exchanges have the same size and the same
// interval. After an exchange of many rows, ranks would rest for a long time,
// and the frequent words would have to wait.

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
    kFrequentFirst,  // Like words: most frequent first.
    kFrequentLast,
    kAny,  // In turn, the same fraction of them as of words.
    kAll,  // All of them in every exchange.
  };
  size_t table = 0;
  size_t first = 0;
  size_t count = 0;
  Order order = kFrequentFirst;
};

// Returns the rows in exchange k, from 0, if there are `vocab_size` words.
std::vector<RowRange> RowsOfExchange(uint64_t k, size_t vocab_size,
                                     const RowTurns& turns);
inline std::vector<RowRange> AllRows(const RowTurns& turns) {
  return {{turns.first, turns.first + turns.count}};
}

}  // namespace firth

#endif  // FIRTH_TRAIN_REPLICAS_ROW_TURNS_H_
