// The head of a request: checks that libmicrohttpd leaves to its users.

#ifndef FIRTH_TOOLS_SERVE_REQUEST_HEAD_H_
#define FIRTH_TOOLS_SERVE_REQUEST_HEAD_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "serve/microhttpd_library.h"
#include "serve/request.h"

namespace firth::tools {

// Returns the response, with status 414, to a target that is too long or has
// too many parameters. The library has no room for the parameters of such a
// target, and sends no answer.
std::optional<Response> CheckTarget(absl::string_view target);

// Sets the headers in *request. Returns the response to a request whose headers
// are refused: 400 where another program could read them in another way (a name
// with white space, two of a header of which there may be one, two lengths of
// the body), 501 for a Transfer-Encoding other than chunked.
std::optional<Response> ReadHeaders(const MicrohttpdLibrary& http,
                                    MHD_Connection* connection,
                                    Request* request);

// A response in bytes, for a connection that is closed after it.
std::string ClosingResponse(const Response& response);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_SERVE_REQUEST_HEAD_H_
