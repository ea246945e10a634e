// firth lm next: does a sentence follow another?

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "cli/console.h"
#include "cli/json.h"
#include "cli/line_reader.h"
#include "command.h"
#include "firth/language_model.h"
#include "firth/status_macros.h"

namespace firth::tools {
namespace {

// That go through the model together.
constexpr size_t kMostPairs = 256;

class LmNextCommand : public Command {
 public:
  absl::string_view name() const override { return "lm next"; }
  absl::string_view summary() const override {
    return "estimate whether one sentence follows another";
  }
  absl::string_view synopsis() const override {
    return "MODEL [OPTION...] [FIRST SECOND | <PAIRS]";
  }
  absl::string_view description() const override {
    return "Prints the probability that the second sentence of a pair follows "
           "the first one in a text, as in BERT (Devlin et al. 2019). The "
           "model must be trained by \"firth lm train --next-sentence\", or be "
           "an imported BERT model with a next-sentence head. Without "
           "arguments, reads lines of two sentences separated by a tab from "
           "standard input, and prints one line for each.\n\n"
           "  firth lm import bert-base-uncased --output bert.safetensors\n"
           "  firth lm next bert.safetensors \"he went to the store .\" \\\n"
           "    \"he bought milk .\"\n"
           "  firth lm next bert.safetensors <pairs.tsv";
  }

  void Declare(OptionSet* options) override {
    options->Switch("json", &json_, "print one JSON object per pair")
        .Everyday();
    options->Arguments("MODEL", 1, 3, &arguments_,
                       {{"MODEL", Reads()}, {"SENTENCE", NoFile()}});
  }

  absl::Status Check(const OptionSet&) override {
    if (arguments_.size() != 2) return absl::OkStatus();
    return absl::InvalidArgumentError(
        "give two sentences, each as one argument");
  }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    FIRTH_ASSIGN_OR_RETURN(LanguageModel model,
                           LanguageModel::Load(arguments_[0]));
    if (arguments_.size() == 3) {
      FIRTH_RETURN_IF_ERROR(
          Answer({{arguments_[1], arguments_[2]}}, "", &model));
    } else {
      FIRTH_ASSIGN_OR_RETURN(const bool good, AnswerLines(&model));
      if (!good) return ExitCode::kFailed;
    }
    return ExitCode::kDone;
  }

 private:
  using Texts = std::vector<std::string>;

  // Whether all lines could be read.
  absl::StatusOr<bool> AnswerLines(LanguageModel* model) const {
    if (SomebodyTypes()) {
      return absl::InvalidArgumentError(
          "give two sentences, each as one argument, or lines of two sentences "
          "in standard input");
    }
    LineReader reader({});
    uint64_t number = 0;
    bool good = true;
    for (;;) {
      FIRTH_ASSIGN_OR_RETURN(const std::vector<LineReader::Line> lines,
                             reader.Next(kMostPairs));
      if (lines.empty()) return good;
      std::vector<Texts> pairs;
      const std::string place =
          absl::StrCat("standard input after line ", number, ": ");
      for (const LineReader::Line& line : lines) {
        ++number;
        if (!line.ok()) {
          // Answers come in the order of the lines.
          FIRTH_RETURN_IF_ERROR(Answer(std::exchange(pairs, {}), place, model));
          PrintUnread(number, line.status());
          good = false;
          continue;
        }
        pairs.push_back(absl::StrSplit(*line, '\t'));
        if (pairs.back().size() == 2) continue;
        return absl::InvalidArgumentError(
            absl::StrCat("standard input:", number,
                         ": expected two sentences separated by a tab, found ",
                         pairs.back().size()));
      }
      FIRTH_RETURN_IF_ERROR(Answer(pairs, place, model));
      // Nobody to answer: what went wrong is said at the end of the program.
      if (!FlushResults().ok()) return good;
    }
  }

  absl::Status Answer(const std::vector<Texts>& pairs, const std::string& place,
                      LanguageModel* model) const {
    if (pairs.empty()) return absl::OkStatus();
    std::vector<LanguageModel::Pair> words;
    words.reserve(pairs.size());
    for (const Texts& pair : pairs) {
      words.emplace_back(WordsOf(pair[0]), WordsOf(pair[1]));
    }
    const auto likely = model->NextSentence(words);
    if (!likely.ok()) {
      return absl::Status(
          likely.status().code(),
          absl::StrCat(arguments_[0], ": ", place, likely.status().message()));
    }
    for (size_t i = 0; i < pairs.size(); ++i) {
      const double p = (*likely)[i];
      Print(json_ ? OneLine(Json{{"query", pairs[i]},
                                 {"probability", Rounded(p)}}) +
                        "\n"
                  : absl::StrFormat("%.4f\n", p));
    }
    return absl::OkStatus();
  }

  // The answer to a line that could not be read.
  void PrintUnread(uint64_t number, const absl::Status& status) const {
    const std::string message(status.message());
    if (json_) {
      Print(OneLine(Json{{"query", Json::array()}, {"error", message}}) + "\n");
    } else {
      PrintError(absl::StrCat("standard input:", number, ": ", message));
      Print("nan\n");
    }
  }

  static LanguageModel::Sentence WordsOf(absl::string_view text) {
    return absl::StrSplit(text, absl::ByAnyChar(" \t\r\n"), absl::SkipEmpty());
  }

  bool json_ = false;
  std::vector<std::string> arguments_;
};

}  // namespace

std::unique_ptr<Command> MakeLmNextCommand() {
  return std::make_unique<LmNextCommand>();
}

}  // namespace firth::tools
