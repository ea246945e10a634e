// Headers are counted while libmicrohttpd lists them, and judged afterwards: a
// request that a proxy in front could read differently is refused.

#include "serve/request_head.h"

#include <array>
#include <cstddef>
#include <iterator>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "serve/service.h"

namespace firth::tools {
namespace {

// Far more than any route takes, and less than the library has room for.
constexpr size_t kMostTargetBytes = 8192;
constexpr size_t kMostParameters = 100;

Response TooLong(absl::string_view message) {
  return ErrorResponse(414, "too_large", message);
}

Response Refused(int status, absl::string_view code,
                 absl::string_view message) {
  Response response = ErrorResponse(status, code, message);
  // Where the next request begins is not known.
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
  // Allocates nothing: the library, which is C, calls it.
  void Add(absl::string_view name, absl::string_view value) noexcept;
  std::optional<Response> Refusal() const;

 private:
  bool Has(absl::string_view name) const {
    const auto place = absl::c_find(kOnce, name) - std::begin(kOnce);
    return counts_[static_cast<size_t>(place)] > 0;
  }

  std::array<int, std::size(kOnce)> counts_ = {};
  bool has_odd_name_ = false;
  bool is_chunked_ = true;  // if there is a Transfer-Encoding
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

std::optional<Response> ReadHeaders(const MicrohttpdLibrary& http,
                                    MHD_Connection* connection,
                                    Request* request) {
  const auto header = [&](const char* name) -> std::optional<std::string> {
    const char* const value =
        http.lookup_connection_value(connection, MHD_HEADER_KIND, name);
    if (value == nullptr) return std::nullopt;
    return value;
  };
  request->host = header("Host");
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
