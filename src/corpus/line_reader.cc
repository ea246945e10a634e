#include "corpus/line_reader.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/unicode.h"
#include "corpus/binary_content.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

constexpr size_t kLineReadBytes = size_t{64} << 10;

}  // namespace

LineReader::LineReader(std::vector<std::string> paths,
                       const std::atomic<bool>* stop, LongLines long_lines)
    : paths_(std::move(paths)), stop_(stop), long_lines_(long_lines) {}

std::string LineReader::Place() const {
  return absl::StrCat(file(), ":", line_);
}

std::string LineReader::LeftOutMessage() const {
  return absl::StrCat(Place(), ": expected a line of at most ", kMostLineBytes,
                      " bytes");
}

absl::StatusOr<bool> LineReader::Next(absl::string_view* line) {
  if (source_ == nullptr) {
    FIRTH_ASSIGN_OR_RETURN(source_, OpenByteSource(paths_[file_], stop_));
    line_ = 0;
  }
  is_left_out_ = false;
  size_t end;
  while ((end = bytes_.find('\n', taken_)) == bytes_.npos) {
    FIRTH_ASSIGN_OR_RETURN(const bool more, ReadMore());
    if (more) continue;
    if (taken_ == bytes_.size() && !is_left_out_) {
      source_.reset();
      return false;
    }
    end = bytes_.size();
    break;
  }
  ++line_;
  const absl::string_view whole = absl::string_view(bytes_).substr(
      taken_, std::min(end + 1, bytes_.size()) - taken_);
  taken_ += whole.size();
  *line = whole.substr(0, whole.size() - (end < bytes_.size() ? 1 : 0));
  if (absl::EndsWith(*line, "\r")) line->remove_suffix(1);
  line_end_ = whole.substr(line->size());
  if (is_left_out_) *line = "";
  if (line_ == 1) *line = WithoutByteOrderMark(*line);
  return true;
}

absl::StatusOr<bool> LineReader::ReadMore() {
  bytes_.erase(0, std::exchange(taken_, 0));
  if (bytes_.size() > kMostLineBytes && long_lines_ == LongLines::kRefused) {
    ++line_;
    return absl::InvalidArgumentError(LeftOutMessage());
  }
  is_left_out_ = is_left_out_ || bytes_.size() > kMostLineBytes;
  if (is_left_out_) bytes_.clear();
  const size_t size = bytes_.size();
  bytes_.resize(size + kLineReadBytes);
  FIRTH_ASSIGN_OR_RETURN(
      const size_t count,
      source_->Read(absl::MakeSpan(bytes_.data() + size, kLineReadBytes)));
  bytes_.resize(size + count);
  if (size == 0 && line_ == 0 && !is_left_out_) {
    FIRTH_RETURN_IF_ERROR(CheckIsText(file(), bytes_));
  }
  return count > 0;
}

}  // namespace firth
