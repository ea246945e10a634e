// firth odd: which word does not belong.

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "query_command.h"

namespace firth::tools {
namespace {

class OddCommand : public QueryCommand {
 public:
  OddCommand()
      : QueryCommand("VECTORS [WORD...]", "words> ", 3,
                     std::numeric_limits<size_t>::max()) {}

  absl::string_view name() const override { return "odd"; }
  absl::string_view summary() const override {
    return "the word that does not belong to the others";
  }
  absl::string_view description() const override {
    return "Prints the word farthest from the mean of all, of three or more. "
           "Without words, reads them line by line from standard input.\n\n"
           "  firth odd vectors.bin breakfast cereal dinner lunch";
  }

 protected:
  Answer AskOne(const Question& words, bool labelled) const override {
    const Vocabulary& vocabulary = vectors().vocabulary();
    const std::string odd(vocabulary.Word(words[OddOneOut(vectors(), words)]));
    std::string text;
    for (size_t i = 0; labelled && i < words.size(); ++i) {
      absl::StrAppend(&text, vocabulary.Word(words[i]), " ");
    }
    if (labelled) text += " ";
    return Answer{absl::StrCat(text, odd, "\n"), {{"odd", odd}}};
  }
};

}  // namespace

std::unique_ptr<Command> MakeOddCommand() {
  return std::make_unique<OddCommand>();
}

}  // namespace firth::tools
