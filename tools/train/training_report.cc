#include "train/training_report.h"

#include <cmath>

#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "cli/human.h"

namespace firth::tools {
namespace {

absl::string_view Verdict(const NormalizationReport& report) {
  const double off = std::abs(report.mean_ln_z);
  if (off < 0.1 && report.stddev_ln_z < 0.5) {
    return "the scores are close to probabilities";
  }
  if (off < 0.5 && report.stddev_ln_z < 1) {
    return "the scores are roughly probabilities";
  }
  return "the scores are not yet probabilities; more noise words (--negative) "
         "or epochs bring the mean closer to 0";
}

}  // namespace

std::string NormalizationLine(const NormalizationReport& report) {
  return absl::StrFormat("mean ln Z %.3f, deviation %.3f, on %s: %s",
                         report.mean_ln_z, report.stddev_ln_z,
                         Counted(report.windows, "held-out window"),
                         Verdict(report));
}

}  // namespace firth::tools
