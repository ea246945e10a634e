// The service at a socket, by GNU libmicrohttpd.
//
// One thread reads and writes all connections; what a request asks is worked
// out by others, while its connection sleeps. So neither a slow client nor a
// slow question holds up anybody else. A request must have arrived, and its
// answer been taken, within a time from start to end: one byte now and then
// does not keep a connection.

#ifndef FIRTH_TOOLS_SERVE_HTTP_SERVER_H_
#define FIRTH_TOOLS_SERVE_HTTP_SERVER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "serve/service.h"

namespace firth::tools {

struct HttpOptions {
  std::string host = "127.0.0.1";
  int port = 8080;  // 0: one that is free
  uint64_t most_body_bytes = uint64_t{1} << 20;
  size_t most_connections = 256;  // others wait until one is closed
  int timeout = 30;  // seconds for a request to arrive, for its answer to be
                     // taken, and between two requests of a connection
};

// A request that was answered, or given up.
struct Served {
  std::string client;  // its address
  std::string method;
  std::string path;   // without the query
  std::string route;  // of the table; empty: none
  int status = 0;     // 0: the client went away before
  size_t bytes = 0;   // of the body that was sent
  double seconds = 0;
};

// Called by one thread; either may be empty.
struct HttpHooks {
  std::function<void(const Served&)> on_served;
  std::function<void(size_t)> on_connections;  // how many are open now
};

class HttpServer {
 public:
  // Starts to answer. `service` outlives the server. Errors:
  // FailedPrecondition, no library for HTTP; InvalidArgument, a host without an
  // address; ResourceExhausted and others, why there can be no socket.
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(
      const Service& service, const HttpOptions& options, HttpHooks hooks = {});
  // Takes no new connection, answers the requests that have arrived, and ends.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const;

 private:
  class Body;
  explicit HttpServer(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_SERVE_HTTP_SERVER_H_
