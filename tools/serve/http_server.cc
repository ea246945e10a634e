// A request is processed as follows. OnTarget() creates its Exchange.
// OnRequest() is called with its headers, with pieces of its body, and when it
// is complete; then it queues the request and suspends the connection. A worker
// sets the response and resumes the connection, and OnRequest() is called again
// and sends it. OnCompleted() ends the exchange, whether it succeeded or not.

#include "serve/http_server.h"

#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdarg>
#include <cstring>
#include <exception>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <system_error>
#include <thread>
#include <utility>
#include <variant>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "firth/status_macros.h"
#include "serve/network.h"
#include "serve/work_queue.h"

namespace firth::tools {
namespace {

using Clock = std::chrono::steady_clock;

// Maximum memory for the headers of a request.
constexpr size_t kConnectionBytes = size_t{32} << 10;
// Maximum numbers of requests that wait for a worker. The number of connections
// limits them too, but many slow requests would wait for minutes.
constexpr size_t kMostQuick = 4096;
constexpr size_t kMostSlow = 16;
constexpr size_t kMostReloads = 1;
constexpr size_t kSpareConnections = 8;
constexpr size_t kOtherFiles = 64;  // Models, libraries and logs.
// Maximum total size of the bodies of unanswered requests, as a multiple of the
// maximum size of one body.
constexpr uint64_t kMostBodies = 16;
// A body that is too large is read up to this multiple of the maximum size, so
// that the client receives the reason for the refusal.
constexpr uint64_t kMostDiscarded = 8;

// An open connection.
struct Peer {
  int fd = -1;
  std::string address;
  bool is_client_due = true;  // Whether the server waits for it since `since`.
  Clock::time_point since = Clock::now();
  bool is_closing = false;
};

enum class Stage { kHeaders, kBody, kWork, kAnswered };

struct Exchange {
  Stage stage = Stage::kHeaders;
  Clock::time_point start = Clock::now();
  Request request;
  uint64_t body_bytes = 0;          // Bytes received, kept or not.
  bool is_kept = true;              // False if the body was discarded.
  bool is_refused = false;          // Whether RefuseTarget() answered it.
  std::optional<Response> refusal;  // Response to wrong headers.
  Response response;
  bool is_received = false;
  Served served;  // Facts for the access log.
  Peer* peer = nullptr;
};

Response TooManyRequests() {
  return ErrorResponse(503, "unavailable", "too many requests at once");
}

class Server : public HttpServer {
 public:
  Server(const Service& service, const HttpOptions& options, HttpHooks hooks,
         const MicrohttpdLibrary& library)
      : service_(service),
        options_(options),
        hooks_(std::move(hooks)),
        http_(library),
        quick_(std::max(2U, std::thread::hardware_concurrency()), kMostQuick),
        slow_(1, kMostSlow),
        reloads_(1, kMostReloads) {}
  ~Server() override;

  absl::Status Start();
  int port() const override { return port_; }

 private:
  static void OnLibraryMessage(void* self, const char* format,
                               va_list arguments);
  static void* OnTarget(void* self, const char* target,
                        MHD_Connection* connection);
  static MHD_Result OnRequest(void* self, MHD_Connection* connection,
                              const char* path, const char* method,
                              const char* version, const char* data,
                              size_t* size, void** exchange);
  static void OnCompleted(void* self, MHD_Connection* connection,
                          void** exchange, MHD_RequestTerminationCode);
  static void OnConnection(void* self, MHD_Connection* connection,
                           void** context, MHD_ConnectionNotificationCode code);

  void RefuseTarget(MHD_Connection* connection, const Response& response,
                    Exchange* exchange) const;
  Peer* PeerOf(MHD_Connection* connection) const;
  MHD_Result Continue(MHD_Connection* connection, const char* method,
                      absl::string_view piece, Exchange* exchange);
  MHD_Result TakeHeaders(MHD_Connection* connection, const char* method,
                         Exchange* exchange);
  MHD_Result TakeBody(absl::string_view piece, Exchange* exchange);
  MHD_Result TakeWhole(MHD_Connection* connection, Exchange* exchange);
  void AddWork(MHD_Connection* connection, const Job& job, Exchange* exchange);
  MHD_Result Send(MHD_Connection* connection, Exchange* exchange);
  void SetDue(Peer* peer, bool is_client_due);
  void Report(Exchange* exchange) const;
  void CloseLateConnections();
  void MakeRoomFor(const Peer& next) const;

