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

}  // namespace

bool SomebodyTypes() {
  return isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0;
}

LineReader::LineReader(PromptOptions prompt) {
  if (SomebodyTypes()) prompt_ = std::make_unique<Prompt>(std::move(prompt));
}

absl::StatusOr<bool> LineReader::ReadMore() {
  constexpr size_t kReadBytes = size_t{64} << 10;
  constexpr size_t kMostLineBytes = size_t{1} << 24;
  bytes_.erase(0, std::exchange(taken_, 0));
  const size_t size = bytes_.size();
  if (size > kMostLineBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("standard input: expected lines of at most ",
                     kMostLineBytes, " bytes, found a longer one"));
  }
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

std::vector<std::string> LineReader::TakeLines(size_t most) {
  std::vector<std::string> lines;
  while (lines.size() < most && taken_ < bytes_.size()) {
    size_t end = bytes_.find('\n', taken_);
    if (end == bytes_.npos) {
      if (!ended_) break;
      end = bytes_.size();
    }
    lines.push_back(bytes_.substr(taken_, end - taken_));
    if (std::exchange(at_start_, false) &&
        absl::StartsWith(lines.back(), kByteOrderMark)) {
      lines.back().erase(0, kByteOrderMark.size());
    }
    if (!lines.back().empty() && lines.back().back() == '\r') {
      lines.back().pop_back();
    }
    taken_ = end + 1;
  }
  taken_ = std::min(taken_, bytes_.size());
  return lines;
}

absl::StatusOr<std::vector<std::string>> LineReader::Next(size_t most) {
  if (prompt_ != nullptr) {
    std::optional<std::string> line = prompt_->Ask();
    if (!line.has_value()) return std::vector<std::string>();
    return std::vector<std::string>{*std::move(line)};
  }
  for (;;) {
    std::vector<std::string> lines = TakeLines(most);
    if (!lines.empty() || ended_) return lines;
    FIRTH_ASSIGN_OR_RETURN(const bool more, ReadMore());
    ended_ = !more;
  }
}

}  // namespace firth::tools
