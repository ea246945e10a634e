// The neighbors of all words, in a file.

#ifndef FIRTH_ALL_NEIGHBORS_H_
#define FIRTH_ALL_NEIGHBORS_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "firth/progress.h"
#include "firth/query.h"

namespace firth {

// Writes the `top` nearest neighbors of every word of `vectors` among the
// words of `neighbors`: lines of word, neighbor and cosine, divided by tabs,
// in the order of the words, best neighbors first. The file appears whole or
// not at all. Exact neighbors are found by matrix products. Progress is the
// fraction of TrainProgress. Errors: InvalidArgument, vectors of another dim,
// or a word with a tab or line end inside; Cancelled (hooks.stop); those of
// writing.
absl::Status SaveAllNeighbors(const WordVectors& vectors,
                              const NearestNeighbors& neighbors, size_t top,
                              const std::string& path, const Hooks& hooks = {});

}  // namespace firth

#endif  // FIRTH_ALL_NEIGHBORS_H_
