// firth analogy: a is to b as c is to what?

#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "query_command.h"

namespace firth::tools {
namespace {

class AnalogyCommand : public QueryCommand {
 public:
  AnalogyCommand() : QueryCommand("VECTORS [A B C]", "a b c> ", 3, 3) {}

  absl::string_view name() const override { return "analogy"; }
  absl::string_view summary() const override {
    return "solve \"A is to B as C is to ?\"";
  }
  absl::string_view description() const override {
    return "Prints the words that fit best; A, B and C are left out. Without "
           "them, reads three words a line from standard input.\n\n"
           "  firth analogy vectors.bin man king woman";
  }

 protected:
  void DeclareOwn(OptionSet* options) override {
    ranking_.Declare(options);
    options->Choice<AnalogyMethod>(
        "method", &method_,
        {{"add", AnalogyMethod::kAdd}, {"mul", AnalogyMethod::kMul}},
        "3CosAdd, cos(x, b - a + c), or 3CosMul, cos(x,b) cos(x,c) / cos(x,a)");
  }

  void Open(WordVectors vectors) override {
    neighbors_.emplace(std::move(vectors), ranking_.restrict);
  }

  absl::StatusOr<Answer> Ask(absl::Span<const WordId> words,
                             bool labelled) override {
    const Vocabulary& vocabulary = vectors().vocabulary();
    const std::vector<Neighbor> found = neighbors_->SolveAnalogy(
        words[0], words[1], words[2], ranking_.top, method_);
    std::string text;
    if (labelled) {
      text = absl::StrCat(vocabulary.Word(words[0]), " ",
                          vocabulary.Word(words[1]), " ",
                          vocabulary.Word(words[2]), "\n");
    }
    return Answer{text + NeighborText(vocabulary, found, labelled),
                  {{"answers", NeighborJson(vocabulary, found)}}};
  }

 private:
  RankingOptions ranking_;
  AnalogyMethod method_ = AnalogyMethod::kAdd;
  std::optional<NearestNeighbors> neighbors_;
};

}  // namespace

std::unique_ptr<Command> MakeAnalogyCommand() {
  return std::make_unique<AnalogyCommand>();
}

}  // namespace firth::tools
