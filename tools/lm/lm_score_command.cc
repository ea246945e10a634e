// firth lm score: computes the log probabilities of sentences.

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "ask/text_asker.h"
#include "cli/console.h"
#include "command.h"
#include "firth/contextualizer.h"
#include "firth/language_model.h"
#include "firth/tagged_text.h"

namespace firth::tools {
namespace {

// Sentences that go through the model together.
constexpr size_t kMostScored = 256;

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
    options
        ->Paths("input", "FILE", &inputs_, Reads(),
                "path to texts to read instead of standard input")
        .Everyday();
    options
        ->Switch("json", &json_,
                 "print one JSON object per sentence, with its number of "
                 "unknown words")
        .Everyday();
    options->Arguments("MODEL", 1, 1, &model_, {{"MODEL", Reads()}});
  }

  absl::Status Check(const OptionSet&) override {
    if (inputs_.empty()) inputs_.emplace_back("-");
    return absl::OkStatus();
  }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    absl::StatusOr<Contextualizer> loaded = Contextualizer::Load(model_[0]);
    if (!loaded.ok()) return loaded.status();
    const auto opened =
        std::make_shared<OpenedLanguageModel>(*std::move(loaded));
    const OpenedModel model{"", opened};
    TextAsker asker("lm-score");
    absl::StatusOr<TaggedTextReader> reader = TaggedTextReader::Open(
        {.inputs = inputs_, .form = TextForm::kText, .with_tags = false});
    if (!reader.ok()) return reader.status();
    for (;;) {
      const auto read = reader->Next(kMostScored);
      if (!read.ok()) return read.status();
      if (read->empty()) {
        return asker.failed() ? ExitCode::kFailed : ExitCode::kDone;
      }
      if (json_) {
        asker.PrintAnswers(*read, model);
        if (!FlushResults().ok()) return ExitCode::kDone;
        continue;
      }
      std::vector<LanguageModel::Sentence> sentences;
      for (const TaggedSentence& sentence : *read) {
        sentences.emplace_back(sentence.tokens.begin(), sentence.tokens.end());
      }
      const auto scores = opened->model.language_model().Score(sentences);
      if (!scores.ok()) {
        return absl::Status(
            scores.status().code(),
            absl::StrCat(model_[0], ": ", scores.status().message()));
      }
      for (size_t i = 0; i < sentences.size(); ++i) {
        Print(absl::StrFormat("%.4f\t%d\t%s\n", (*scores)[i].log_probability,
                              (*scores)[i].tokens,
                              absl::StrJoin(sentences[i], " ")));
      }
      // If nobody reads the answers, the program reports why when it ends.
      if (!FlushResults().ok()) return ExitCode::kDone;
    }
  }

 private:
  std::vector<std::string> inputs_;
  bool json_ = false;
  std::vector<std::string> model_;
};

}  // namespace

CommandPtr MakeLmScore() { return std::make_unique<LmScoreCommand>(); }

}  // namespace firth::tools
