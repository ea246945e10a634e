// firth lm generate: sentences that a language model finds likely.

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "cli/console.h"
#include "cli/json.h"
#include "command.h"
#include "firth/language_model.h"
#include "firth/status_macros.h"

namespace firth::tools {
namespace {

constexpr CommandText kLmGenerateText = {
    "lm generate", "generate sentences with a language model",
    "MODEL [OPTION...] [WORD...]",
    "Continues the given words with the forward language model until the end "
    "of the sentence. By default it takes the most probable word each time; "
    "--temperature samples words, and --beam uses beam search.\n\n"
    "  firth lm generate lm.safetensors The old man\n"
    "  firth lm generate lm.safetensors --temperature 0.8 --top-k 40 --count "
    "5\n"
    "  firth lm generate lm.safetensors --beam 8 --length-normalization 0.6 "
    "The"};

class LmGenerateCommand : public Command {
 public:
  LmGenerateCommand() : Command(kLmGenerateText) {}

  void Declare(OptionSet* options) override {
    options->Fields(&fields_);
    options->Switch("json", &json_,
                    "print one JSON object per sentence, with its ln p");
    options->Arguments("MODEL", 1, SIZE_MAX, &arguments_,
                       {{"MODEL", Reads()}, {"WORD", NoFile()}});
  }

  absl::Status Check(const OptionSet& options) override {
    if (options.Given("length-normalization") && options_.beam == 1) {
      return absl::InvalidArgumentError(
          "--length-normalization requires --beam 2 or more");
    }
    if (options_.count > 1 && options_.beam == 1 && options_.temperature == 0) {
      return absl::InvalidArgumentError(
          "--count requires --temperature or --beam; without them there is "
          "only one sentence");
    }
    // "The old man" as one argument is three words.
    for (size_t i = 1; i < arguments_.size(); ++i) {
      for (const absl::string_view word : absl::StrSplit(
               arguments_[i], absl::ByAnyChar(" \t\n"), absl::SkipEmpty())) {
        options_.prompt.emplace_back(word);
      }
    }
    return options_.Validate();
  }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    FIRTH_ASSIGN_OR_RETURN(LanguageModel model,
                           LanguageModel::Load(arguments_[0]));
    FIRTH_ASSIGN_OR_RETURN(const std::vector<GeneratedSentence> sentences,
                           At(arguments_[0], model.Generate(options_)));
    for (const GeneratedSentence& sentence : sentences) {
      const std::string text = absl::StrJoin(sentence.words, " ");
      Print(json_ ? JsonLine(Json{
                        {"text", text},
                        {"log_probability", Rounded(sentence.log_probability)},
                        {"ended", sentence.ended}})
                  : text + "\n");
    }
    return ExitCode::kDone;
  }

 private:
  GenerateOptions options_;
  FieldEditor fields_{&options_};
  bool json_ = false;
  std::vector<std::string> arguments_;
};

}  // namespace

CommandPtr MakeLmGenerate() { return std::make_unique<LmGenerateCommand>(); }

}  // namespace firth::tools
