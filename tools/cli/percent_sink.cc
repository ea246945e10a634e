#include "cli/percent_sink.h"

#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "cli/console.h"

namespace firth::tools {

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
