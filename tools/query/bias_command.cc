// firth bias: the Word Embedding Association Test.

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cli/console.h"
#include "cli/human.h"
#include "cli/json.h"
#include "cli/vector_files.h"
#include "command.h"
#include "firth/bias.h"
#include "firth/status_macros.h"

namespace firth::tools {
namespace {

Json AssociationsJson(const std::vector<WeatAssociation>& words) {
  Json json = Json::array();
  for (const WeatAssociation& word : words) {
    json.push_back({{"word", word.word}, {"score", Rounded(word.score)}});
  }
  return json;
}

Json WeatJson(const WeatTest& test, const WeatResult& result) {
  return {{"name", test.name},
          {"effect", Rounded(result.effect)},
          {"p", result.p},
          {"exact", result.exact},
          {"permutations", result.permutations},
          {"x", {{"name", test.x.name}, {"words", AssociationsJson(result.x)}}},
          {"y", {{"name", test.y.name}, {"words", AssociationsJson(result.y)}}},
          {"a", {{"name", test.a.name}, {"found", result.num_a}}},
          {"b", {{"name", test.b.name}, {"found", result.num_b}}},
          {"unknown", result.unknown}};
}

// No -0.000.
// Without a difference between words there is none.
std::string EffectText(double effect) {
  if (std::isnan(effect)) return "-";
  return absl::StrFormat("%.3f", std::abs(effect) < 0.0005 ? 0 : effect);
}

// "25, 25, 24, 25": how many words of the four groups have a vector.
std::string FoundText(const WeatResult& result) {
  return absl::StrJoin({result.x.size(), result.y.size(), size_t{result.num_a},
                        size_t{result.num_b}},
                       ", ");
}

std::string DivisionsText(const WeatResult& result) {
  return absl::StrCat(result.exact ? "all " : "",
                      Thousands(result.permutations),
                      result.exact ? "" : " drawn");
}

class BiasCommand : public Command {
 public:
  absl::string_view name() const override { return "bias"; }
  absl::string_view summary() const override {
    return "measure associations with groups of words (WEAT)";
  }
  absl::string_view synopsis() const override {
    return "VECTORS --weat FILE [OPTION...]";
  }
  absl::string_view description() const override {
    return "For two groups of target words, such as flowers and insects, "
           "measures how much more the first group is associated with one "
           "group of attributes, such as pleasant words, than with another "
           "(Caliskan et al. 2017). The effect size is between -2 and 2. p is "
           "the fraction of random partitions of the same target words with an "
           "effect at least as large. Words without a vector are skipped and "
           "listed.\n\n"
           "  firth bias model.safetensors --weat datasets/weat.txt\n\n"
           "FILE contains tests. A test is a line \": NAME\", then four lines "
           "\"GROUP: WORD, WORD, ...\": two groups of targets and two groups "
           "of attributes.";
  }

  void Declare(OptionSet* options) override {
    options->Path("weat", "FILE", &tests_path_, Reads(),
                  "path to a file of tests; datasets/weat.txt contains the ten "
                  "tests of the paper");
    options->Fields(&options_);
    options->Switch(
        "json", &json_,
        "print one JSON object, including the association of each word");
    options->Arguments("VECTORS", 1, 1, &paths_, {{"VECTORS", Reads()}});
  }

  absl::Status Check(const OptionSet&) override {
    if (!tests_path_.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError("give the test file with --weat FILE");
  }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    FIRTH_ASSIGN_OR_RETURN(const std::vector<WeatTest> tests,
                           LoadWeatTests(tests_path_));
    FIRTH_ASSIGN_OR_RETURN(const WordVectors vectors,
                           LoadVectorsOfWords(paths_[0]));
    std::vector<absl::StatusOr<WeatResult>> results;
    for (const WeatTest& test : tests) {
      results.push_back(MeasureWeat(vectors, test, options_));
    }
    json_ ? PrintJson(tests, results) : PrintTable(tests, results);
    bool good = true;
    for (const auto& result : results) good = good && result.ok();
    return good ? ExitCode::kDone : ExitCode::kFailed;
  }

 private:
  void PrintTable(const std::vector<WeatTest>& tests,
                  const std::vector<absl::StatusOr<WeatResult>>& results) {
    TextTable table("lrrrr");
    table.AddRow({"test", "found", "effect", "p", "divisions"});
    for (size_t i = 0; i < tests.size(); ++i) {
      const absl::StatusOr<WeatResult>& result = results[i];
      if (!result.ok()) {
        table.AddRow({tests[i].name, "-", "-", "-", "-"});
        PrintError(
            absl::StrCat(tests[i].name, ": ", result.status().message()));
        continue;
      }
      table.AddRow(
          {tests[i].name, FoundText(*result), EffectText(result->effect),
           absl::StrFormat("%.2g", result->p), DivisionsText(*result)});
      if (!result->unknown.empty()) {
        PrintMessage(absl::StrCat(tests[i].name, ": no vector for ",
                                  absl::StrJoin(result->unknown, ", ")));
      }
    }
    Print(table.ToString());
  }

  void PrintJson(const std::vector<WeatTest>& tests,
                 const std::vector<absl::StatusOr<WeatResult>>& results) {
    Json list = Json::array();
    for (size_t i = 0; i < tests.size(); ++i) {
      list.push_back(results[i].ok()
                         ? WeatJson(tests[i], *results[i])
                         : Json{{"name", tests[i].name},
                                {"error", results[i].status().message()}});
    }
    Print(OneLine({{"file", tests_path_}, {"tests", std::move(list)}}) + "\n");
  }

  WeatOptions options_;
  std::string tests_path_;
  bool json_ = false;
  std::vector<std::string> paths_;
};

}  // namespace

std::unique_ptr<Command> MakeBiasCommand() {
  return std::make_unique<BiasCommand>();
}

}  // namespace firth::tools
