#include "serve/listening_socket.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "firth/status_macros.h"

namespace firth::tools {
namespace {

// Clients that have connected and not been accepted yet.
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

}  // namespace firth::tools
