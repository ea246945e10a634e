// What a page that works without a service knows: words, their places on a map,
// their neighbors, and their vectors if those are wanted.

#ifndef FIRTH_TOOLS_SERVE_PAGE_DATA_H_
#define FIRTH_TOOLS_SERVE_PAGE_DATA_H_

#include <cstddef>

#include "absl/status/statusor.h"
#include "cli/json.h"
#include "serve/route.h"

namespace firth::tools {

// Of the one model of `files`, which has a map: the first `words` of the map
// that the model has, too. Errors: InvalidArgument, another number of models,
// no map, no common word; ResourceExhausted.
//
//   {"info", "words": [N], "counts": [N], "points": float32 [N, 2],
//    "clusters", "neighbors": {"k", "ids": uint32 [N, k],
//    "scores": float32 [N, k]}, "vectors": null or {"dim",
//    "scales": float32 [N], "rows": int8 [N, dim]}}
//
// where arrays of numbers are little-endian bytes in base64. Value i of a row
// is its int8 times the row's scale.
absl::StatusOr<Json> PageData(const ServedFiles& files, size_t words,
                              bool with_vectors);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_SERVE_PAGE_DATA_H_
