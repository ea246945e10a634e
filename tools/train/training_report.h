// What is told to people about a finished training.

#ifndef FIRTH_TOOLS_TRAIN_TRAINING_REPORT_H_
#define FIRTH_TOOLS_TRAIN_TRAINING_REPORT_H_

#include <string>

#include "firth/train.h"

namespace firth::tools {

// How well NCE normalized, in one line: the figures and what they mean.
std::string NormalizationLine(const NormalizationReport& report);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_TRAIN_TRAINING_REPORT_H_
