// A checkpoint stores the options of its training run as its note, so that
// --resume needs no others. The role of an option determines whether it may be
// changed.

#include "train/checkpoint_options.h"

#include "absl/strings/str_cat.h"
#include "cli/console.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "firth/status_macros.h"

namespace firth::tools {
namespace {

constexpr char kInputs[] = "inputs";
constexpr char kOptions[] = "options";
constexpr char kCommand[] = "command";

// Returns whether an option does not change what is learned. --input may have
// moved; the text itself is compared when it is read. --epochs may increase;
// the library refuses a smaller number.
bool MayDiffer(const Option& option) {
  return option.role == FieldRole::kWork || option.role == FieldRole::kPlace ||
         option.name == "input" || option.name == "epochs";
}

// Omits values that are nested more deeply than those of options.
Json ParseNote(const std::string& note) {
  constexpr int kDeepest = 4;
  return WithHexAsBytes(ParseJson(note, kDeepest));
}

// Returns the command that wrote a note, or "" if it is not a valid note.
std::string WriterOf(const Json& note) {
  if (!note.is_object() || !note.contains(kOptions) ||
      !note.contains(kInputs) || !note[kInputs].is_array()) {
    return "";
  }
  // Notes of earlier versions are all from "train".
  const Json writer = note.value(kCommand, Json("train"));
  return writer.is_string() ? writer.get<std::string>() : "";
}

}  // namespace

void CheckpointOptions::Declare(OptionSet* options) {
  options->Section("Checkpoints");
  options->PathField(&fields_, "checkpoint", WritesInto(kCheckpointPrefix));
  options->Fields(&fields_, {"checkpoint-every"});
  options->At("checkpoint-every").GoesWith({"checkpoint", "resume"});
  options->PathField(&fields_, "resume", WritesInto(kCheckpointPrefix)).help +=
      ". Options need not be repeated";
}

absl::Status CheckpointOptions::TakeSaved(OptionSet* options,
                                          std::vector<std::string>* inputs) {
  const std::string& folder = files_.resume;
  if (folder.empty()) return absl::OkStatus();
  FIRTH_RETURN_IF_ERROR(files_.Read().status());
  FIRTH_ASSIGN_OR_RETURN(const std::string note, ReadCheckpointNote(folder));
  const Json saved = ParseNote(note);
  const std::string writer = WriterOf(saved);
  if (writer != command_) {
    return absl::InvalidArgumentError(
        absl::StrCat(folder, ": these checkpoints were written by ",
                     writer.empty() ? "another program"
                                    : absl::StrCat("\"firth ", writer, "\""),
                     ", not by \"firth ", command_, "\""));
  }
  if (inputs->empty()) {
    for (const Json& input : saved[kInputs]) {
      if (input.is_string()) inputs->push_back(input.get<std::string>());
    }
  }
  const absl::Status status = options->TakeSaved(saved[kOptions], MayDiffer);
  if (!status.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(folder, ": ", status.message()));
  }
  return absl::OkStatus();
}

absl::Status CheckpointOptions::Finish(const OptionSet& options,
                                       const std::vector<std::string>& inputs) {
  FIRTH_ASSIGN_OR_RETURN(checkpointing_, files_.Read());
  Json given = options.GivenValues();
  for (const char* name : {"input", "checkpoint", "resume"}) given.erase(name);
  checkpointing_.note = OneLine(WithBytesAsHex(
      {{kCommand, command_}, {kOptions, std::move(given)}, {kInputs, inputs}}));
  return checkpointing_.Validate();
}

void CheckpointOptions::StoreChosen(const OptionSet& options,
                                    const std::vector<std::string>& names) {
  Json note = Json::parse(checkpointing_.note);
  for (const std::string& name : names) {
    note[kOptions][name] = options.Find(name)->value();
  }
  checkpointing_.note = OneLine(note);
}

absl::Status CheckpointOptions::Reserve() {
  return ReserveCheckpoints(&checkpointing_);
}

void CheckpointOptions::PrintInterrupted(absl::string_view what,
                                         absl::string_view launcher) const {
  const std::string& folder = checkpointing_.folder;
  PrintMessage(absl::StrCat(
      "interrupted; writing ", what,
      folder.empty() ? ""
                     : absl::StrCat("; to continue, run: ", launcher, "firth ",
                                    command_, " --resume ", folder)));
}

absl::StatusOr<ExitCode> EndWithNothing(const absl::Status& error,
                                        const std::atomic<bool>* stop) {
  if (!*stop) return error;
  return EndInterrupted("interrupted while reading; nothing was written");
}

}  // namespace firth::tools
