// The commands of all questions. Some of them can also write a file, or print
// their answers in a form of their own.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ask/ask_command.h"
#include "cli/console.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "cli/percent_sink.h"
#include "firth/all_neighbors.h"
#include "firth/status_macros.h"
#include "query/evaluation_table.h"

namespace firth::tools {
namespace {

// firth nn, which can write the neighbors of all words.
class NeighborsCommand : public AskCommand {
 public:
  using AskCommand::AskCommand;

  void Declare(OptionSet* options) override {
    AskCommand::Declare(options);
    options->Path(
        "all", "FILE", &all_, Writes(),
        "path to a file for the neighbors of all words; each line has "
        "a word, a neighbor and their cosine, separated by tabs");
  }

  absl::Status Check(const OptionSet& options) override {
    FIRTH_RETURN_IF_ERROR(AskCommand::Check(options));
    if (all_.empty()) return absl::OkStatus();
    for (const absl::string_view other :
         {"json", "digits", "by-vector", "positive", "negative", "method"}) {
      if (!options.Given(other)) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("--", other,
                       " cannot be combined with --all, which writes lines of "
                       "three columns"));
    }
    if (!words().empty()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the word \"", words()[0], "\" cannot be combined with --all"));
    }
    return CheckOneModel("--all");
  }

 protected:
  absl::StatusOr<ExitCode> AnswerEverything() override {
    if (all_.empty()) return AskCommand::AnswerEverything();
    const InterruptGuard interrupt;
    PercentSink progress;
    const FieldTarget top = fields().At("top");
    const absl::Status status = SaveAllNeighbors(
        vectors().vectors(), vectors().neighbors(), *std::get<uint64_t*>(top),
        all_, {.progress = &progress, .stop = interrupt.flag()});
    if (absl::IsCancelled(status)) {
      PrintMessage("interrupted; nothing was written");
      return ExitCode::kInterrupted;
    }
    FIRTH_RETURN_IF_ERROR(status);
    return ExitCode::kDone;
  }

 private:
  std::string all_;
};

// firth eval, whose tables have percentages and subtotals.
class EvalCommand : public AskCommand {
 public:
  using AskCommand::AskCommand;

 protected:
  bool HasDigits() const override { return false; }
  bool Show(const std::string& place, Answers answers, bool labelled) override {
    if (!answers[0].ok()) return AskCommand::Show(place, answers, labelled);
    std::string line;
    AppendAnswer(question(), answers[0], &line);
    const Json answer = Json::parse(line);
    if (IsFolded(answer) && !Given("lowercase")) PrintMessage(kFoldedNote);
    if (json()) return AskCommand::Show(place, answers, labelled);
    Print(EvaluationText(answer));
    return true;
  }
};

std::unique_ptr<Command> MakeAskCommand(const Question& question) {
  if (question.name == "eval") return std::make_unique<EvalCommand>(question);
  if (question.name == "neighbors") {
    return std::make_unique<NeighborsCommand>(question);
  }
  return std::make_unique<AskCommand>(question);
}

}  // namespace

std::vector<std::unique_ptr<Command>> AskCommands() {
  std::vector<std::unique_ptr<Command>> commands;
  for (const Question& question : Questions()) {
    // "firth map" is a command of its own, which writes files.
    if (question.lane == Lane::kStream || question.name == "map") continue;
    commands.push_back(MakeAskCommand(question));
  }
  return commands;
}

}  // namespace firth::tools
