// Progress of reading and training on standard error: one live line on a
// terminal, a plain line every ten seconds elsewhere.

#ifndef FIRTH_TOOLS_CLI_PROGRESS_PRINTER_H_
#define FIRTH_TOOLS_CLI_PROGRESS_PRINTER_H_

#include <chrono>
#include <string>

#include "absl/strings/string_view.h"
#include "firth/progress.h"

namespace firth::tools {

class ProgressPrinter : public ProgressSink {
 public:
  // `quiet` leaves only warnings. `epochs`: of the training to come; 0: not
  // known.
  ProgressPrinter(bool quiet, int epochs);
  ~ProgressPrinter() override;

  void OnRead(const ReadProgress& progress) override;
  void OnMemory(const MemoryEstimate& needed) override;
  void OnTrain(const TrainProgress& progress) override;
  void OnWork(const WorkProgress& progress) override;
  void OnMilestone(absl::string_view message) override;
  void OnWarning(absl::string_view message) override;

  // Removes the live line, before something else is written.
  void Clear();

 private:
  using Clock = std::chrono::steady_clock;

  void Show(const std::string& line);

  bool quiet_;
  int epochs_;
  bool terminal_;
  bool shown_ = false;      // a live line stands on the terminal
  Clock::time_point last_;  // of the last plain line
};

// Shows the fraction of TrainProgress as a percentage in the last line of a
// terminal at standard error; elsewhere nothing.
class PercentSink : public ProgressSink {
 public:
  PercentSink();
  ~PercentSink() override;

  void OnTrain(const TrainProgress& progress) override;

 private:
  const bool terminal_;
  int shown_ = -1;  // percent
};

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_CLI_PROGRESS_PRINTER_H_
