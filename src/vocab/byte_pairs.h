// The parts of GPT-2's byte pairs (Sennrich et al., "Neural machine translation
// of rare words with subword units", 2016; Radford et al., "Language models are
// unsupervised multitask learners", 2019) that several tokenizers share: the
// characters that spell bytes, the first division of a text, and the merges.

#ifndef FIRTH_VOCAB_BYTE_PAIRS_H_
#define FIRTH_VOCAB_BYTE_PAIRS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

namespace firth {

// The printable character that spells each byte in a piece: the one with its
// number if it is visible in Latin-1, otherwise the next one from U+0100 on.
const std::array<int32_t, 256>& CharactersOfBytes();
// Appends the bytes, each spelled by its character.
void AppendSpelledBytes(absl::string_view bytes, std::string* to);

// Returns the length of the first part of `text`, which must not be empty. No
// piece combines letters with numbers or marks: a part is a contraction such as
// 's; or letters, numbers or other characters with the space before them; or
// white space, whose last character belongs to what follows.
size_t BytePairPartLength(absl::string_view text);

// Pairs of neighboring pieces that are merged, in the order in which training
// merged them. Thread-safe after the last Add().
class PairMerges {
 public:
  // Memory that calls of Apply() share. Each thread has one.
  class Room;

  // Adds the next pair. A pair that was added before is applied later than it
  // was.
  void Add(uint32_t left, uint32_t right, uint32_t merged);

  // Replaces pairs among the pieces from `from` on by their merged pieces, in
  // the order of the pairs and from left to right, until none is left. If
  // `in_rounds`, as GPT-2 does, pairs with a merged piece are considered after
  // all pairs of the same kind have been merged. Hugging Face's tokenizers
  // consider them immediately, which gives other pieces if a piece can be
  // merged from several pairs. n pieces take n log n steps.
  void Apply(bool in_rounds, Room* room, size_t from,
             std::vector<uint32_t>* pieces) const;

 private:
  struct Merge {
    uint32_t rank;
    uint32_t piece;
  };
  // A piece that was merged into the one before has no neighbors.
  struct Neighbors {
    size_t before;
    size_t after;
    bool gone;
  };
  // Two neighbors that can be merged, and their pieces when this was found.
  struct Pair {
    uint32_t rank;
    size_t left;  // Position of the piece.
    size_t right;
    uint32_t pieces[2];
    uint32_t merged;

    // The heap returns the first pair of the lowest rank.
    bool operator<(const Pair& other) const {
      return rank != other.rank ? rank > other.rank : left > other.left;
    }
  };

  // Adds the pair of the pieces at these positions to the heap, if it can be
  // merged.
  void Push(size_t left, size_t right, Room* room) const;
  // Merges the pair unless an earlier merge has used one of its pieces.
  static bool MergePair(const Pair& pair, Room* room);
  void PushAround(size_t position, Room* room) const;

  absl::flat_hash_map<std::pair<uint32_t, uint32_t>, Merge> merges_;
  uint32_t next_rank_ = 0;
};

class PairMerges::Room {
 private:
  friend class PairMerges;
  std::vector<uint32_t> pieces_;
  std::vector<Neighbors> neighbors_;
  std::vector<Pair> heap_;
  std::vector<size_t> merged_;
};

}  // namespace firth

#endif  // FIRTH_VOCAB_BYTE_PAIRS_H_
