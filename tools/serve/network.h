// The network below the HTTP server: the socket that waits for clients, the
// library that reads requests, and checks of the head of a request that the
// library leaves to its users.

#ifndef FIRTH_TOOLS_SERVE_NETWORK_H_
#define FIRTH_TOOLS_SERVE_NETWORK_H_

#include <microhttpd.h>
#include <sys/socket.h>

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "serve/route.h"

namespace firth::tools {

// A socket that waits for clients.
struct ListeningSocket {
  int fd = -1;
  int port = 0;  // The port that it got.
};

// Listens at a name or an address and a port. The caller closes the socket.
// Errors: InvalidArgument, a host without an address; Unavailable, why there is
// no such socket, as a port that is in use.
absl::StatusOr<ListeningSocket> Listen(const std::string& host, int port);

// Whether all addresses of the host are of this machine alone. Errors:
// InvalidArgument, it has none.
absl::StatusOr<bool> IsLoopback(const std::string& host);

// "127.0.0.1" or "::1"; empty where it is neither kind of address.
std::string AddressText(const sockaddr* address);

// GNU libmicrohttpd, loaded when a service starts: linked with the program, it
// and the libraries for TLS that it needs would make the start of every other
// command take half as long again (25 ms became 36).
struct MicrohttpdLibrary {
  decltype(&MHD_start_daemon) start_daemon;
  decltype(&MHD_quiesce_daemon) quiesce_daemon;
  decltype(&MHD_stop_daemon) stop_daemon;
  decltype(&MHD_suspend_connection) suspend_connection;
  decltype(&MHD_resume_connection) resume_connection;
  decltype(&MHD_get_connection_info) get_connection_info;
  decltype(&MHD_get_connection_values) get_connection_values;
  decltype(&MHD_lookup_connection_value) lookup_connection_value;
  decltype(&MHD_create_response_from_buffer_with_free_callback_cls)
      create_response;
  decltype(&MHD_add_response_header) add_response_header;
  decltype(&MHD_queue_response) queue_response;
  decltype(&MHD_destroy_response) destroy_response;
};

// Errors: FailedPrecondition, the library is not installed, or is too old.
absl::StatusOr<const MicrohttpdLibrary*> LoadMicrohttpd();

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

#endif  // FIRTH_TOOLS_SERVE_NETWORK_H_
