// The page of "firth explore": one HTML file with all that it needs, which is
// compiled into the program (tools/web makes it).

#ifndef FIRTH_TOOLS_SERVE_PAGE_H_
#define FIRTH_TOOLS_SERVE_PAGE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cli/json.h"
#include "serve/request.h"

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

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_SERVE_PAGE_H_
