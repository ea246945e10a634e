// firth analogy: a is to b as c is to what?

#include <memory>
#include <string>

#include "query/query_command.h"

namespace firth::tools {
namespace {

class AnalogyCommand : public NeighborCommand {
 public:
  AnalogyCommand() : NeighborCommand("VECTORS [A B C]", "a b c> ", 3, 3) {}

  absl::string_view name() const override { return "analogy"; }
  absl::string_view summary() const override {
    return "solve \"A is to B as C is to ?\"";
  }
  absl::string_view description() const override {
    return "Prints the words that fit best; A, B and C are left out. Without "
           "them, reads three words a line from standard input.\n\n"
           "  firth analogy model.safetensors man king woman";
  }

 protected:
  void DeclareOwn(OptionSet* options) override {
    NeighborCommand::DeclareOwn(options);
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
    return NeighborCommand::CheckOwn(options);
  }

  Answer AskOne(const Question& question, bool labelled) const override {
    const AnalogyQuery query{question[0].vector, question[1].vector,
                             question[2].vector, KnownWords(question)};
    return RankedAnswer(question,
                        neighbors().SolveAnalogy(query, top(), method_),
                        "answers", labelled);
  }

 private:
  AnalogyMethod method_ = AnalogyMethod::kAdd;
};

}  // namespace

std::unique_ptr<Command> MakeAnalogyCommand() {
  return std::make_unique<AnalogyCommand>();
}

}  // namespace firth::tools
