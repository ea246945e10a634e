// A client that writes what bytes it likes to a service on this machine.

#ifndef FIRTH_TESTS_SERVE_HTTP_CLIENT_H_
#define FIRTH_TESTS_SERVE_HTTP_CLIENT_H_

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace firth {

class HttpClient {
 public:
  explicit HttpClient(int port) : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<uint16_t>(port));
    is_connected_ = connect(fd_, reinterpret_cast<sockaddr*>(&address),
                            sizeof(address)) == 0;
  }
  ~HttpClient() { close(fd_); }
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  bool is_connected() const { return is_connected_; }

  // False where the service has closed the connection.
  bool Write(absl::string_view bytes) const {
    return send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(bytes.size());
  }

  // The next response, headers and body, whose length it says; what came of it
  // if the service closes the connection first.
  std::string Read() {
    while (!IsWhole() && ReadMore()) {
    }
    const std::string response = seen_.substr(0, Length());
    seen_.erase(0, response.size());
    return response;
  }

  // All until the service closes the connection.
  std::string ReadToTheEnd() {
    while (ReadMore()) {
    }
    return seen_;
  }

 private:
  bool ReadMore() {
    char bytes[4096];
    const ssize_t count = recv(fd_, bytes, sizeof(bytes), 0);
    if (count <= 0) return false;
    seen_.append(bytes, static_cast<size_t>(count));
    return true;
  }
  size_t Length() const {
    const size_t end = seen_.find("\r\n\r\n");
    if (end == std::string::npos) return seen_.size();
    const std::string name = "Content-Length: ";
    const size_t length = seen_.find(name);
    return end + 4 +
           (length < end ? std::stoul(seen_.substr(length + name.size())) : 0);
  }
  bool IsWhole() const {
    return seen_.find("\r\n\r\n") != std::string::npos &&
           seen_.size() >= Length();
  }

  int fd_;
  bool is_connected_;
  std::string seen_;
};

inline std::string HttpGet(absl::string_view target) {
  return absl::StrCat("GET ", target, " HTTP/1.1\r\nHost: localhost\r\n\r\n");
}

// `more`: further header lines, each with its end.
inline std::string HttpPost(absl::string_view target, absl::string_view body,
                            absl::string_view more = "") {
  return absl::StrCat("POST ", target, " HTTP/1.1\r\nHost: localhost\r\n",
                      "Content-Type: application/json\r\nContent-Length: ",
                      body.size(), "\r\n", more, "\r\n", body);
}

}  // namespace firth

#endif  // FIRTH_TESTS_SERVE_HTTP_CLIENT_H_
