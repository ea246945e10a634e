// The page of "firth explore", one complete HTML file that tools/web builds and
// that is compiled into the program.

#ifndef FIRTH_TOOLS_SERVE_PAGE_H_
#define FIRTH_TOOLS_SERVE_PAGE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cli/json.h"
#include "serve/route.h"

namespace firth::tools {

absl::string_view PageText();

// Returns the page as the service sends it. Its <meta> element with the rules
// for loading and running code is repeated as a header, which nothing in the
// page can change.
Response PageResponse(absl::string_view page);

// Returns the page with `data` in its empty <script id="firth-data">. "<" is
// escaped, so that nothing can end the element. Errors: FailedPrecondition, the
// page has no such script.
absl::StatusOr<std::string> PageWithData(absl::string_view page,
                                         const Json& data);

// Returns the data of a page that works without a service. `files` has one
// model, with a map; the data are about the first `words` words of the map that
// the model also has. Errors: InvalidArgument, another number of models, no
// map, no common word; ResourceExhausted. `methods` are those of the layouts,
// the first shown first; if there are none, the page has that of the map.
//
//   {"info", "words": [N], "counts": [N],
//    "maps": [{"method", "points": float32 [N, 2], "clusters"}],
//    "columns": [{"name", "type", ..., "data": float32 [N]}],
//    "neighbors": {"k", "ids": uint32 [N, k], "scores": float32 [N, k]},
//    "vectors": null or {"dim", "scales": float32 [N], "rows": int8 [N, dim]}}
//
// where arrays of numbers are little-endian bytes in base64. Value i of a row
// is its int8 times the row's scale.
absl::StatusOr<Json> PageData(const ServedFiles& files, size_t words,
                              bool with_vectors,
                              const std::vector<std::string>& methods = {});

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_SERVE_PAGE_H_
