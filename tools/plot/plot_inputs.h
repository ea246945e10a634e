// Reading what pictures are made of: logs and reports of trainings, results of
// "firth eval --json", maps.

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
  kVectors,     // or what else it may be: reading it says what is wrong
  kTraining,    // a log of "train --log", or a report of "train --report"
  kEvaluation,  // the object that "eval --json" prints
};
// By its content. Errors: NotFound and the like.
absl::StatusOr<PlotInput> TellPlotInput(const std::string& path);

// Errors: InvalidArgument, with file and line, what is no such object.
absl::StatusOr<LoggedTraining> ReadTraining(const std::string& path);

// Models with what they reached, those of all files side by side.
struct Evaluations {
  std::vector<std::string> models;
  std::vector<MeasuredGroup> groups;
};
// Errors: InvalidArgument, no results; files with other tests than the first.
absl::StatusOr<Evaluations> ReadEvaluations(
    const std::vector<std::string>& paths);

// Whether the file holds a map: vectors of two dimensions.
bool IsMap(const VectorFile& file);
PlottedMap ToPlot(const WordMap& map);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_PLOT_PLOT_INPUTS_H_
