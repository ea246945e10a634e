// Log of a training run: position and loss about once per second, for plots and
// for monitoring.

#ifndef FIRTH_RUN_LOG_H_
#define FIRTH_RUN_LOG_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "firth/progress.h"

namespace firth {

// Writes one JSON object per line to a file while training runs:
//
//   {"t":12.0,"words":2400000,"total":17000000,"progress":0.14,"epoch":0,
//    "loss":2.41,"learning_rate":0.0215,"words_per_second":201000}
//
// `t` is in seconds since the log was opened. `words` have been trained on so
// far, of `total`. `loss` is the mean per example since the previous line, in
// nats. `epoch` counts from 0. The first report is written immediately. A run
// that ends normally also writes its last report, followed by {"done":true,...}
// with the summary.
//
// Each line is written by a single call, so lines survive a crash, and a reader
// can rely on every part that ends with a line end. All reports are forwarded
// to another sink. If the file cannot be written, that sink gets one warning,
// and training continues.
class RunLog : public ProgressSink {
 public:
  // Opens the log. `next` may be null. With `append`, new lines are added to
  // the existing file, as for a resumed run, after removing an incomplete last
  // line. Otherwise the first line replaces the existing content. Errors:
  // PermissionDenied, NotFound and the like.
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

  // Sets the number of words in all epochs together, once it is known.
  void SetTotal(uint64_t words) { total_ = words; }

  // Writes the last lines. `report` is a JSON object from ReportJson().
  void Finish(absl::string_view report);

 private:
  using Clock = std::chrono::steady_clock;

  RunLog(std::string path, int fd, bool replaces, ProgressSink* next);
  // Writes and clears last_report_.
  void WriteReport();
  void WriteLine(const std::string& line);

  const std::string path_;
  int fd_;         // -1 after an error.
  bool replaces_;  // Whether the first line replaces the content of the file.
  ProgressSink* const next_;
  const Clock::time_point start_;
  Clock::time_point last_line_;
  // The last report, if it is not written yet.
  std::optional<TrainProgress> last_report_;
  // Sums over the words since the last line, from which its loss is computed.
  uint64_t total_ = 0;
  double last_words_ = 0;
  double loss_sum_ = 0;
  double loss_words_ = 0;
};

}  // namespace firth

#endif  // FIRTH_RUN_LOG_H_
