// firth lm fill: the words that a masked language model finds likely in a gap.

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "cli/console.h"
#include "cli/json.h"
#include "command.h"
#include "firth/language_model.h"

namespace firth::tools {
namespace {

class LmFillCommand : public Command {
 public:
  absl::string_view name() const override { return "lm fill"; }
  absl::string_view summary() const override {
    return "predict the hidden words of a sentence";
  }
  absl::string_view synopsis() const override {
    return "MODEL [OPTION...] WORD...";
  }
  absl::string_view description() const override {
    return "Prints the most probable words for each <MASK> of a sentence, one "
           "word per line with its probability, and an empty line between two "
           "masks. Each mask is filled independently. The model must be "
           "trained by \"firth lm train --predict masked\", or imported from a "
           "BERT model.\n\n"
           "  firth lm fill masked.safetensors \"the <MASK> of the river\"";
  }

  void Declare(OptionSet* options) override {
    options
        ->Integer("top", &top_, size_t{1}, size_t{1'000'000},
                  "number of words to print for each <MASK>")
        .Everyday();
    options->Switch("json", &json_, "print one JSON object per <MASK>")
        .Everyday();
    options->Arguments("MODEL", 2, SIZE_MAX, &arguments_,
                       {{"MODEL", Reads()}, {"WORD", NoFile()}});
  }

  absl::Status Check(const OptionSet&) override {
    // "the <MASK>" as one argument is two words.
    for (size_t i = 1; i < arguments_.size(); ++i) {
      for (const absl::string_view word : absl::StrSplit(
               arguments_[i], absl::ByAnyChar(" \t\n"), absl::SkipEmpty())) {
        sentence_.push_back(word);
      }
    }
    return absl::OkStatus();
  }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    absl::StatusOr<LanguageModel> model = LanguageModel::Load(arguments_[0]);
    if (!model.ok()) return model.status();
    const auto gaps = model->Fill(sentence_, top_);
    if (!gaps.ok()) {
      return absl::Status(
          gaps.status().code(),
          absl::StrCat(arguments_[0], ": ", gaps.status().message()));
    }
    for (size_t gap = 0; gap < gaps->size(); ++gap) {
      if (json_) {
        Print(OneLine(JsonOf((*gaps)[gap])) + "\n");
        continue;
      }
      if (gap > 0) Print("\n");
      for (const WordProbability& word : (*gaps)[gap]) {
        Print(absl::StrFormat("%s\t%.4f\n", word.word, word.probability));
      }
    }
    return ExitCode::kDone;
  }

 private:
  static Json JsonOf(const std::vector<WordProbability>& words) {
    Json list = Json::array();
    for (const WordProbability& word : words) {
      list.push_back(
          {{"word", word.word}, {"probability", Rounded(word.probability)}});
    }
    return {{"words", std::move(list)}};
  }

  size_t top_ = 10;
  bool json_ = false;
  std::vector<std::string> arguments_;
  LanguageModel::Sentence sentence_;  // in arguments_
};

}  // namespace

std::unique_ptr<Command> MakeLmFillCommand() {
  return std::make_unique<LmFillCommand>();
}

}  // namespace firth::tools
