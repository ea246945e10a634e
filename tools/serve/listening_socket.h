// A socket that waits for clients.

#ifndef FIRTH_TOOLS_SERVE_LISTENING_SOCKET_H_
#define FIRTH_TOOLS_SERVE_LISTENING_SOCKET_H_

#include <sys/socket.h>

#include <string>

#include "absl/status/statusor.h"

namespace firth::tools {

struct ListeningSocket {
  int fd = -1;
  int port = 0;  // the one that it got, where 0 was asked for
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

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_SERVE_LISTENING_SOCKET_H_
