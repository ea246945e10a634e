// A request and its response as values: what the service answers is a function
// of one to the other, which knows no sockets.

#ifndef FIRTH_TOOLS_SERVE_REQUEST_H_
#define FIRTH_TOOLS_SERVE_REQUEST_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace firth::tools {

struct Request {
  std::string method;
  std::string target;  // path and query as they came, percent-encoded
  // Headers that the service looks at.
  std::optional<std::string> host;
  std::optional<std::string> origin;
  std::optional<std::string> fetch_site;  // Sec-Fetch-Site
  std::optional<std::string> authorization;
  std::optional<std::string> content_type;
  std::string body;
};

// Bytes that responses share: a map is sent to many.
using SharedText = std::shared_ptr<const std::string>;

inline SharedText Share(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}

struct Response {
  int status = 200;
  std::string type = "application/json";
  SharedText body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
};

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_SERVE_REQUEST_H_
