// firth analogy: a is to b as c is to what?

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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

  absl::Status CheckOwn(const OptionSet& options) const override {
    if (method_ == AnalogyMethod::kMul && options.Given("index")) {
      return absl::InvalidArgumentError(
          "--index does not go with --method mul, which looks at all vectors");
    }
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
    std::vector<Answer> answers;
    for (const Question& question : questions) {
      const std::vector<Neighbor> found = neighbors_->SolveAnalogy(
          question[0], question[1], question[2], ranking_.top, method_);
      answers.push_back({(labelled ? Label(vocabulary, question) : "") +
                             NeighborText(vocabulary, found, labelled),
                         {{"answers", NeighborJson(vocabulary, found)}}});
    }
    return answers;
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
