// The log of a training: how far it is and what its loss is, about once a
// second, for plots and for who looks on.

#ifndef FIRTH_RUN_LOG_H_
#define FIRTH_RUN_LOG_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "firth/progress.h"

namespace firth {

// Writes a JSON object a line to a file while a training goes on:
//
//   {"t":12.0,"words":2400000,"total":17000000,"progress":0.14,"epoch":0,
//    "loss":2.41,"learning_rate":0.0215,"words_per_second":201000}
//
// t: seconds since this log was opened; words: trained on so far, of `total`;
// loss: the mean of an example since the line before, in nats; epoch: from 0.
// The first report is a line at once, and the last one, too, when the training
// came to its end; the line after that is {"done":true,...} with its report.
//
// A line is one write, so that it stays when the program dies, and who reads
// along takes what ends with a line end. All that it is told goes on to another
// sink. Where the file cannot be written, that sink is warned once, and the
// training goes on.
class RunLog : public ProgressSink {
 public:
  // next: may be null. append: goes on with the file that is there, as for a
  // training that is resumed, without a line that has no end; else the first
  // line replaces what is there. Errors: PermissionDenied, NotFound and the
  // like.
  static absl::StatusOr<std::unique_ptr<RunLog>> Open(const std::string& path,
                                                      bool append,
                                                      ProgressSink* next);
  ~RunLog() override;

  void OnRead(const ReadProgress& progress) override;
  void OnMemory(const MemoryEstimate& needed) override;
  void OnTrain(const TrainProgress& progress) override;
  void OnEpoch(const EpochProgress& epoch) override;
  void OnMilestone(absl::string_view message) override;
  void OnWarning(absl::string_view message) override;

  // The words of all epochs together, as soon as they are known.
  void SetTotal(uint64_t words) { total_ = words; }

  // Writes the last lines. report: a JSON object, as ReportJson() makes it.
  void Finish(absl::string_view report);

 private:
  using Clock = std::chrono::steady_clock;

  RunLog(std::string path, int fd, bool replaces, ProgressSink* next);
  // Writes the line of last_report_ and empties that.
  void WriteReport();
  void WriteLine(const std::string& line);

  const std::string path_;
  int fd_;         // -1 after an error
  bool replaces_;  // the first line, what is in the file
  ProgressSink* const next_;
  const Clock::time_point start_;
  Clock::time_point last_line_;
  std::optional<TrainProgress> last_report_;  // if it is no line yet
  // Sums over the words since the previous line.
  uint64_t total_ = 0;
  double last_words_ = 0;
  double loss_sum_ = 0;
  double loss_words_ = 0;
};

}  // namespace firth

#endif  // FIRTH_RUN_LOG_H_
