// An HTTP server for the service, with GNU libmicrohttpd.
//
// One thread reads and writes all connections. Other threads compute the
// answers, and the connection is suspended meanwhile. A slow client or a slow
// question therefore does not delay others. Receiving a whole request, and
// sending a whole answer, must not take longer than the timeout, so a client
// cannot hold a connection with a byte from time to time. If there are too many
// connections, the one closed is always one that waits for its client, so
// clients that send nothing cannot keep others out.

#ifndef FIRTH_TOOLS_SERVE_HTTP_SERVER_H_
#define FIRTH_TOOLS_SERVE_HTTP_SERVER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "serve/service.h"

namespace firth::tools {

struct HttpOptions {
  std::string host = "127.0.0.1";
  int port = 8080;  // 0 means any free port.
  uint64_t most_body_bytes = uint64_t{1} << 20;
  // Maximum number of connections. A further one replaces one that waits for
  // its client, the oldest of the IP address that has most of these. Some more
  // are accepted if all are being answered, so that health checks succeed.
  size_t most_connections = 256;
  // Maximum number of connections of one IP address; 0 means as many as there
  // are. A further one replaces the oldest that waits for the client.
  size_t most_of_client = 0;
  // Maximum time in seconds for a request to arrive, for its answer to be
  // received, and between two requests of a connection.
  int timeout = 30;
};

// A request that was answered or abandoned.
struct Served {
  std::string client;  // IP address.
  std::string method;  // "-" if the headers did not arrive or are malformed.
  std::string path;    // Without the query.
  std::string route;   // Path of the route; empty if there is none.
  // 0 if the client disconnected before.
  int status = 0;
  size_t bytes = 0;  // Size of the body that was sent.
  double seconds = 0;
};

// Callbacks, which one thread calls. Either may be empty.
struct HttpHooks {
  std::function<void(const Served&)> on_served;
  std::function<void(size_t)> on_connections;  // Number of open ones.
  std::function<void()> on_replaced;  // A connection was closed for another.
};

class HttpServer {
 public:
  // Starts a server. `service` must outlive it. Errors: FailedPrecondition, the
  // HTTP library is not installed; InvalidArgument, a host without an address;
  // ResourceExhausted and others, the socket cannot be opened.
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(
      const Service& service, const HttpOptions& options, HttpHooks hooks = {});
  // Accepts no new connections, answers the requests that have arrived, and
  // stops.
  virtual ~HttpServer() = default;

  virtual int port() const = 0;
};

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_SERVE_HTTP_SERVER_H_
