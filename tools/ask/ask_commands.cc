// Creates the commands of all questions. Some commands can also write a file,
// or print their answers in a special form.

#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ask/answer_text.h"
#include "ask/ask_command.h"
#include "cli/console.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "cli/progress_printer.h"
#include "cli/vector_files.h"
#include "firth/all_neighbors.h"
#include "firth/status_macros.h"
#include "firth/vector_io.h"
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
    // The file must not replace the index that is used to compute it.
    options->AlsoUses("--index", Reads(), [this] {
      return all_.empty() ? std::string() : IndexPath();
    });
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
    if (absl::IsCancelled(status)) return EndInterrupted();
    FIRTH_RETURN_IF_ERROR(status);
    return ExitCode::kDone;
  }

 private:
  std::string all_;
};

// firth vectors, which can write a vector file.
class VectorsCommand : public AskCommand {
 public:
  using AskCommand::AskCommand;

  void Declare(OptionSet* options) override {
    AskCommand::Declare(options);
    options->Path("output", "FILE", &output_, WritesVectors(&format_),
                  "path to a vector file to write; each word is written only "
                  "once. The extension determines the format");
  }

  absl::Status Check(const OptionSet& options) override {
    FIRTH_RETURN_IF_ERROR(AskCommand::Check(options));
    if (output_.empty()) return absl::OkStatus();
    FIRTH_ASSIGN_OR_RETURN(format_, ChooseVectorFormat(output_, ""));
    if (json()) {
      return absl::InvalidArgumentError(
          "--json cannot be combined with --output");
    }
    return CheckOneModel("--output");
  }

 protected:
  absl::StatusOr<ExitCode> AnswerEverything() override {
    FIRTH_ASSIGN_OR_RETURN(const ExitCode code, AskCommand::AnswerEverything());
    if (output_.empty()) return code;
    if (code != ExitCode::kDone) {
      PrintMessage("nothing was written; --oov skip omits such words");
      return code;
    }
    FIRTH_RETURN_IF_ERROR(Save());
    return code;
  }

  void Print(Answers answers, bool labelled) override {
    if (output_.empty()) return AskCommand::Print(answers, labelled);
    if (!answers[0].ok()) return;
    const AnswerType& type = *question().answer;
    const auto& word = *FindMember<std::string>(type, *answers[0], "word");
    const auto& vector = *FindMember<std::optional<std::vector<float>>>(
        type, *answers[0], "vector");
    if (!vector.has_value() || !known_.insert(word).second) return;
    kept_.push_back(word);
    values_.insert(values_.end(), vector->begin(), vector->end());
  }

 private:
  absl::Status Save() {
    const std::vector<absl::string_view> words(kept_.begin(), kept_.end());
    VectorFile file;
    FIRTH_ASSIGN_OR_RETURN(Vocabulary vocabulary,
                           Vocabulary::Create(words, {}));
    FIRTH_ASSIGN_OR_RETURN(
        file.vectors,
        WordVectors::Create(
            std::move(vocabulary),
            FloatTable(std::move(values_), vectors().vectors().dim())));
    return SaveVectorFile(file, output_, format_);
  }

  std::string output_;
  std::string format_;
  std::unordered_set<std::string> known_;
  std::vector<std::string> kept_;  // The words, in order.
  std::vector<float> values_;      // [words, dim]
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
    tools::Print(EvaluationText(answer, paths()));
    return true;
  }
};

CommandPtr MakeAskCommand(const Question& question) {
  if (question.name == "eval") return std::make_unique<EvalCommand>(question);
  if (question.name == "neighbors") {
    return std::make_unique<NeighborsCommand>(question);
  }
  if (question.name == "vectors") {
    return std::make_unique<VectorsCommand>(question);
  }
  return std::make_unique<AskCommand>(question);
}

}  // namespace

std::vector<CommandPtr> AskCommands() {
  std::vector<CommandPtr> commands;
  for (const Question& question : Questions()) {
    // "firth map" is a separate command, which writes files.
    if (question.lane == Lane::kStream || question.name == "map") continue;
    commands.push_back(MakeAskCommand(question));
  }
  return commands;
}

}  // namespace firth::tools