  const Service& service_;
  const HttpOptions options_;
  const HttpHooks hooks_;
  const MicrohttpdLibrary& http_;
  int port_ = 0;
  MHD_Daemon* daemon_ = nullptr;
  std::atomic<bool> ends_ = false;
  std::atomic<uint64_t> bytes_of_bodies_ = 0;
  // Status of the answer that the library is about to send; see
  // OnLibraryMessage(). Used by the thread of the library.
  int library_status_ = 0;

  std::mutex mutex_;  // Guards the members up to is_closed_.
  std::condition_variable completed_;
  std::condition_variable closed_;
  std::set<Peer*> peers_;
  size_t under_way_ = 0;  // Requests received but not completed.
  bool is_closed_ = false;

  std::thread closer_;
  WorkQueue quick_;
  WorkQueue slow_;
  WorkQueue reloads_;
};

// Raises the limit of file descriptors, of which each connection needs one.
void RaiseFileLimit(rlim_t needed) {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed) return;
  limit.rlim_cur = std::min(needed, limit.rlim_max);
  setrlimit(RLIMIT_NOFILE, &limit);
}

absl::Status Server::Start() {
  RaiseFileLimit(options_.most_connections + kSpareConnections + kOtherFiles);
  FIRTH_ASSIGN_OR_RETURN(const ListeningSocket socket,
                         Listen(options_.host, options_.port));
  port_ = socket.port;
  daemon_ = http_.start_daemon(
      MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME |
          MHD_USE_ERROR_LOG,
      0, nullptr, nullptr, &OnRequest, this, MHD_OPTION_EXTERNAL_LOGGER,
      &OnLibraryMessage, this, MHD_OPTION_LISTEN_SOCKET, socket.fd,
      MHD_OPTION_CONNECTION_LIMIT,
      static_cast<unsigned int>(options_.most_connections + kSpareConnections),
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, kConnectionBytes,
      MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_URI_LOG_CALLBACK, &OnTarget,
      this, MHD_OPTION_NOTIFY_COMPLETED, &OnCompleted, this,
      MHD_OPTION_NOTIFY_CONNECTION, &OnConnection, this, MHD_OPTION_END);
  if (daemon_ == nullptr) {
    const int error = errno;
    close(socket.fd);
    return absl::ResourceExhaustedError(absl::StrCat(
        "the HTTP server could not start: ", std::strerror(error)));
  }
  closer_ = std::thread([this] { CloseLateConnections(); });
  return absl::OkStatus();
}

Server::~Server() {
  if (daemon_ == nullptr) return;
  ends_ = true;
  const int socket = http_.quiesce_daemon(daemon_);
  if (socket >= 0) close(socket);
  {
    std::unique_lock<std::mutex> lock(mutex_);
    completed_.wait(lock, [this] { return under_way_ == 0; });
    is_closed_ = true;
  }
  closed_.notify_all();
  http_.stop_daemon(daemon_);
  if (closer_.joinable()) closer_.join();
}

// The library answers malformed requests itself. It reports the status only in
// this message, without the connection. The next callback is that of the end of
// the request, because the answer is short enough to be sent at once.
void Server::OnLibraryMessage(void* self, const char* format,
                              va_list arguments) {
  constexpr absl::string_view kStart =
      "Error processing request (HTTP response code is %u";
  if (!absl::StartsWith(format, kStart)) return;
  static_cast<Server*>(self)->library_status_ =
      static_cast<int>(va_arg(arguments, unsigned int));
}

// Returns null if there is no memory for an exchange; OnRequest() then refuses
// the request. No exception may pass through the C library, here and below.
void* Server::OnTarget(void* self, const char* target,
                       MHD_Connection* connection) {
  static_cast<Server*>(self)->library_status_ = 0;
  try {
    auto exchange = std::make_unique<Exchange>();
    Request& request = exchange->request;
    request.target = target;
    // It replaces the header Host (RFC 9112, 3.2.2).
    request.host = TakeAuthority(&request.target);
    exchange->served.path = request.target.substr(0, request.target.find('?'));
    if (const std::optional<Response> refusal = CheckTarget(target)) {
      static_cast<Server*>(self)->RefuseTarget(connection, *refusal,
                                               exchange.get());
    }
    return exchange.release();
  } catch (const std::exception&) {
    return nullptr;
  }
}

// Answers directly on the socket, before the library parses the target. The
// library has no room for such a target and would wait until the timeout.
// Nothing else is being sent, because requests are answered one by one. The
// library then detects that the connection has ended.
void Server::RefuseTarget(MHD_Connection* connection, const Response& response,
                          Exchange* exchange) const {
  Peer* const peer = PeerOf(connection);
  if (peer == nullptr) return;
  const std::string bytes = ClosingResponse(response);
  const ssize_t sent =
      send(peer->fd, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  shutdown(peer->fd, SHUT_RDWR);
  exchange->is_refused = true;
  exchange->served.client = peer->address;
  exchange->served.method = "-";  // The library supplies it later.
  exchange->served.status = sent < 0 ? 0 : response.status;
  exchange->served.bytes = response.body->size();
}

Peer* Server::PeerOf(MHD_Connection* connection) const {
  return static_cast<Peer*>(
      http_.get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)
          ->socket_context);
}

void Server::OnConnection(void* self, MHD_Connection* connection,
                          void** context,
                          MHD_ConnectionNotificationCode code) try {
  auto* const server = static_cast<Server*>(self);
  server->library_status_ = 0;
  size_t connections = 0;
  if (code == MHD_CONNECTION_NOTIFY_STARTED) {
    auto peer = std::make_unique<Peer>();
    peer->fd =
        server->http_
            .get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)
            ->connect_fd;
    peer->address = AddressText(
        server->http_
            .get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS)
            ->client_addr);
    const std::lock_guard<std::mutex> lock(server->mutex_);
    server->MakeRoomFor(*peer);
    server->peers_.insert(peer.get());
    *context = peer.release();
    connections = server->peers_.size();
  } else {
    // This precedes closing the socket, whose number may then be reused.
    auto* const peer = static_cast<Peer*>(*context);
    if (peer == nullptr) return;
    const std::lock_guard<std::mutex> lock(server->mutex_);
    server->peers_.erase(peer);
    connections = server->peers_.size();
    delete peer;
  }
  if (server->hooks_.on_connections) server->hooks_.on_connections(connections);
} catch (const std::exception&) {
  // A connection without a peer is refused by TakeHeaders().
}

