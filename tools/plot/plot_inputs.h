// Reads the data of pictures: logs and reports of training runs, results of
// "firth eval --json", attention, gradients, and maps.

#ifndef FIRTH_TOOLS_PLOT_PLOT_INPUTS_H_
#define FIRTH_TOOLS_PLOT_PLOT_INPUTS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "firth/layout.h"
#include "firth/vector_io.h"
#include "plot/pictures.h"

namespace firth::tools {

enum class PlotInput {
  kVectors,  // Any other file; reading it reports errors.
  // A log of "train --log", or a report of "train" or "lm train".
  kTraining,
  kEvaluation,  // The object that "eval --json" prints.
  kAttention,   // Lines that "seq2seq apply --json --attention" prints.
  kGradients,   // The object that "lm gradients --json" prints.
};
// Detects the kind of a file by its content. Errors: those of reading.
absl::StatusOr<PlotInput> TellPlotInput(const std::string& path);

// Reads a log or report. Errors: InvalidArgument, with file and line.
absl::StatusOr<LoggedTraining> ReadTraining(const std::string& path);

// The models of all files with their results.
struct Evaluations {
  std::vector<std::string> models;
  std::vector<MeasuredGroup> groups;
};
// Reads results. Errors: InvalidArgument, no results or different tests.
absl::StatusOr<Evaluations> ReadEvaluations(
    const std::vector<std::string>& paths);

// Reads the attention of the first source. Errors: InvalidArgument, there is
// none.
absl::StatusOr<AttentionTable> ReadAttention(const std::string& path);

// Reads all gradients of one file, or those of the input of several files.
// Errors: InvalidArgument, there are none.
absl::StatusOr<std::vector<GradientCurve>> ReadGradients(
    const std::vector<std::string>& paths);

// Returns whether the file contains a map: two-dimensional vectors.
bool IsMap(const VectorFile& file);
PlottedMap ToPlot(const WordMap& map);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_PLOT_PLOT_INPUTS_H_
