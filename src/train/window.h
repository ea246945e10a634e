// Window: one position of a run with the context that its reach gives it.

#ifndef FIRTH_TRAIN_WINDOW_H_
#define FIRTH_TRAIN_WINDOW_H_

#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "base/aligned_matrix.h"
#include "base/shared_matrix.h"
#include "firth/train.h"
#include "firth/word_id.h"
#include "model/embedding_model.h"
#include "objective/full_softmax.h"
#include "simd/window_block.h"
#include "train/sentence_reader.h"
#include "train/worker.h"

namespace firth {

// The context are the words of [begin, end) but for the center.
struct Window {
  absl::Span<const WordId> words;
  size_t center;
  size_t begin;
  size_t end;

  size_t context_size() const { return end - begin - 1; }
};

inline Window WindowAt(const WordRun& run, size_t center, size_t window,
                       bool dynamic) {
  const size_t reach = dynamic ? DrawReach(run.keys[center], window) : window;
  return {run.words, center, center - std::min(center, reach),
          std::min(center + reach + 1, run.words.size())};
}

}  // namespace firth

#endif  // FIRTH_TRAIN_WINDOW_H_
