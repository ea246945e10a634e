// PieceQueue: hands out the rest of an epoch to threads, piece by piece.

#ifndef FIRTH_TRAIN_PIECE_QUEUE_H_
#define FIRTH_TRAIN_PIECE_QUEUE_H_

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>

#include "train/sentence_reader.h"

namespace firth {

// Thread-safe. Pieces are small, so that a thread that is slow for any reason
// gets fewer of them, and all threads end at about the same time.
class PieceQueue {
 public:
  PieceQueue(StreamPiece rest, uint64_t piece_tokens)
      : end_(rest.end), piece_tokens_(piece_tokens), next_(rest.begin) {}

  std::optional<StreamPiece> Next() {
    const uint64_t begin =
        next_.fetch_add(piece_tokens_, std::memory_order_relaxed);
    if (begin >= end_) return std::nullopt;
    return StreamPiece{begin, std::min(begin + piece_tokens_, end_)};
  }

  // Returns the start of the first piece that was not handed out.
  uint64_t position() const {
    return std::min(next_.load(std::memory_order_relaxed), end_);
  }

 private:
  const uint64_t end_;
  const uint64_t piece_tokens_;
  std::atomic<uint64_t> next_;
};

}  // namespace firth

#endif  // FIRTH_TRAIN_PIECE_QUEUE_H_
