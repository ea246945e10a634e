// firth odd: which word does not belong.

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "query/query_command.h"

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
           "  firth odd model.safetensors breakfast cereal dinner lunch";
  }

 protected:
  Answer AskOne(const Question& words, bool labelled) const override {
    std::vector<absl::Span<const float>> rows;
    std::string text;
    for (const QuestionWord& word : words) {
      rows.push_back(word.vector);
      if (labelled) absl::StrAppend(&text, word.text, " ");
    }
    const std::string& odd = words[OddOneOut(rows)].text;
    if (labelled) text += " ";
    return Answer{absl::StrCat(text, odd, "\n"), {{"odd", odd}}};
  }
};

}  // namespace

std::unique_ptr<Command> MakeOddCommand() {
  return std::make_unique<OddCommand>();
}

}  // namespace firth::tools
