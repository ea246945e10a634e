// The options for checkpoints.

#include <cmath>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/check_range.h"
#include "base/unicode.h"
#include "firth/checkpoint.h"
#include "firth/fields.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

// Sets every_seconds and every_share. Returns false if the text is neither.
bool ParseInterval(absl::string_view text, Checkpointing* checkpointing) {
  constexpr absl::string_view kUnits = "smh%";
  const size_t unit =
      text.empty() ? absl::string_view::npos : kUnits.find(text.back());
  double value = 0;
  if (unit == absl::string_view::npos ||
      !absl::SimpleAtod(text.substr(0, text.size() - 1), &value) ||
      !(value > 0 && value <= 1e6)) {
    return false;
  }
  const bool is_share = text.back() == '%';
  if (is_share && value >= 100) return false;
  checkpointing->every_share = is_share ? value / 100 : 0;
  checkpointing->every_seconds =
      is_share ? 0 : value * std::pow(60, static_cast<double>(unit));
  return true;
}

std::string GetText(const std::string& text) { return text; }

bool SetInterval(const std::string& text, std::string* interval) {
  Checkpointing checkpointing;
  if (!ParseInterval(text, &checkpointing)) return false;
  *interval = text;
  return true;
}

}  // namespace

FieldTable CheckpointFiles::Fields() {
  FieldsOf<CheckpointFiles> fields;
  fields.Section("Checkpoints");
  fields
      .Add("checkpoint", &CheckpointFiles::folder,
           "path to a folder in which checkpoints are saved during training; "
           "--resume continues from the last one. The last two are kept")
      .Details(
          "If a value becomes infinite or NaN, training returns to the last "
          "checkpoint once and continues at half the learning rate")
      .ValueName("FOLDER")
      .Place();
  fields.Written(
      "checkpoint-every", &CheckpointFiles::every, GetText, SetInterval,
      "set how often a checkpoint is saved: a time, such as 90s, 10m "
      "or 2h, or a fraction of the training run, such as 5%. Saving "
      "is less frequent if it would take more than 2% of the time",
      Field().ValueName("TIME|SHARE").Work());
  fields.Add(
      "resume", &CheckpointFiles::resume,
      "path to a folder with checkpoints; continue that training run with "
      "the same text and the same options. --threads may change, and "
      "--epochs may be raised. With one thread, the result is identical "
      "to an uninterrupted run",
      Field().ValueName("FOLDER").Place());
  return fields;
}

absl::Status Checkpointing::Validate() const {
  FIRTH_RETURN_IF_ERROR(
      CheckRange("checkpoint-every (seconds)", every_seconds, 0.0, 1e9));
  FIRTH_RETURN_IF_ERROR(
      CheckRange("checkpoint-every (share)", every_share, 0.0, 1.0));
  if (resume && folder.empty()) {
    return absl::InvalidArgumentError(
        "resume: give the folder of the checkpoints");
  }
  if (FindInvalidUtf8(note) != absl::string_view::npos) {
    return absl::InvalidArgumentError("note: must be valid UTF-8");
  }
  return absl::OkStatus();
}

absl::StatusOr<Checkpointing> CheckpointFiles::Read() const {
  Checkpointing checkpointing;
  checkpointing.folder = resume.empty() ? folder : resume;
  checkpointing.resume = !resume.empty();
  if (!resume.empty() && !folder.empty() && resume != folder) {
    return absl::InvalidArgumentError(
        "checkpoint: resume continues to save in its own folder; give only one "
        "of the two options");
  }
  if (!ParseInterval(every, &checkpointing)) {
    return absl::InvalidArgumentError(
        absl::StrCat("checkpoint-every: expected a time such as 10m or a "
                     "fraction such as 5%, found ",
                     every));
  }
  FIRTH_RETURN_IF_ERROR(checkpointing.Validate());
  return checkpointing;
}

}  // namespace firth
