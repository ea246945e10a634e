// firth similarity: the cosine of two words.

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "query/query_command.h"

namespace firth::tools {
namespace {

class SimilarityCommand : public QueryCommand {
 public:
  SimilarityCommand() : QueryCommand("VECTORS [A B]", "a b> ", 2, 2) {}

  absl::string_view name() const override { return "similarity"; }
  absl::string_view summary() const override {
    return "how similar two words are";
  }
  absl::string_view description() const override {
    return "Prints the cosine of the two vectors, from -1 to 1. Without "
           "words, reads two a line from standard input.\n\n"
           "  firth similarity model.safetensors cup mug";
  }

 protected:
  Answer AskOne(const Question& words, bool labelled) const override {
    const float cosine = Similarity(words[0].vector, words[1].vector);
    std::string text;
    if (labelled) text = absl::StrCat(words[0].text, "  ", words[1].text, "  ");
    return Answer{text + absl::StrFormat("%.4f\n", cosine),
                  {{"similarity", Rounded(cosine)}}};
  }
};

}  // namespace

std::unique_ptr<Command> MakeSimilarityCommand() {
  return std::make_unique<SimilarityCommand>();
}

}  // namespace firth::tools
