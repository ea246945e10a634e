#include "cli/progress_printer.h"

#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/console.h"
#include "cli/human.h"
#include "firth/train.h"

namespace firth::tools {
namespace {

constexpr std::chrono::seconds kPlainLineInterval{10};

}  // namespace

ProgressPrinter::ProgressPrinter(bool quiet, int epochs)
    : quiet_(quiet),
      epochs_(epochs),
      terminal_(isatty(STDERR_FILENO) != 0),
      last_(Clock::now()) {}

ProgressPrinter::~ProgressPrinter() { Clear(); }

void ProgressPrinter::OnRead(const ReadProgress& progress) {
  const double rate =
      progress.seconds > 0
          ? static_cast<double>(progress.bytes) / progress.seconds / 1e6
          : 0;
  Show(absl::StrFormat("reading  %s  %s  %s  %.0f MB/s",
                       HumanBytes(progress.bytes),
                       Counted(progress.tokens, "token"),
                       Counted(progress.types, "different word"), rate));
}

void ProgressPrinter::OnMemory(const MemoryEstimate& needed) {
  if (quiet_) return;
  Clear();
  PrintNote(absl::StrCat("  memory   tables ", HumanBytes(needed.tables),
                         ", workers ", HumanBytes(needed.workers), ", peak ",
                         HumanBytes(needed.peak), ", available ",
                         HumanBytes(AvailableMemory()), "\n"));
}

void ProgressPrinter::OnTrain(const TrainProgress& progress) {
  const std::string perplexity =
      progress.perplexity > 0
          ? absl::StrFormat("  perplexity %.1f", progress.perplexity)
          : "";
  const std::string of_all = epochs_ > 0 ? absl::StrCat("/", epochs_) : "";
  Show(absl::StrFormat(
      "%5.1f%%  epoch %d%s  %s words/s  loss %.4f%s  rate %.5f  %s "
      "left",
      100 * progress.fraction, progress.epoch + 1, of_all,
      Thousands(static_cast<uint64_t>(progress.words_per_second)),
      progress.loss, perplexity, progress.learning_rate,
      HumanSeconds(progress.seconds_left)));
}

void ProgressPrinter::OnWork(const WorkProgress& progress) {
  if (progress.total == 0) return;
  Show(absl::StrFormat("%5.1f%%", 100 * static_cast<double>(progress.done) /
                                      static_cast<double>(progress.total)));
}

void ProgressPrinter::OnMilestone(absl::string_view message) {
  if (quiet_) return;
  Clear();
  PrintNote(absl::StrCat(message, "\n"));
}

void ProgressPrinter::OnWarning(absl::string_view message) {
  Clear();
  PrintMessage(absl::StrCat("warning: ", message));
}

void ProgressPrinter::Clear() {
  if (!shown_) return;
  ShowStatus("");
  shown_ = false;
}

void ProgressPrinter::Show(const std::string& line) {
  if (quiet_) return;
  if (terminal_) {
    // A line as wide as the terminal would wrap and could not be erased.
    ShowStatus(
        absl::string_view(line).substr(0, TerminalColumns(STDERR_FILENO) - 1));
    shown_ = true;
    return;
  }
  if (Clock::now() - last_ < kPlainLineInterval) return;
  last_ = Clock::now();
  PrintMessage(line);
}

PercentSink::PercentSink() : terminal_(isatty(STDERR_FILENO) != 0) {}

PercentSink::~PercentSink() {
  if (terminal_) ShowStatus("");
}

void PercentSink::OnTrain(const TrainProgress& progress) {
  const int percent = static_cast<int>(100 * progress.fraction);
  if (!terminal_ || percent == shown_) return;
  shown_ = percent;
  ShowStatus(absl::StrCat("  ", percent, " %"));
}

}  // namespace firth::tools
