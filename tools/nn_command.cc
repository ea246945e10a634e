// firth nn: the words most like a word.

#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
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
           "Without WORD, reads words from standard input.\n\n"
           "  firth nn vectors.bin king queen";
  }

 protected:
  void DeclareOwn(OptionSet* options) override { ranking_.Declare(options); }

  void Open(WordVectors vectors) override {
    neighbors_.emplace(std::move(vectors), ranking_.restrict);
  }

  absl::StatusOr<Answer> Ask(absl::Span<const WordId> words,
                             bool labelled) override {
    const Vocabulary& vocabulary = vectors().vocabulary();
    const std::vector<Neighbor> found =
        neighbors_->FindWord(words[0], ranking_.top);
    std::string text;
    if (labelled) text = absl::StrCat(vocabulary.Word(words[0]), "\n");
    return Answer{text + NeighborText(vocabulary, found, labelled),
                  {{"neighbors", NeighborJson(vocabulary, found)}}};
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
