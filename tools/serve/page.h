// The page of "firth explore": one HTML file with all that it needs, which is
// compiled into the program (tools/web makes it).

#ifndef FIRTH_TOOLS_SERVE_PAGE_H_
#define FIRTH_TOOLS_SERVE_PAGE_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cli/json.h"
#include "serve/route.h"

namespace firth::tools {

absl::string_view PageText();

// The page as the service sends it. What it may load and run, which it says in
// a <meta> of its own, stands in the header, too, where nothing in the page can
// change it.
Response PageResponse(absl::string_view page);

// The page with `data` in its empty <script id="firth-data">, in which no "<"
// is left that could end it. Errors: FailedPrecondition, a page without such a
// script.
absl::StatusOr<std::string> PageWithData(absl::string_view page,
                                         const Json& data);

// Returns the data of a page that works without a service. `files` has one
// model, with a map; the data are about the first `words` words of the map that
// the model also has. Errors: InvalidArgument, another number of models, no
// map, no common word; ResourceExhausted.
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

#endif  // FIRTH_TOOLS_SERVE_PAGE_H_
