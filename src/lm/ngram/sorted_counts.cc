#include "lm/ngram/sorted_counts.h"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/errno_status.h"
#include "base/temporary_files.h"
#include "io/codecs/vector_rows.h"

namespace firth {
namespace {

constexpr size_t kBlock = size_t{1} << 14;  // counts that are visited together
constexpr size_t kFewestCounts = 64;        // in a buffer
constexpr int kPackedBits = 128;

// A run of the temporary file, as it is read.
class Run {
 public:
  Run(int fd, uint64_t begin, uint64_t end, size_t buffered)
      : fd_(fd), at_(begin), end_(end), buffered_(buffered) {}

  // Reads the next counts if all were taken. Returns false at the end.
  absl::StatusOr<bool> Fill(const std::string& place) {
    if (next_ < counts_.size()) return true;
    const uint64_t left = (end_ - at_) / sizeof(NgramCount);
    counts_.assign(std::min<uint64_t>(buffered_, left), NgramCount(0, 0, 0));
    next_ = 0;
    auto* to = reinterpret_cast<char*>(counts_.data());
    for (size_t bytes = counts_.size() * sizeof(NgramCount); bytes > 0;) {
      const ssize_t read = pread(fd_, to, bytes, static_cast<off_t>(at_));
      if (read < 0 && errno == EINTR) continue;
      if (read <= 0) {
        return ErrnoStatus(read < 0 ? errno : EIO, place,
                           "cannot read a temporary file");
      }
      to += read;
      at_ += static_cast<uint64_t>(read);
      bytes -= static_cast<size_t>(read);
    }
    return !counts_.empty();
  }
  const NgramCount& top() const { return counts_[next_]; }
  void Pop() { ++next_; }

 private:
  int fd_;
  uint64_t at_;  // Position and end in the file, in bytes.
  uint64_t end_;
  size_t buffered_;
  std::vector<NgramCount> counts_;
  size_t next_ = 0;
};

}  // namespace

absl::StatusOr<NgramPacking> NgramPacking::Create(int order,
                                                  size_t vocab_size) {
  const int bits = std::max<int>(1, std::bit_width(vocab_size - 1));
  if (bits * order <= kPackedBits) return NgramPacking(bits);
  return absl::InvalidArgumentError(absl::StrCat(
      "n-grams of order ", order, " can have at most ",
      uint64_t{1} << (kPackedBits / order), " different words, found ",
      vocab_size, "; use a lower order or fewer words (--max-vocab)"));
}

SortedCounts::SortedCounts(uint64_t buffer_bytes, uint64_t most_counts,
                           std::string temp_dir)
    : capacity_(std::max<uint64_t>(
          kFewestCounts,
          std::min(buffer_bytes / sizeof(NgramCount), most_counts))),
      temp_dir_(TemporaryFolder(std::move(temp_dir))) {
  buffer_.reserve(capacity_);
}

SortedCounts::~SortedCounts() {
  if (fd_ >= 0) close(fd_);
}

void SortedCounts::Collapse() {
  std::sort(buffer_.begin(), buffer_.end());
  auto last = buffer_.begin();
  for (auto next = last; next != buffer_.end(); ++next) {
    if (next == buffer_.begin()) continue;
    if (next->SameWords(*last)) {
      last->Add(*next);
    } else {
      *++last = *next;
    }
  }
  if (!buffer_.empty()) buffer_.erase(last + 1, buffer_.end());
}

absl::Status SortedCounts::MakeRoom() {
  Collapse();
  return buffer_.size() <= capacity_ / 2 ? absl::OkStatus() : WriteRun();
}

absl::Status SortedCounts::WriteRun() {
  if (fd_ < 0) {
    FIRTH_ASSIGN_OR_RETURN(fd_, OpenUnnamed(temp_dir_));
  }
  const absl::string_view bytes = BytesOf(absl::MakeConstSpan(buffer_));
  FIRTH_RETURN_IF_ERROR(WriteUnnamed(fd_, bytes, temp_dir_));
  ends_.push_back(file_bytes() + bytes.size());
  buffer_.clear();
  return absl::OkStatus();
}

absl::Status SortedCounts::Finish() {
  Collapse();
  if (!ends_.empty()) {
    if (!buffer_.empty()) FIRTH_RETURN_IF_ERROR(WriteRun());
    std::vector<NgramCount>().swap(buffer_);  // Frees the memory.
  } else if (buffer_.size() <= buffer_.capacity() / 2) {
    buffer_.shrink_to_fit();
  }
  return absl::OkStatus();
}

absl::Status SortedCounts::ForEachBlock(
    const Hooks& hooks,
    absl::FunctionRef<absl::Status(Block counts)> visit) const {
  if (!ends_.empty()) return MergeRuns(hooks, visit);
  for (size_t begin = 0; begin < buffer_.size(); begin += kBlock) {
    if (hooks.StopRequested()) return absl::CancelledError("interrupted");
    FIRTH_RETURN_IF_ERROR(
        visit(absl::MakeConstSpan(buffer_).subspan(begin, kBlock)));
  }
  return absl::OkStatus();
}

absl::Status SortedCounts::MergeRuns(
    const Hooks& hooks,
    absl::FunctionRef<absl::Status(Block counts)> visit) const {
  const size_t buffered =
      std::clamp(capacity_ / ends_.size(), kFewestCounts, kBlock);
  std::vector<Run> runs;
  for (size_t i = 0; i < ends_.size(); ++i) {
    runs.emplace_back(fd_, i == 0 ? 0 : ends_[i - 1], ends_[i], buffered);
  }
  std::vector<Run*> heap;  // the run with the least n-gram first
  const auto later = [](const Run* a, const Run* b) {
    return b->top() < a->top();
  };
  for (Run& run : runs) {
    FIRTH_ASSIGN_OR_RETURN(const bool filled, run.Fill(temp_dir_));
    if (filled) heap.push_back(&run);
  }
  std::make_heap(heap.begin(), heap.end(), later);
  std::vector<NgramCount> merged;
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end(), later);
    Run* const least = heap.back();
    if (!merged.empty() && merged.back().SameWords(least->top())) {
      merged.back().Add(least->top());
    } else {
      if (merged.size() == kBlock) {
        if (hooks.StopRequested()) return absl::CancelledError("interrupted");
        FIRTH_RETURN_IF_ERROR(visit(merged));
        merged.clear();
      }
      merged.push_back(least->top());
    }
    least->Pop();
    FIRTH_ASSIGN_OR_RETURN(const bool filled, least->Fill(temp_dir_));
    if (filled) {
      std::push_heap(heap.begin(), heap.end(), later);
    } else {
      heap.pop_back();
    }
  }
  return merged.empty() ? absl::OkStatus() : visit(merged);
}

}  // namespace firth
