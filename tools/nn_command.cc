// firth nn: the words most like a word.

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "query_command.h"

namespace firth::tools {
namespace {

class NnCommand : public QueryCommand {
 public:
  NnCommand() : QueryCommand("VECTORS [WORD...]", "word> ", 1, 1) {}

  absl::string_view name() const override { return "nn"; }
  absl::string_view summary() const override {
    return "the nearest neighbours of words";
  }
  absl::string_view description() const override {
    return "Prints the words of greatest cosine with each WORD, best first. "
           "Without WORD, reads words from standard input; those that come "
           "together are answered together, which is several times as fast.\n\n"
           "  firth nn vectors.bin king queen\n"
           "  firth nn vectors.bin --json <words.txt >neighbors.jsonl";
  }

 protected:
  void DeclareOwn(OptionSet* options) override { ranking_.Declare(options); }

  absl::Status CheckOwn(const OptionSet& options) const override {
    return ranking_.Check(options);
  }

  absl::Status Open(WordVectors vectors, const std::string& path) override {
    absl::StatusOr<NearestNeighbors> opened =
        ranking_.Open(std::move(vectors), path);
    if (!opened.ok()) return opened.status();
    neighbors_ = *std::move(opened);
    return absl::OkStatus();
  }

  std::vector<Answer> Ask(absl::Span<const Question> questions,
                          bool labelled) override {
    const Vocabulary& vocabulary = vectors().vocabulary();
    std::vector<WordId> words;
    words.reserve(questions.size());
    for (const Question& question : questions) words.push_back(question[0]);
    std::vector<Answer> answers;
    for (const auto& found : neighbors_->FindWords(words, ranking_.top)) {
      const Question& question = questions[answers.size()];
      answers.push_back({(labelled ? Label(vocabulary, question) : "") +
                             NeighborText(vocabulary, found, labelled),
                         {{"neighbors", NeighborJson(vocabulary, found)}}});
    }
    return answers;
  }

 private:
  RankingOptions ranking_;
  std::optional<NearestNeighbors> neighbors_;
};

}  // namespace

std::unique_ptr<Command> MakeNnCommand() {
  return std::make_unique<NnCommand>();
}

}  // namespace firth::tools