MHD_Result Server::OnRequest(void* self, MHD_Connection* connection,
                             const char*, const char* method, const char*,
                             const char* data, size_t* size,
                             void** exchange_slot) {
  static_cast<Server*>(self)->library_status_ = 0;
  auto* const exchange = static_cast<Exchange*>(*exchange_slot);
  if (exchange == nullptr || exchange->is_refused) return MHD_NO;
  const bool takes_body = exchange->stage == Stage::kBody;
  const absl::string_view piece(data, takes_body ? *size : 0);
  if (takes_body) *size = 0;
  try {
    return static_cast<Server*>(self)->Continue(connection, method, piece,
                                                exchange);
  } catch (const std::exception&) {
    return MHD_NO;
  }
}

MHD_Result Server::Continue(MHD_Connection* connection, const char* method,
                            absl::string_view piece, Exchange* exchange) {
  switch (exchange->stage) {
    case Stage::kHeaders:
      exchange->stage = Stage::kBody;
      return TakeHeaders(connection, method, exchange);
    case Stage::kBody:
      if (piece.empty()) return TakeWhole(connection, exchange);
      return TakeBody(piece, exchange);
    case Stage::kWork:
      return MHD_YES;
    case Stage::kAnswered:
      return Send(connection, exchange);
  }
  return MHD_NO;
}

MHD_Result Server::TakeHeaders(MHD_Connection* connection, const char* method,
                               Exchange* exchange) {
  exchange->peer = PeerOf(connection);
  if (exchange->peer == nullptr) return MHD_NO;
  Request& request = exchange->request;
  request.method = exchange->served.method = method;
  exchange->served.client = exchange->peer->address;
  exchange->refusal = ReadHeaders(http_, connection, &request);
  const char* const claimed = http_.lookup_connection_value(
      connection, MHD_HEADER_KIND, "Content-Length");
  uint64_t length = 0;
  const bool is_too_large =
      absl::SimpleAtoi(claimed == nullptr ? "0" : claimed, &length) &&
      length > options_.most_body_bytes * kMostDiscarded;
  if (!is_too_large && !exchange->refusal.has_value()) return MHD_YES;
  exchange->is_kept = !is_too_large;
  return TakeWhole(connection, exchange);
}

