#include "cli/line_reader.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "firth/status_macros.h"

namespace firth::tools {
namespace {

constexpr absl::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr size_t kMostLineBytes = size_t{1} << 24;

// Without its end and, of the first line, without a byte order mark.
std::string Plain(std::string line, bool is_first) {
  if (is_first && absl::StartsWith(line, kByteOrderMark)) {
    line.erase(0, kByteOrderMark.size());
  }
  if (absl::EndsWith(line, "\r")) line.pop_back();
  return line;
}

}  // namespace

bool SomebodyTypes() {
  return isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0;
}

LineReader::LineReader(PromptOptions prompt) {
  if (SomebodyTypes()) prompt_ = std::make_unique<Prompt>(std::move(prompt));
}

absl::StatusOr<bool> LineReader::ReadMore() {
  constexpr size_t kReadBytes = size_t{64} << 10;
  bytes_.erase(0, std::exchange(taken_, 0));
  is_too_long_ = is_too_long_ || bytes_.size() > kMostLineBytes;
  if (is_too_long_) bytes_.clear();
  const size_t size = bytes_.size();
  bytes_.resize(size + kReadBytes);
  ssize_t count;
  do {
    count = read(STDIN_FILENO, bytes_.data() + size, kReadBytes);
  } while (count < 0 && errno == EINTR);
  const int error = errno;
  bytes_.resize(size + static_cast<size_t>(std::max<ssize_t>(count, 0)));
  if (count >= 0) return count > 0;
  return absl::UnavailableError(absl::StrCat(
      "standard input: cannot read: ", std::generic_category().message(error)));
}

std::vector<LineReader::Line> LineReader::TakeLines(size_t most) {
  std::vector<Line> lines;
  while (lines.size() < most &&
         (taken_ < bytes_.size() || (ended_ && is_too_long_))) {
    size_t end = bytes_.find('\n', taken_);
    if (end == bytes_.npos) {
      if (!ended_) break;
      end = bytes_.size();
    }
    const bool is_first = std::exchange(at_start_, false);
    if (std::exchange(is_too_long_, false)) {
      lines.push_back(absl::InvalidArgumentError(absl::StrCat(
          "expected a line of at most ", kMostLineBytes, " bytes")));
    } else {
      lines.push_back(Plain(bytes_.substr(taken_, end - taken_), is_first));
    }
    taken_ = end + 1;
  }
  taken_ = std::min(taken_, bytes_.size());
  return lines;
}

absl::StatusOr<std::vector<LineReader::Line>> LineReader::Next(size_t most) {
  if (prompt_ != nullptr) {
    std::optional<std::string> line = prompt_->Ask();
    if (!line.has_value()) return std::vector<Line>();
    return std::vector<Line>{*std::move(line)};
  }
  for (;;) {
    std::vector<Line> lines = TakeLines(most);
    if (!lines.empty() || ended_) return lines;
    FIRTH_ASSIGN_OR_RETURN(const bool more, ReadMore());
    ended_ = !more;
  }
}

}  // namespace firth::tools
