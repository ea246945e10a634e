// Headers are counted while libmicrohttpd lists them, and checked afterwards. A
// request that a proxy could interpret differently is refused.

#include "serve/network.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <netdb.h>
#include <netinet/in.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <memory>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "firth/status_macros.h"
#include "serve/service.h"

namespace firth::tools {
namespace {

// Maximum number of connected clients that wait to be accepted.
constexpr int kBacklog = 1024;

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

absl::StatusOr<Addresses> Resolve(const std::string& host, int port) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error =
      getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (error == 0) return Addresses(found, &freeaddrinfo);
  if (error == EAI_MEMORY || error == EAI_SYSTEM) {  // The name may be right.
    return absl::ResourceExhaustedError(absl::StrCat(
        "cannot look up the address of ", host, ": ",
        error == EAI_SYSTEM ? std::strerror(errno) : gai_strerror(error)));
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "--host: \"", host,
      "\" is not a name or an address of this machine: ", gai_strerror(error)));
}

absl::Status Failed(const std::string& host, int port, int error) {
  return absl::UnavailableError(absl::StrCat(
      "cannot listen at ", host, " port ", port, ": ", std::strerror(error),
      error == EADDRINUSE ? "; choose another port with --port" : ""));
}

int PortOf(int fd) {
  sockaddr_storage address = {};
  socklen_t size = sizeof(address);
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.ss_family == AF_INET6
                   ? reinterpret_cast<sockaddr_in6*>(&address)->sin6_port
                   : reinterpret_cast<sockaddr_in*>(&address)->sin_port);
}

constexpr char kLibraryFile[] = "libmicrohttpd.so.12";

template <class Function>
bool Find(void* library, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(library, name));
  return *function != nullptr;
}

absl::StatusOr<MicrohttpdLibrary> FindMicrohttpd() {
  void* const library = dlopen(kLibraryFile, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return absl::FailedPreconditionError(absl::StrCat(
        "cannot load a library: ", dlerror(),
        ". The files of a release must stay together (bin and "
        "lib/firth). A program that was built on this system needs "
        "Debian's package libmicrohttpd12"));
  }
  MicrohttpdLibrary all;
  const bool found =
      Find(library, "MHD_get_version", &all.get_version) &&
      Find(library, "MHD_start_daemon", &all.start_daemon) &&
      Find(library, "MHD_quiesce_daemon", &all.quiesce_daemon) &&
      Find(library, "MHD_stop_daemon", &all.stop_daemon) &&
      Find(library, "MHD_suspend_connection", &all.suspend_connection) &&
      Find(library, "MHD_resume_connection", &all.resume_connection) &&
      Find(library, "MHD_get_connection_info", &all.get_connection_info) &&
      Find(library, "MHD_get_connection_values", &all.get_connection_values) &&
      Find(library, "MHD_lookup_connection_value",
           &all.lookup_connection_value) &&
      Find(library, "MHD_create_response_from_buffer_with_free_callback_cls",
           &all.create_response) &&
      Find(library, "MHD_add_response_header", &all.add_response_header) &&
      Find(library, "MHD_queue_response", &all.queue_response) &&
      Find(library, "MHD_destroy_response", &all.destroy_response);
  if (found) return all;
  return absl::FailedPreconditionError(absl::StrCat(
      kLibraryFile, ": version 0.9.73 or later is needed: ", dlerror()));
}

// More than any route needs, and less than the library's limit.
constexpr size_t kMostTargetBytes = 8192;
constexpr size_t kMostParameters = 100;

Response TooLong(absl::string_view message) {
  return ErrorResponse(414, "too_large", message);
}

Response Refused(int status, absl::string_view code,
                 absl::string_view message) {
  Response response = ErrorResponse(status, code, message);
  // After a malformed request, the start of the next one is uncertain.
  response.headers.emplace_back("Connection", "close");
  return response;
}

// Returns whether a header name may contain the character (RFC 9110, 5.6.2).
bool IsNameCharacter(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
         absl::StrContains("!#$%&'*+-.^_`|~", absl::string_view(&c, 1));
}

// Headers that may occur once in a request: those that the service or the
// library reads.
constexpr absl::string_view kOnce[] = {
    "Host",         "Origin",         "Sec-Fetch-Site",   "Authorization",
    "Content-Type", "Content-Length", "Transfer-Encoding"};

// Collects the headers of a request and finds the reason to refuse them.
class HeaderCheck {
 public:
  // Does not allocate, because no exception may pass through the C library.
  void Add(absl::string_view name, absl::string_view value) noexcept;
  std::optional<Response> Refusal() const;

 private:
  bool Has(absl::string_view name) const {
    const auto place = absl::c_find(kOnce, name) - std::begin(kOnce);
    return counts_[static_cast<size_t>(place)] > 0;
  }

  std::array<int, std::size(kOnce)> counts_ = {};
  bool has_odd_name_ = false;
  bool is_chunked_ = true;  // True without Transfer-Encoding.
};

void HeaderCheck::Add(absl::string_view name,
                      absl::string_view value) noexcept {
  has_odd_name_ =
      has_odd_name_ || name.empty() || !absl::c_all_of(name, IsNameCharacter);
  for (size_t i = 0; i < counts_.size(); ++i) {
    counts_[i] += absl::EqualsIgnoreCase(name, kOnce[i]);
  }
  if (absl::EqualsIgnoreCase(name, "Transfer-Encoding")) {
    is_chunked_ =
        absl::EqualsIgnoreCase(absl::StripAsciiWhitespace(value), "chunked");
  }
}

