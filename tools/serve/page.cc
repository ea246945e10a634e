#include "serve/page.h"

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

// The Makefile makes them of the file page.html.
extern "C" {
extern const char _binary_page_html_start[];  // NOLINT
extern const char _binary_page_html_end[];    // NOLINT
}

namespace firth::tools {
namespace {

constexpr absl::string_view kPolicyStart =
    "<meta http-equiv=\"Content-Security-Policy\" content=\"";
constexpr absl::string_view kDataStart = "id=\"firth-data\">";
constexpr absl::string_view kDataEnd = "</script>";

// Nothing where the page says nothing.
std::string PolicyOf(absl::string_view page) {
  const size_t start = page.find(kPolicyStart);
  if (start == absl::string_view::npos) return "default-src 'none'";
  const absl::string_view rest = page.substr(start + kPolicyStart.size());
  return std::string(rest.substr(0, rest.find('"')));
}

}  // namespace

absl::string_view PageText() {
  // Two objects, for the language: only their addresses may be subtracted.
  return {_binary_page_html_start,
          reinterpret_cast<uintptr_t>(_binary_page_html_end) -
              reinterpret_cast<uintptr_t>(_binary_page_html_start)};
}

Response PageResponse(absl::string_view page) {
  Response response;
  response.type = "text/html; charset=utf-8";
  response.body = Share(std::string(page));
  response.headers = {
      {"X-Content-Type-Options", "nosniff"},
      {"Content-Security-Policy",
       absl::StrCat(PolicyOf(page), "; frame-ancestors 'none'")},
      {"Cross-Origin-Opener-Policy", "same-origin"},
      {"Cross-Origin-Resource-Policy", "same-origin"},
      {"Referrer-Policy", "no-referrer"},
      {"Cache-Control", "no-cache"}};
  return response;
}

absl::StatusOr<std::string> PageWithData(absl::string_view page,
                                         const Json& data) {
  const size_t start = page.find(kDataStart);
  const size_t place = start + kDataStart.size();
  if (start == absl::string_view::npos ||
      page.substr(place, kDataEnd.size()) != kDataEnd) {
    return absl::FailedPreconditionError(
        "the page has no empty script for data");
  }
  return absl::StrCat(page.substr(0, place),
                      absl::StrReplaceAll(OneLine(data), {{"<", "\\u003c"}}),
                      page.substr(place));
}

}  // namespace firth::tools
