// What is told about a finished training: the report file, the metadata of the
// model and a few lines for people.

#ifndef FIRTH_TOOLS_TRAIN_TRAINING_REPORT_H_
#define FIRTH_TOOLS_TRAIN_TRAINING_REPORT_H_

#include <map>
#include <string>

#include "absl/status/status.h"
#include "cli/json.h"
#include "firth/corpus.h"
#include "firth/train.h"

namespace firth::tools {

struct TrainingFacts {
  Json options;  // by name
  CorpusReport corpus;
  TrainReport training;
  bool has_normalization = false;  // the objective was NCE
  double write_seconds = 0;
  std::string lost;  // the parts that the file's format cannot hold, for people
};

// The content of --report.
Json ReportJson(const TrainingFacts& facts);

// For the model file. Holds nothing that differs between two runs with the
// same options, so that equal runs give equal files.
std::map<std::string, std::string> ModelMetadata(const TrainingFacts& facts);

// How well NCE normalised, in one line: the figures and what they mean.
std::string NormalizationLine(const NormalizationReport& report);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_TRAIN_TRAINING_REPORT_H_
