// Prints progress of reading and training on standard error: one live line on a
// terminal, otherwise one line every ten seconds.

#ifndef FIRTH_TOOLS_CLI_PROGRESS_PRINTER_H_
#define FIRTH_TOOLS_CLI_PROGRESS_PRINTER_H_

#include <chrono>
#include <string>

#include "absl/strings/string_view.h"
#include "firth/progress.h"

namespace firth::tools {

class ProgressPrinter : public ProgressSink {
 public:
  // With `quiet`, prints only warnings. `epochs` is the number of epochs of the
  // training run, or 0 if it is not known.
  ProgressPrinter(bool quiet, int epochs);
  ~ProgressPrinter() override;

  void OnRead(const ReadProgress& progress) override;
  void OnMemory(const MemoryEstimate& needed) override;
  void OnTrain(const TrainProgress& progress) override;
  void OnWork(const WorkProgress& progress) override;
  void OnMilestone(absl::string_view message) override;
  void OnWarning(absl::string_view message) override;

  // Removes the live line before other output.
  void Clear();

 private:
  using Clock = std::chrono::steady_clock;

  void Show(const std::string& line);

  bool quiet_;
  int epochs_;
  bool terminal_;
  bool shown_ = false;      // Whether a live line is on the terminal.
  Clock::time_point last_;  // Time of the last plain line.
};

// Shows the fraction of TrainProgress as a percentage in the last line of a
// terminal at standard error. Prints nothing elsewhere.
class PercentSink : public ProgressSink {
 public:
  PercentSink();
  ~PercentSink() override;

  void OnTrain(const TrainProgress& progress) override;

 private:
  const bool terminal_;
  int shown_ = -1;  // Percentage.
};

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_CLI_PROGRESS_PRINTER_H_
