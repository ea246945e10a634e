// The network layer of the HTTP server: the listening socket, the library that
// reads requests, and checks of request heads that the library omits.

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

// A socket that accepts clients.
struct ListeningSocket {
  int fd = -1;
  int port = 0;  // Actual port.
};

// Listens at a host name or address and a port. The caller closes the socket.
// Errors: InvalidArgument, a host without an address; Unavailable, the system's
// error, such as a port in use.
absl::StatusOr<ListeningSocket> Listen(const std::string& host, int port);

// Returns whether all addresses of the host are loopback addresses. Errors:
// InvalidArgument, the host has none.
absl::StatusOr<bool> IsLoopback(const std::string& host);

// Returns an address such as "127.0.0.1" or "::1", or "" for other families.
std::string AddressText(const sockaddr* address);

// GNU libmicrohttpd, loaded when a service starts. Linking it and its TLS
// libraries would increase the start time of all other commands by half (from
// 25 ms to 36 ms).
struct MicrohttpdLibrary {
  decltype(&MHD_get_version) get_version;
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

// Loads it. Errors: FailedPrecondition, it is not installed or too old.
absl::StatusOr<const MicrohttpdLibrary*> LoadMicrohttpd();

// Returns the response, with status 414, to a target that is too long or has
// too many parameters. The library would not answer such a request, because its
// memory is limited.
std::optional<Response> CheckTarget(absl::string_view target);

// Removes "http://AUTHORITY" from a target that is a whole URL, as clients send
// it to a proxy. Returns the authority, or nothing if the target is a path.
std::optional<std::string> TakeAuthority(std::string* target);

// Sets the headers in *request; a host that is set already stays. Returns a
// response if they are refused. It is 400 if another program could interpret
// them differently (a name with white space, a repeated header that must be
// unique, two lengths of the body), and 501 for a Transfer-Encoding other than
// chunked.
std::optional<Response> ReadHeaders(const MicrohttpdLibrary& http,
                                    MHD_Connection* connection,
                                    Request* request);

// Returns the bytes of a response after which the connection is closed.
std::string ClosingResponse(const Response& response);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_SERVE_NETWORK_H_
