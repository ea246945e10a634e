// Writes the nearest neighbors of all words to a file.

#ifndef FIRTH_ALL_NEIGHBORS_H_
#define FIRTH_ALL_NEIGHBORS_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "firth/progress.h"
#include "firth/query.h"

namespace firth {

// Writes the `top` nearest neighbors of every word of `vectors`, searched among
// the words of `neighbors`. Each line holds word, neighbor and cosine,
// separated by tabs. Words keep their order, and the best neighbor comes first.
// The file appears whole or not at all. Exact neighbors are found by matrix
// products. Progress is reported as TrainProgress::fraction. Errors:
// InvalidArgument, different dimensions, or a word that contains a tab or line
// end; Cancelled (hooks.stop); write errors.
absl::Status SaveAllNeighbors(const WordVectors& vectors,
                              const NearestNeighbors& neighbors, size_t top,
                              const std::string& path, const Hooks& hooks = {});

}  // namespace firth

#endif  // FIRTH_ALL_NEIGHBORS_H_
