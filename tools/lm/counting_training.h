// "firth lm train --ngram N": a counting model instead of a network.

#ifndef FIRTH_TOOLS_LM_COUNTING_TRAINING_H_
#define FIRTH_TOOLS_LM_COUNTING_TRAINING_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/json.h"
#include "cli/option_set.h"
#include "command.h"
#include "firth/counting_model.h"
#include "firth/fields.h"
#include "train/reading_options.h"

namespace firth::tools {

class CountingOptions {
 public:
  void Declare(OptionSet* options);
  // Returns whether --ngram was given.
  bool chosen() const { return order_ > 0; }
  // Checks the options, and that none of `network_options` is given.
  absl::Status Check(const OptionSet& options, const ReadingOptions& reading,
                     const std::vector<std::string>& network_options);

  struct Output {
    std::string model;
    std::string report;  // empty for none
    bool quiet = false;
    Json training;  // options that the model stores
    Json used;      // options for the report
  };
  // Reads the text, trains, and writes the model.
  absl::StatusOr<ExitCode> Run(const ReadingOptions& reading,
                               const Output& output);

 private:
  int order_ = 0;
  CountingTraining training_;
  FieldEditor fields_{&training_};
};

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_LM_COUNTING_TRAINING_H_
