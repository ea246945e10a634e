#include "corpus/binary_content.h"

#include <algorithm>
#include <bitset>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/foreign_content.h"

namespace firth {
namespace {

// A head with more kinds of control characters is not text. Text that uses some
// as separators has only a few.
constexpr size_t kMostControls = 7;
// One NUL byte per this many bytes is too much.
constexpr size_t kBytesPerNul = 4;

struct FileMark {
  absl::string_view bytes;
  absl::string_view what;
};
constexpr FileMark kFileMarks[] = {{"\x93NUMPY", "an .npy file"},
                                   {"\x89HDF\r\n\x1a\n", "an HDF5 file"},
                                   {{"FiFu\0", 5}, "a finalfusion file"},
                                   {"\xba\x16\x4f\x2f", "a fastText model"}};

// Returns whether a control character occurs in texts: white space, backspace,
// escape.
bool IsOfText(unsigned char byte) {
  return (byte >= '\b' && byte <= '\r') || byte == 0x1B;
}

size_t CountKindsOfControls(absl::string_view head) {
  std::bitset<32> kinds;
  for (const char c : head) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < kinds.size() && !IsOfText(byte)) kinds.set(byte);
  }
  return kinds.count();
}

// Returns a description such as "a safetensors file", or "" for text.
std::string FindBinaryContent(absl::string_view head) {
  head = head.substr(0, kBinaryHeadBytes);
  if (LooksLikeSafetensors(head)) return "a safetensors file";
  if (std::string foreign = FindForeignContent(head); !foreign.empty()) {
    return foreign;
  }
  for (const FileMark& magic : kFileMarks) {
    if (absl::StartsWith(head, magic.bytes)) return std::string(magic.what);
  }
  const size_t kinds = CountKindsOfControls(head);
  if (kinds > kMostControls) {
    return absl::StrCat("a binary file, with ", kinds,
                        " different control characters in its first ",
                        head.size(), " bytes");
  }
  const auto nuls =
      static_cast<size_t>(std::count(head.begin(), head.end(), '\0'));
  if (nuls * kBytesPerNul <= head.size()) return "";
  return absl::StrCat(
      nuls, " NUL bytes among the first ", head.size(),
      ", as in UTF-16 (\"iconv -f UTF-16 -t UTF-8\" converts such text)");
}

}  // namespace

absl::Status CheckIsText(const std::string& name, absl::string_view head) {
  const std::string found = FindBinaryContent(head);
  if (found.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(name, ": expected text, found ", found));
}

}  // namespace firth
