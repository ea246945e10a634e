// A checkpoint keeps the options of its training as its note, so that --resume
// needs no others; which of them may be given anew, their roles say.

#include "train/checkpoint_options.h"

#include "absl/strings/str_cat.h"
#include "cli/console.h"
#include "cli/json.h"

namespace firth::tools {
namespace {

constexpr char kInputs[] = "inputs";
constexpr char kOptions[] = "options";
constexpr char kCommand[] = "command";

// Those that say how to work or where to put things, and not what to learn;
// --input may have moved: that the text is the same is seen when it is read.
// (--epochs may rise: the library says no if it falls.)
bool MayDiffer(const Option& option) {
  return option.role == FieldRole::kWork || option.role == FieldRole::kPlace ||
         option.name == "epochs";
}

// What is nested deeper than options ever are is left out.
Json ParseNote(const std::string& note) {
  constexpr int kDeepest = 4;
  return WithHexAsBytes(Json::parse(
      note,
      [](int depth, Json::parse_event_t, Json&) { return depth <= kDeepest; },
      /*allow_exceptions=*/false));
}

// The command that wrote a note; empty: it was none.
std::string WriterOf(const Json& note) {
  if (!note.is_object() || !note.contains(kOptions) ||
      !note.contains(kInputs) || !note[kInputs].is_array()) {
    return "";
  }
  // Once there was only one.
  const Json writer = note.value(kCommand, Json("train"));
  return writer.is_string() ? writer.get<std::string>() : "";
}

}  // namespace

void CheckpointOptions::Declare(OptionSet* options) {
  options->Section("Checkpoints");
  options
      ->Path("checkpoint", "FOLDER", &checkpointing_.folder, WritesInto(),
             "save the training there on its way, the last two times, to go on "
             "from when it was broken off")
      .Everyday()
      .details =
      "values that are no longer finite send it back to the last one, at half "
      "the rate, once";
  Option& every = options->Text(
      "checkpoint-every", "TIME|SHARE", &every_,
      "how often: 90s, 10m, 2h, or 5% of the training; less often where the "
      "training would stand still for over 2% of its time");
  every.As(FieldRole::kWork).GoesWith({"checkpoint"});
  every.set = [this](const std::string& text) {
    if (!ParseCheckpointInterval(text, &checkpointing_)) {
      return absl::InvalidArgumentError("a time such as 10m or a share as 5%");
    }
    every_ = text;
    return absl::OkStatus();
  };
  options->Path("resume", "FOLDER", &resume_, WritesInto(),
                "go on with the training that was saved there: with the same "
                "text, and with the same options, which need not be given; "
                "--threads may change and --epochs may rise. With one thread "
                "the result is that of a training never broken off, bit for "
                "bit");
}

absl::Status CheckpointOptions::TakeSaved(OptionSet* options,
                                          std::vector<std::string>* inputs) {
  if (resume_.empty()) return absl::OkStatus();
  if (options->Given("checkpoint") && checkpointing_.folder != resume_) {
    return absl::InvalidArgumentError(
        "--checkpoint: --resume goes on saving in its own folder; expected one "
        "of them");
  }
  const absl::StatusOr<std::string> note = ReadCheckpointNote(resume_);
  if (!note.ok()) return note.status();
  const Json saved = ParseNote(*note);
  const std::string writer = WriterOf(saved);
  if (writer != command_) {
    return absl::InvalidArgumentError(absl::StrCat(
        resume_, ": expected checkpoints of \"firth ", command_, "\", found ",
        writer.empty() ? "those of another program"
                       : absl::StrCat("those of \"firth ", writer, "\"")));
  }
  if (inputs->empty()) {
    for (const Json& input : saved[kInputs]) {
      if (input.is_string()) inputs->push_back(input.get<std::string>());
    }
  }
  const absl::Status status = options->TakeSaved(saved[kOptions], MayDiffer);
  if (!status.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(resume_, ": ", status.message()));
  }
  checkpointing_.folder = resume_;
  checkpointing_.resume = true;
  return absl::OkStatus();
}

absl::Status CheckpointOptions::Finish(const OptionSet& options,
                                       const std::vector<std::string>& inputs) {
  Json given = options.GivenValues();
  for (const char* name : {"input", "checkpoint", "resume"}) given.erase(name);
  checkpointing_.note = OneLine(WithBytesAsHex(
      {{kCommand, command_}, {kOptions, std::move(given)}, {kInputs, inputs}}));
  return checkpointing_.Validate();
}

absl::Status CheckpointOptions::Reserve() {
  return ReserveCheckpoints(&checkpointing_);
}

void CheckpointOptions::PrintInterrupted(absl::string_view what) const {
  const std::string& folder = checkpointing_.folder;
  PrintMessage(absl::StrCat("interrupted; writing ", what,
                            folder.empty()
                                ? ""
                                : absl::StrCat("; to go on: firth ", command_,
                                               " --resume ", folder)));
}

absl::StatusOr<ExitCode> EndWithNothing(const absl::Status& error,
                                        const InterruptGuard& interrupt) {
  if (!interrupt.Interrupted()) return error;
  PrintMessage("interrupted while reading; nothing was written");
  return ExitCode::kInterrupted;
}

}  // namespace firth::tools
