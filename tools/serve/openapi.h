// The description of the service that other programs read (OpenAPI 3.1), made
// from the table of routes.

#ifndef FIRTH_TOOLS_SERVE_OPENAPI_H_
#define FIRTH_TOOLS_SERVE_OPENAPI_H_

#include "cli/json.h"

namespace firth::tools {

Json OpenApi();

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_SERVE_OPENAPI_H_
