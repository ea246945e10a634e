// firth nn: the words most like a word.

#include <memory>
#include <string>
#include <vector>

#include "query/query_command.h"

namespace firth::tools {
namespace {

class NnCommand : public NeighborCommand {
 public:
  NnCommand() : NeighborCommand("VECTORS [WORD...]", "word> ", 1, 1) {}

  absl::string_view name() const override { return "nn"; }
  absl::string_view summary() const override {
    return "the nearest neighbours of words";
  }
  absl::string_view description() const override {
    return "Prints the words of greatest cosine with each WORD, best first. "
           "Without WORD, reads words from standard input; those that come "
           "together are answered together, which is several times as fast.\n\n"
           "  firth nn model.safetensors king queen\n"
           "  firth nn model.safetensors --json <words.txt >neighbors.jsonl";
  }

 protected:
  Answer AskOne(const Question& question, bool labelled) const override {
    return Ask({question}, labelled)[0];
  }

  std::vector<Answer> Ask(absl::Span<const Question> questions,
                          bool labelled) const override {
    std::vector<NeighborQuery> queries;
    queries.reserve(questions.size());
    for (const Question& question : questions) {
      queries.push_back({question[0].vector, KnownWords(question)});
    }
    std::vector<Answer> answers;
    for (const auto& found : neighbors().FindAll(queries, top())) {
      answers.push_back(RankedAnswer(questions[answers.size()], found,
                                     "neighbors", labelled));
    }
    return answers;
  }
};

}  // namespace

std::unique_ptr<Command> MakeNnCommand() {
  return std::make_unique<NnCommand>();
}

}  // namespace firth::tools
