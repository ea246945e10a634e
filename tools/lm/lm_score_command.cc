// firth lm score: computes the log probabilities of sentences.

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "ask/text_asker.h"
#include "cli/console.h"
#include "command.h"
#include "firth/contextualizer.h"
#include "firth/language_model.h"
#include "firth/status_macros.h"
#include "firth/tagged_text.h"
#include "tag/tagging.h"

namespace firth::tools {
namespace {

constexpr CommandText kLmScoreText = {
    "lm score", "compute the log probability of sentences",
    "MODEL [OPTION...] <TEXT",
    "Reads sentences as they arrive, one per line, with tokens separated by "
    "white space. Prints for each, separated by tabs, ln p, the number of "
    "tokens that p covers, and the sentence. p is the product of the "
    "probabilities of the words and of the end of the sentence, each given the "
    "words before it. Unknown words count as <UNK>, and only the forward "
    "direction is used. Longer sentences have lower p; to compare sentences, "
    "divide ln p by the number of tokens. An empty line is a sentence without "
    "words.\n\n"
    "  printf 'the cat sat\\nsat the cat\\n' | firth lm score lm.safetensors\n"
    "  firth lm score lm.safetensors <text.txt | sort -nr | head"};

class LmScoreCommand : public Command {
 public:
  LmScoreCommand() : Command(kLmScoreText) {}

  void Declare(OptionSet* options) override {
    DeclareTexts(&inputs_, options);
    options
        ->Switch("json", &json_,
                 "print one JSON object per sentence, with its number of "
                 "unknown words")
        .Everyday();
    options->Arguments("MODEL", 1, 1, &model_, {{"MODEL", Reads()}});
  }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    FIRTH_ASSIGN_OR_RETURN(Contextualizer loaded,
                           Contextualizer::Load(model_[0]));
    const auto opened =
        std::make_shared<OpenedLanguageModel>(std::move(loaded));
    TextAsker asker("lm-score");
    FIRTH_RETURN_IF_ERROR(ForEachBlock(
        {.inputs = inputs_, .form = TextForm::kText, .with_tags = false},
        [&](const std::vector<TaggedSentence>& read) -> absl::Status {
          if (!json_) return PrintScores(opened->model.language_model(), read);
          asker.PrintAnswers(read, {"", opened});
          return absl::OkStatus();
        }));
    return asker.failed() ? ExitCode::kFailed : ExitCode::kDone;
  }

 private:
  absl::Status PrintScores(LanguageModel& model,
                           const std::vector<TaggedSentence>& read) const {
    std::vector<LanguageModel::Sentence> sentences;
    for (const TaggedSentence& sentence : read) {
      sentences.emplace_back(sentence.tokens.begin(), sentence.tokens.end());
    }
    FIRTH_ASSIGN_OR_RETURN(const std::vector<SentenceScore> scores,
                           At(model_[0], model.Score(sentences)));
    for (size_t i = 0; i < sentences.size(); ++i) {
      Print(absl::StrFormat("%.4f\t%d\t%s\n", scores[i].log_probability,
                            scores[i].tokens,
                            absl::StrJoin(sentences[i], " ")));
    }
    return absl::OkStatus();
  }

  std::vector<std::string> inputs_;
  bool json_ = false;
  std::vector<std::string> model_;
};

}  // namespace

CommandPtr MakeLmScore() { return std::make_unique<LmScoreCommand>(); }

}  // namespace firth::tools
