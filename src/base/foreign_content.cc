#include "base/foreign_content.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/quote.h"
#include "base/unicode.h"

namespace firth {
namespace {

constexpr size_t kQuotedBytes = 32;

struct Mark {
  size_t at;
  absl::string_view bytes;
  absl::string_view found;
};

constexpr absl::string_view kLfsPointer =
    "a Git LFS pointer instead of the file; \"git lfs pull\" downloads the "
    "file";

constexpr Mark kMarks[] = {
    {0, "7z\xBC\xAF\x27\x1C", "a 7z archive; unpack it first"},
    {0, "Rar!\x1A\x07", "a RAR archive; unpack it first"},
    {257, "ustar", "a tar archive; unpack it first (tar xf)"},
    {0, "version https://git-lfs.github.com/spec/", kLfsPointer},
};

// Requires a byte order mark and at least one ASCII character, because a word
// may begin with the bytes of the mark.
bool IsUtf16(absl::string_view head) {
  constexpr size_t kSomeBytes = 256;
  return (absl::StartsWith(head, "\xFF\xFE") ||
          absl::StartsWith(head, "\xFE\xFF")) &&
         absl::StrContains(head.substr(0, kSomeBytes), '\0');
}

// A pickle of protocol 2 or later begins with its protocol number.
bool IsPickle(absl::string_view head) {
  return head.size() > 1 && head[0] == '\x80' && head[1] >= 2 && head[1] <= 5;
}

// Returns the name of the first member of a zip archive, or "" if `head` is too
// short.
absl::string_view FirstMember(absl::string_view head) {
  constexpr size_t kNameSizeAt = 26;
  constexpr size_t kNameAt = 30;
  if (head.size() < kNameAt) return "";
  const auto byte = [&](size_t at) {
    return static_cast<size_t>(static_cast<unsigned char>(head[at]));
  };
  const size_t bytes = byte(kNameSizeAt) + 256 * byte(kNameSizeAt + 1);
  return head.substr(kNameAt, bytes);
}

std::string DescribeZip(absl::string_view head) {
  const absl::string_view member = FirstMember(head);
  if (absl::EndsWith(member, "data.pkl")) {
    return "a PyTorch pickle, which is not read because pickles can run code; "
           "save it from PyTorch with safetensors.torch.save_file()";
  }
  if (absl::EndsWith(member, ".npy")) {
    return "a NumPy .npz archive; save one of its arrays with numpy.save() as "
           ".npy";
  }
  return absl::StrCat("a zip archive; unzip it first",
                      member.empty() ? ""
                                     : absl::StrCat(" (its first file is ",
                                                    Quote(member), ")"));
}

// Returns whether the first line has at least three values separated by commas,
// and no space.
bool LooksLikeCsv(absl::string_view head) {
  constexpr size_t kLongestLine = size_t{64} << 10;
  head = head.substr(0, kLongestLine);
  const absl::string_view line = head.substr(0, head.find('\n'));
  return std::count(line.begin(), line.end(), ',') > 1 &&
         FindWhiteSpace(line) >= line.size() - absl::EndsWith(line, "\r");
}

// Returns whether the first line has a word, two numbers and a text, separated
// by tabs.
bool LooksLikeMapTable(absl::string_view head) {
  const std::vector<absl::string_view> fields =
      absl::StrSplit(head.substr(0, head.find('\n')), '\t');
  float number;
  return fields.size() == 4 && absl::SimpleAtof(fields[1], &number) &&
         absl::SimpleAtof(fields[2], &number);
}

}  // namespace

bool LooksLikeSafetensors(absl::string_view head) {
  return head.size() > 8 && head[8] == '{' &&
         head.substr(4, 4) == absl::string_view("\0\0\0\0", 4);
}

std::string FindForeignContent(absl::string_view head) {
  // Its length may look like any of the marks.
  if (LooksLikeSafetensors(head)) return "";
  if (absl::StartsWith(head, "PK\x03\x04")) return DescribeZip(head);
  if (IsPickle(head)) {
    return "a pickle, which is not read because pickles can run code; in "
           "gensim, save the vectors with save_word2vec_format()";
  }
  if (IsUtf16(head)) {
    return "text in UTF-16; \"iconv -f UTF-16 -t UTF-8\" converts it";
  }
  for (const Mark& mark : kMarks) {
    if (head.size() > mark.at &&
        absl::StartsWith(head.substr(mark.at), mark.bytes)) {
      return std::string(mark.found);
    }
  }
  return "";
}

std::string DescribeContent(absl::string_view head) {
  if (head.empty()) return "an empty file";
  if (std::string foreign = FindForeignContent(head); !foreign.empty()) {
    return foreign;
  }
  if (absl::StartsWithIgnoreCase(head, "<!doctype html") ||
      absl::StartsWithIgnoreCase(head, "<html")) {
    return "a web page, perhaps downloaded instead of the file";
  }
  if (LooksLikeCsv(head)) {
    return absl::StrCat(
        "comma-separated values; a text vector file has spaces instead of "
        "commas and no column names: ",
        Quote(head.substr(0, kQuotedBytes)));
  }
  if (LooksLikeMapTable(head)) {
    return "a table that \"firth map\" writes for other programs; \"firth map "
           "VECTORS --output FILE.safetensors\" writes a map that Firth can "
           "read";
  }
  return Quote(head.substr(0, kQuotedBytes));
}

}  // namespace firth
