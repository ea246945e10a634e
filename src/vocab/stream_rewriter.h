// The last pass over the ids of a text, in place, and what it needs: a map of
// the ids, and an order for parallel workers.

#ifndef FIRTH_VOCAB_STREAM_REWRITER_H_
#define FIRTH_VOCAB_STREAM_REWRITER_H_

#include <algorithm>
#include <bit>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "corpus/token_stream.h"

namespace firth {

// Admits the blocks of parallel workers in order. Every ticket from 0 on must
// pass exactly once; otherwise later ones wait forever.
class Turnstile {
 public:
  // Waits until all earlier tickets have passed, then runs `work`, which must
  // not throw, exclusively.
  template <class Work>
  void Pass(uint64_t ticket, const Work& work) {
    {
      std::unique_lock<std::mutex> lock(mutex_);
      moved_.wait(lock, [&] { return next_ == ticket; });
    }
    work();
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ++next_;
    }
    moved_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable moved_;
  uint64_t next_ = 0;
};

// Maps the ids assigned during reading to those of the final vocabulary.
//
// Low ids, which cover nearly all tokens, use a plain array. For the others, a
// bit indicates whether an id is kept, and a running count of bits gives its
// new id. This takes 2 bits per id, since most ids are unused after pruning.
class IdMap {
 public:
  // Creates a map for ids below `size`, which is still empty.
  explicit IdMap(size_t size)
      : low_ids_(std::min(size, kMostLowIds), kDropped),
        groups_(size / 64 + 1) {}

  // Old ids must be added in ascending order.
  void Add(uint32_t old_id, uint32_t new_id) {
    if (old_id < low_ids_.size()) {
      low_ids_[old_id] = new_id;
      return;
    }
    groups_[old_id / 64].bits |= uint64_t{1} << (old_id % 64);
    new_ids_.push_back(new_id);
  }
  // Must be called after the last Add().
  void Seal() {
    uint32_t before = 0;
    for (Group& group : groups_) {
      group.before = before;
      before += static_cast<uint32_t>(std::popcount(group.bits));
    }
  }

  // Returns whether `id` is kept. If so, replaces it by the new id.
  bool Translate(uint32_t* id) const {
    if (*id < low_ids_.size()) {
      *id = low_ids_[*id];
      return *id != kDropped;
    }
    const Group& group = groups_[*id / 64];
    const uint64_t bit = uint64_t{1} << (*id % 64);
    if ((group.bits & bit) == 0) return false;
    const auto rank =
        static_cast<uint32_t>(std::popcount(group.bits & (bit - 1)));
    *id = new_ids_[group.before + rank];
    return true;
  }

 private:
  static constexpr size_t kMostLowIds = size_t{1} << 20;
  static constexpr uint32_t kDropped = 0xFFFFFFFFu;
  struct Group {
    uint64_t bits = 0;
    uint32_t before = 0;  // Number of bits in all groups before.
  };
  std::vector<uint32_t> low_ids_;
  std::vector<Group> groups_;
  std::vector<uint32_t> new_ids_;
};

struct RewrittenStream {
  uint64_t size = 0;       // Number of ids, at the start of the span.
  uint64_t num_words = 0;  // Number of ids other than kSentenceEnd.
};

// What happens to a kSentenceEnd that ends no sentence.
enum class EmptySentences { kDrop, kKeep };

// Translates all ids by `map` (null means no change), drops those not in the
// map, and drops empty sentences, unless they are kept. `inside_sentence`: the
// first kSentenceEnd ends a sentence that began before the ids.
RewrittenStream RewriteStream(absl::Span<uint32_t> ids, const IdMap* map,
                              int threads, bool inside_sentence = false,
                              EmptySentences empty = EmptySentences::kDrop);

// Rewrites all ids of a spool, which may not be used afterwards.
absl::StatusOr<std::shared_ptr<const TokenStream>> TakeRewritten(
    const IdMap* map, int threads, TokenSpool* spool,
    bool inside_sentence = false, EmptySentences empty = EmptySentences::kDrop);

}  // namespace firth

#endif  // FIRTH_VOCAB_STREAM_REWRITER_H_
