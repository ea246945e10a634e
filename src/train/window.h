// Window: one position of a run, with the context in its reach.

#ifndef FIRTH_TRAIN_WINDOW_H_
#define FIRTH_TRAIN_WINDOW_H_

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "base/matrix.h"
#include "base/shared_matrix.h"
#include "firth/word_id.h"
#include "simd/window_block.h"
#include "train/sentence_reader.h"

namespace firth {

// The context consists of the words [begin, end) except for the center.
struct Window {
  absl::Span<const WordId> words;
  size_t center;
  size_t begin;
  size_t end;

  size_t context_size() const { return end - begin - 1; }
  bool Has(size_t pos) const {
    return pos >= begin && pos < end && pos != center;
  }
};

// One window, or the windows of adjacent centers that share their noise words.
constexpr size_t kMaxCenters = 2;
struct WindowGroup {
  std::array<Window, kMaxCenters> windows;
  size_t size;   // Number of windows.
  size_t begin;  // Words [begin, end) are in some window.
  size_t end;

  // Returns the contexts that contain the word: bit c is set for windows[c].
  uint32_t ContextsWith(size_t pos) const {
    uint32_t bits = 0;
    for (size_t c = 0; c < size; ++c) {
      bits |= static_cast<uint32_t>(windows[c].Has(pos)) << c;
    }
    return bits;
  }
  size_t num_pairs() const {
    size_t pairs = 0;
    for (size_t c = 0; c < size; ++c) pairs += windows[c].context_size();
    return pairs;
  }
};

// Returns the position of a context word, from 0 for the leftmost word of a
// whole window to 2 * window - 1.
inline size_t ContextPosition(size_t pos, size_t center, size_t window) {
  return pos < center ? window - (center - pos) : window + (pos - center) - 1;
}

inline Window WindowAt(const WordRun& run, size_t center, size_t window,
                       bool dynamic) {
  const size_t reach = dynamic ? DrawReach(run.keys[center], window) : window;
  return {run.words, center, center - std::min(center, reach),
          std::min(center + reach + 1, run.words.size())};
}

// Returns the windows of `size` centers, beginning at `center`.
inline WindowGroup GroupAt(const WordRun& run, size_t center, size_t size,
                           size_t window, bool dynamic) {
  WindowGroup group;
  group.size = size;
  group.windows[0] = WindowAt(run, center, window, dynamic);
  group.begin = group.windows[0].begin;
  group.end = group.windows[0].end;
  for (size_t c = 1; c < size; ++c) {
    group.windows[c] = WindowAt(run, center + c, window, dynamic);
    group.begin = std::min(group.begin, group.windows[c].begin);
    group.end = std::max(group.end, group.windows[c].end);
  }
  return group;
}

// How often the pair of an input row and an output row of a group's block
// counts. With the target of a center, it counts once if the input is in that
// center's context; with a noise word, once for each such center.
class GroupWeights {
 public:
  explicit GroupWeights(size_t max_rows)
      : weights_(1u << kMaxCenters, max_rows + kColumnOverrun) {
    for (uint32_t contexts = 0; contexts < weights_.rows(); ++contexts) {
      float* row = weights_.Row(contexts);
      for (size_t j = 0; j < weights_.cols(); ++j) {
        row[j] = static_cast<float>(j < kMaxCenters ? contexts >> j & 1
                                                    : std::popcount(contexts));
      }
    }
  }

  // Returns [rows of the block], for a group of kMaxCenters. See
  // WindowGroup::ContextsWith() for `contexts`.
  const float* Of(uint32_t contexts) const { return weights_.Row(contexts); }

 private:
  PaddedMatrix weights_;  // [sets of contexts, columns]
};

}  // namespace firth

#endif  // FIRTH_TRAIN_WINDOW_H_
