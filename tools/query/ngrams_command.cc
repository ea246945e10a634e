// firth ngrams: what a word's vector is made of.

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/human.h"
#include "firth/subwords.h"
#include "query/query_command.h"

namespace firth::tools {
namespace {

// Of the mean of an n-gram's rows.
double Norm(const FloatTable& table, const std::vector<uint32_t>& rows) {
  double squares = 0;
  for (size_t i = 0; i < table.cols(); ++i) {
    double sum = 0;
    for (const uint32_t row : rows) sum += table.Row(row)[i];
    squares += sum * sum;
  }
  return rows.empty() ? 0
                      : std::sqrt(squares) / static_cast<double>(rows.size());
}

class NgramsCommand : public QueryCommand {
 public:
  NgramsCommand() : QueryCommand("VECTORS [WORD...]", "word> ", 1, 1) {}

  absl::string_view name() const override { return "ngrams"; }
  absl::string_view summary() const override {
    return "the n-grams of words, with the length of their vectors";
  }
  absl::string_view description() const override {
    return "Prints the character n-grams of <WORD> in their order, each with "
           "the norm of its vector: 0 for those that the model has not seen. "
           "Without WORD, reads words from standard input.\n\n"
           "  firth ngrams model.safetensors unhappiness";
  }

 protected:
  absl::Status Open(const WordVectors& vectors,
                    const std::string& path) override {
    if (vectors.subwords() != nullptr) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": expected a model with n-grams, found none"));
  }

  Answer AskOne(const Question& question, bool labelled) const override {
    const SubwordTables& subwords = *vectors().subwords();
    TextTable table("lr");
    Json list = Json::array();
    for (const auto& [text, rows] : subwords.index.NGrams(question[0].text)) {
      const double norm = Norm(subwords.n_grams, rows);
      table.AddRow({absl::StrCat(labelled ? "  " : "", text),
                    absl::StrFormat("%.4f", norm)});
      list.push_back(
          {{"ngram", text}, {"norm", Rounded(static_cast<float>(norm))}});
    }
    return {
        absl::StrCat(labelled ? question[0].text + "\n" : "", table.ToString()),
        {{"ngrams", std::move(list)}}};
  }
};

}  // namespace

std::unique_ptr<Command> MakeNgramsCommand() {
  return std::make_unique<NgramsCommand>();
}

}  // namespace firth::tools