MHD_Result Server::TakeBody(absl::string_view piece, Exchange* exchange) {
  const uint64_t bytes = exchange->body_bytes + piece.size();
  exchange->body_bytes = bytes;
  if (bytes > options_.most_body_bytes * kMostDiscarded) return MHD_NO;
  std::string& kept = exchange->request.body;
  const uint64_t all = bytes_of_bodies_ += piece.size();
  exchange->is_kept = exchange->is_kept && bytes <= options_.most_body_bytes &&
                      all <= options_.most_body_bytes * kMostBodies;
  if (exchange->is_kept) {
    absl::StrAppend(&kept, piece);
  } else {
    std::string().swap(kept);
  }
  return MHD_YES;
}

MHD_Result Server::TakeWhole(MHD_Connection* connection, Exchange* exchange) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    // The library is about to stop, so nothing may be suspended.
    if (is_closed_) return MHD_NO;
    ++under_way_;
    exchange->is_received = true;
  }
  if (exchange->refusal.has_value()) {
    exchange->response = *std::move(exchange->refusal);
    return Send(connection, exchange);
  }
  if (!exchange->is_kept) {
    const bool is_too_large = exchange->body_bytes == 0 ||
                              exchange->body_bytes > options_.most_body_bytes;
    exchange->response =
        is_too_large
            ? ErrorResponse(413, "too_large",
                            absl::StrCat("the body must have at most ",
                                         options_.most_body_bytes, " bytes"))
            : TooManyRequests();
    return Send(connection, exchange);
  }
  std::variant<Job, Response> admitted =
      service_.Admit(std::move(exchange->request));
  if (auto* const response = std::get_if<Response>(&admitted)) {
    exchange->response = std::move(*response);
    return Send(connection, exchange);
  }
  const Job& job = std::get<Job>(admitted);
  if (job.route->at_once) {
    exchange->response = service_.Work(job);
    return Send(connection, exchange);
  }
  AddWork(connection, job, exchange);
  return MHD_YES;
}

void Server::AddWork(MHD_Connection* connection, const Job& job,
                     Exchange* exchange) {
  WorkQueue& queue = job.route->reloads ? reloads_
                     : IsSlow(job)      ? slow_
                                        : quick_;
  SetDue(exchange->peer, false);
  // Both precede adding the job, which a worker may complete at once.
  exchange->stage = Stage::kWork;
  http_.suspend_connection(connection);
  const auto answer = [this, connection, exchange](Response response) {
    exchange->response = std::move(response);
    exchange->stage = Stage::kAnswered;
    http_.resume_connection(connection);
  };
  bool is_taken = false;
  try {
    is_taken = queue.Add([this, answer, job] { answer(service_.Work(job)); });
  } catch (const std::bad_alloc&) {
    // The suspended connection must still be resumed.
  }
  if (!is_taken) answer(TooManyRequests());
}

MHD_Result Server::Send(MHD_Connection* connection, Exchange* exchange) {
  SetDue(exchange->peer, true);
  const Response& response = exchange->response;
  auto* const shared = new SharedText(response.body);
  MHD_Response* const sent = http_.create_response(
      (*shared)->size(), const_cast<char*>((*shared)->data()),
      [](void* owner) { delete static_cast<SharedText*>(owner); }, shared);
  if (sent == nullptr) {
    delete shared;
    return MHD_NO;
  }
  if (!(*shared)->empty()) {
    http_.add_response_header(sent, "Content-Type", response.type.c_str());
  }
  for (const auto& [name, value] : response.headers) {
    http_.add_response_header(sent, name.c_str(), value.c_str());
  }
  if (ends_) http_.add_response_header(sent, "Connection", "close");
  exchange->served.status = response.status;
  exchange->served.bytes = (*shared)->size();
  const MHD_Result result = http_.queue_response(
      connection, static_cast<unsigned int>(response.status), sent);
  http_.destroy_response(sent);
  return result;
}