std::optional<Response> HeaderCheck::Refusal() const {
  constexpr absl::string_view kCode = "invalid_argument";
  if (has_odd_name_) {
    return Refused(400, kCode, "the name of a header contains white space");
  }
  for (size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] < 2) continue;
    return Refused(
        400, kCode,
        absl::StrCat(kOnce[i], ": this header must occur once, found it ",
                     counts_[i], " times"));
  }
  if (!is_chunked_) {
    return Refused(501, "not_implemented",
                   "Transfer-Encoding: only chunked is supported");
  }
  if (Has("Transfer-Encoding") && Has("Content-Length")) {
    return Refused(
        400, kCode,
        "a request must not have both Content-Length and Transfer-Encoding");
  }
  return std::nullopt;
}

}  // namespace

absl::StatusOr<ListeningSocket> Listen(const std::string& host, int port) {
  FIRTH_ASSIGN_OR_RETURN(const Addresses addresses, Resolve(host, port));
  const int fd = socket(addresses->ai_family,
                        SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return Failed(host, port, errno);
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (bind(fd, addresses->ai_addr, addresses->ai_addrlen) == 0 &&
      listen(fd, kBacklog) == 0) {
    return ListeningSocket{fd, PortOf(fd)};
  }
  const int error = errno;
  close(fd);
  return Failed(host, port, error);
}

absl::StatusOr<bool> IsLoopback(const std::string& host) {
  FIRTH_ASSIGN_OR_RETURN(const Addresses addresses, Resolve(host, 0));
  for (const addrinfo* one = addresses.get(); one != nullptr;
       one = one->ai_next) {
    const std::string text = AddressText(one->ai_addr);
    if (!absl::StartsWith(text, "127.") && text != "::1") return false;
  }
  return true;
}

std::string AddressText(const sockaddr* address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address->sa_family == AF_INET) {
    const auto* const v4 = reinterpret_cast<const sockaddr_in*>(address);
    inet_ntop(AF_INET, &v4->sin_addr, text, sizeof(text));
  } else if (address->sa_family == AF_INET6) {
    const auto* const v6 = reinterpret_cast<const sockaddr_in6*>(address);
    inet_ntop(AF_INET6, &v6->sin6_addr, text, sizeof(text));
  }
  return text;
}

absl::StatusOr<const MicrohttpdLibrary*> LoadMicrohttpd() {
  // Threads of a server use it while the next one starts.
  static const auto& library =
      *new absl::StatusOr<MicrohttpdLibrary>(FindMicrohttpd());
  if (!library.ok()) return library.status();
  return &*library;
}

std::optional<Response> CheckTarget(absl::string_view target) {
  if (target.size() > kMostTargetBytes) {
    return TooLong(absl::StrCat("path and query must have at most ",
                                kMostTargetBytes, " bytes, found ",
                                target.size()));
  }
  const auto ands = static_cast<size_t>(absl::c_count(target, '&'));
  if (ands < kMostParameters) return std::nullopt;
  return TooLong(absl::StrCat("the query must have at most ", kMostParameters,
                              " parameters, found ", ands + 1));
}

std::optional<std::string> TakeAuthority(std::string* target) {
  absl::string_view rest = *target;
  if (!absl::StartsWithIgnoreCase(rest, "http://") &&
      !absl::StartsWithIgnoreCase(rest, "https://")) {
    return std::nullopt;
  }
  rest.remove_prefix(rest.find("//") + 2);
  const size_t end = std::min(rest.find_first_of("/?"), rest.size());
  std::string authority(rest.substr(0, end));
  rest.remove_prefix(end);
  *target =
      absl::StrCat(absl::StartsWith(rest, "/") ? "" : "/", std::string(rest));
  return authority;
}

std::optional<Response> ReadHeaders(const MicrohttpdLibrary& http,
                                    MHD_Connection* connection,
                                    Request* request) {
  const auto header = [&](const char* name) -> std::optional<std::string> {
    const char* const value =
        http.lookup_connection_value(connection, MHD_HEADER_KIND, name);
    if (value == nullptr) return std::nullopt;
    return value;
  };
  if (!request->host.has_value()) request->host = header("Host");
  request->origin = header("Origin");
  request->fetch_site = header("Sec-Fetch-Site");
  request->authorization = header("Authorization");
  request->content_type = header("Content-Type");
  HeaderCheck check;
  http.get_connection_values(
      connection, MHD_HEADER_KIND,
      [](void* self, MHD_ValueKind, const char* name, const char* value) {
        static_cast<HeaderCheck*>(self)->Add(name,
                                             value == nullptr ? "" : value);
        return MHD_YES;
      },
      &check);
  return check.Refusal();
}

std::string ClosingResponse(const Response& response) {
  // The phrase after the status may be empty (RFC 9112, 4).
  std::string bytes =
      absl::StrCat("HTTP/1.1 ", response.status,
                   " \r\nConnection: close\r\nContent-Type: ", response.type,
                   "\r\nContent-Length: ", response.body->size(), "\r\n");
  for (const auto& [name, value] : response.headers) {
    absl::StrAppend(&bytes, name, ": ", value, "\r\n");
  }
  return absl::StrCat(bytes, "\r\n", *response.body);
}

}  // namespace firth::tools
