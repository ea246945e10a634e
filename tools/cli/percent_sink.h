// How far a long piece of work is, for a person at a terminal.

#ifndef FIRTH_TOOLS_CLI_PERCENT_SINK_H_
#define FIRTH_TOOLS_CLI_PERCENT_SINK_H_

#include "firth/progress.h"

namespace firth::tools {

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

#endif  // FIRTH_TOOLS_CLI_PERCENT_SINK_H_