void Server::OnCompleted(void* self, MHD_Connection* connection,
                         void** exchange_slot,
                         MHD_RequestTerminationCode code) {
  auto* const server = static_cast<Server*>(self);
  const std::unique_ptr<Exchange> exchange(
      static_cast<Exchange*>(std::exchange(*exchange_slot, nullptr)));
  if (exchange == nullptr) return;
  server->bytes_of_bodies_ -= exchange->body_bytes;
  Served& served = exchange->served;
  const int library_status = std::exchange(server->library_status_, 0);
  if (code != MHD_REQUEST_TERMINATED_COMPLETED_OK && !exchange->is_refused) {
    served.status = library_status;
  }
  try {
    if (served.method.empty()) {  // OnRequest() was not called.
      served.method = "-";
      const Peer* const peer = server->PeerOf(connection);
      if (peer != nullptr) served.client = peer->address;
    }
    server->Report(exchange.get());
  } catch (const std::exception&) {
    // One log line is lost, but the request must still be counted.
  }
  if (exchange->peer != nullptr) server->SetDue(exchange->peer, true);
  if (!exchange->is_received) return;
  const std::lock_guard<std::mutex> lock(server->mutex_);
  if (--server->under_way_ == 0) server->completed_.notify_all();
}

void Server::Report(Exchange* exchange) const {
  if (!hooks_.on_served) return;
  Served& served = exchange->served;
  const Route* const route = FindRoute(served.method, served.path);
  if (route != nullptr) served.route = route->path;
  if (served.status == 0) served.bytes = 0;
  served.seconds =
      std::chrono::duration<double>(Clock::now() - exchange->start).count();
  hooks_.on_served(served);
}

void Server::SetDue(Peer* peer, bool is_client_due) {
  const std::lock_guard<std::mutex> lock(mutex_);
  peer->is_client_due = is_client_due;
  peer->since = Clock::now();
}

// Shuts down a connection if there would be too many. One whose request is
// being answered stays. `mutex_` is held.
void Server::MakeRoomFor(const Peer& next) const {
  struct Client {
    size_t connections = 0;
    size_t waiting = 0;
    Peer* oldest = nullptr;  // Of those that wait.
  };
  std::map<std::string, Client> clients;
  size_t connections = 0;
  for (Peer* const peer : peers_) {
    if (peer->is_closing) continue;
    ++connections;
    Client& client = clients[peer->address];
    ++client.connections;
    if (!peer->is_client_due) continue;
    ++client.waiting;
    if (client.oldest == nullptr || peer->since < client.oldest->since) {
      client.oldest = peer;
    }
  }
  const Client& own = clients[next.address];
  Peer* closed = nullptr;
  if (options_.most_of_client > 0 &&
      own.connections >= options_.most_of_client) {
    closed = own.oldest;
  } else if (connections >= options_.most_connections) {
    closed = std::max_element(clients.begin(), clients.end(),
                              [](const auto& a, const auto& b) {
                                return a.second.waiting < b.second.waiting;
                              })
                 ->second.oldest;
  }
  if (closed == nullptr) return;
  closed->is_closing = true;
  shutdown(closed->fd, SHUT_RDWR);
  if (hooks_.on_replaced) hooks_.on_replaced();
}

// Shuts down connections whose clients are late; the thread that reads them
// then closes them. If the server starts to wait for a client during the sleep,
// the client cannot be late before the sleep ends.
void Server::CloseLateConnections() {
  const auto patience = std::chrono::seconds(options_.timeout);
  std::unique_lock<std::mutex> lock(mutex_);
  while (!is_closed_) {
    const Clock::time_point now = Clock::now();
    Clock::time_point next = now + patience;
    for (Peer* const peer : peers_) {
      if (!peer->is_client_due || peer->is_closing) continue;
      if (peer->since + patience <= now) {
        shutdown(peer->fd, SHUT_RDWR);
        peer->is_closing = true;
      } else {
        next = std::min(next, peer->since + patience);
      }
    }
    closed_.wait_until(lock, next);
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(
    const Service& service, const HttpOptions& options, HttpHooks hooks) {
  FIRTH_ASSIGN_OR_RETURN(const MicrohttpdLibrary* library, LoadMicrohttpd());
  try {
    auto server =
        std::make_unique<Server>(service, options, std::move(hooks), *library);
    FIRTH_RETURN_IF_ERROR(server->Start());
    return server;
  } catch (const std::system_error& error) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "the HTTP server cannot start a thread: ", error.code().message()));
  }
}

}  // namespace firth::tools
