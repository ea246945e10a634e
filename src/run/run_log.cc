// Each line is written with one call, so that programs that read the log during
// training see whole lines. If training resumes with the log of an interrupted
// run, an incomplete line at the end is removed first.

#include "firth/run_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/errno_status.h"
#include "base/json.h"
#include "firth/status_macros.h"
#include "nlohmann/json.hpp"

namespace firth {
namespace {

constexpr std::chrono::milliseconds kLineEvery{950};

// Fills the block from `begin` on. Errors: those of the system; DataLoss if the
// file ends before.
absl::Status ReadBlock(int fd, off_t begin, const std::string& path,
                       absl::Span<char> block) {
  while (!block.empty()) {
    const ssize_t size = pread(fd, block.data(), block.size(), begin);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return ErrnoStatus(errno, path, "reading");
    if (size == 0) {
      return absl::DataLossError(absl::StrCat(path, ": expected ", block.size(),
                                              " more bytes after byte ", begin,
                                              ", found the end of the file"));
    }
    block.remove_prefix(static_cast<size_t>(size));
    begin += size;
  }
  return absl::OkStatus();
}

// Returns the length of the file without an incomplete last line. Errors: those
// of ReadBlock().
absl::StatusOr<off_t> WholeLines(int fd, const std::string& path) {
  off_t end = lseek(fd, 0, SEEK_END);
  char block[4096] = {};
  while (end > 0) {
    const off_t begin = std::max<off_t>(0, end - off_t{sizeof(block)});
    FIRTH_RETURN_IF_ERROR(
        ReadBlock(fd, begin, path, {block, static_cast<size_t>(end - begin)}));
    for (off_t i = end - begin; i > 0; --i) {
      if (block[i - 1] == '\n') return begin + i;
    }
    end = begin;
  }
  return 0;
}

absl::Status CutHalfLine(int fd, const std::string& path) {
  struct stat file;
  if (fstat(fd, &file) != 0) return ErrnoStatus(errno, path, "opening");
  if (!S_ISREG(file.st_mode)) return absl::OkStatus();
  FIRTH_ASSIGN_OR_RETURN(const off_t length, WholeLines(fd, path));
  if (length == file.st_size) return absl::OkStatus();
  if (ftruncate(fd, length) == 0) return absl::OkStatus();
  return ErrnoStatus(errno, path, "writing");
}

// Returns a number for JSON, rounded to multiples of 1 / parts, or null if it
// is not finite.
OrderedJson Number(double value, double parts) {
  if (!std::isfinite(value)) return nullptr;
  return std::round(value * parts) / parts;
}

// Returns whether everything was written. Otherwise, sets errno.
bool WriteAll(int fd, absl::string_view text) {
  while (!text.empty()) {
    const ssize_t size = write(fd, text.data(), text.size());
    if (size < 0 && errno == EINTR) continue;
    if (size == 0) errno = ENOSPC;
    if (size <= 0) return false;
    text.remove_prefix(static_cast<size_t>(size));
  }
  return true;
}

}  // namespace

absl::StatusOr<std::unique_ptr<RunLog>> RunLog::Open(const std::string& path,
                                                     bool append,
                                                     ProgressSink* next) {
  const int flags = O_CREAT | O_APPEND | O_CLOEXEC | (append ? O_RDWR : 0) |
                    (append ? 0 : O_WRONLY);
  const int fd = open(path.c_str(), flags, 0666);
  if (fd < 0) return ErrnoStatus(errno, path, "opening");
  std::unique_ptr<RunLog> log(new RunLog(path, fd, !append, next));
  if (append) FIRTH_RETURN_IF_ERROR(CutHalfLine(fd, path));
  return log;
}

RunLog::RunLog(std::string path, int fd, bool replaces, ProgressSink* next)
    : path_(std::move(path)),
      fd_(fd),
      replaces_(replaces),
      next_(next),
      start_(Clock::now()) {}

RunLog::~RunLog() {
  if (fd_ >= 0) close(fd_);
}

void RunLog::OnRead(const ReadProgress& progress) {
  if (next_ != nullptr) next_->OnRead(progress);
}

void RunLog::OnMemory(const MemoryEstimate& needed) {
  if (next_ != nullptr) next_->OnMemory(needed);
}

void RunLog::OnEpoch(const EpochProgress& epoch) {
  if (next_ != nullptr) next_->OnEpoch(epoch);
}

void RunLog::OnMilestone(absl::string_view message) {
  if (next_ != nullptr) next_->OnMilestone(message);
}

void RunLog::OnWarning(absl::string_view message) {
  if (next_ != nullptr) next_->OnWarning(message);
}

void RunLog::OnTrain(const TrainProgress& progress) {
  if (next_ != nullptr) next_->OnTrain(progress);
  // Reports come more often than lines, and each has the loss of its own words.
  const double words = progress.fraction * static_cast<double>(total_);
  const double since = words - last_words_;
  last_words_ = words;
  if (since > 0 && progress.loss > 0) {
    loss_sum_ += progress.loss * since;
    loss_words_ += since;
  }
  last_report_ = progress;
  const Clock::time_point now = Clock::now();
  if (now - last_line_ < kLineEvery) return;
  last_line_ = now;
  WriteReport();
}

void RunLog::WriteReport() {
  const TrainProgress progress = *std::exchange(last_report_, std::nullopt);
  const OrderedJson line = {
      {"t", Number(std::chrono::duration<double>(Clock::now() - start_).count(),
                   1e3)},
      {"words", std::llround(last_words_)},
      {"total", total_},
      {"progress", Number(progress.fraction, 1e6)},
      {"epoch", progress.epoch},
      {"loss",
       loss_words_ > 0 ? Number(loss_sum_ / loss_words_, 1e6) : nullptr},
      {"learning_rate", Number(progress.learning_rate, 1e9)},
      {"words_per_second", Number(progress.words_per_second, 1)}};
  loss_sum_ = loss_words_ = 0;
  WriteLine(DumpJson(line) + "\n");
}

void RunLog::Finish(absl::string_view report) {
  if (last_report_.has_value()) WriteReport();
  OrderedJson line = {{"done", true}};
  const auto members = OrderedJson::parse(report, nullptr,
                                          /*allow_exceptions=*/false);
  if (members.is_object()) line.update(members);
  WriteLine(DumpJson(line) + "\n");
}

void RunLog::WriteLine(const std::string& line) {
  if (fd_ < 0) return;
  const FileSizeSignalHeld held;
  // Emptied only now, so that a training run that fails to start does not
  // destroy the old log. Pipes cannot be emptied.
  if (std::exchange(replaces_, false) && ftruncate(fd_, 0) != 0 &&
      errno != EINVAL) {
    OnWarning(ErrnoStatus(errno, path_, "emptying").message());
  }
  const off_t before = lseek(fd_, 0, SEEK_END);
  if (WriteAll(fd_, line)) return;
  const absl::Status status = ErrnoStatus(errno, path_, "writing");
  if (before >= 0 && ftruncate(fd_, before) != 0) {
    // Nothing more can be done about the incomplete line.
  }
  close(fd_);
  fd_ = -1;
  OnWarning(absl::StrCat(status.message(), "; the log ends here"));
}

}  // namespace firth
