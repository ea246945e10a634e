// firth eval: the field's test sets.

#include <memory>
#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/json.h"
#include "cli/vector_files.h"
#include "command.h"
#include "firth/query.h"
#include "firth/status_macros.h"
#include "query/evaluation_table.h"

namespace firth::tools {
namespace {

Json ToJson(const AnalogyResult& result) {
  Json sections = Json::array();
  for (const AnalogySection& section : result.sections) {
    sections.push_back({{"name", section.name},
                        {"correct", section.correct},
                        {"asked", section.asked},
                        {"total", section.total}});
  }
  const Interval interval = WilsonInterval(result.correct, result.asked);
  return {{"file", result.file},       {"sections", std::move(sections)},
          {"correct", result.correct}, {"asked", result.asked},
          {"total", result.total},     {"low", interval.low},
          {"high", interval.high},     {"folded", result.folded}};
}

// Not a number becomes null.
Json ToJson(const SimilarityResult& result) {
  return {{"file", result.file},    {"spearman", result.spearman},
          {"asked", result.asked},  {"total", result.total},
          {"low", result.low},      {"high", result.high},
          {"folded", result.folded}};
}

class EvalCommand : public Command {
 public:
  absl::string_view name() const override { return "eval"; }
  absl::string_view summary() const override {
    return "measure vectors on analogy and similarity test sets";
  }
  absl::string_view synopsis() const override {
    return "VECTORS [--analogies FILE...] [--similarity FILE...]";
  }
  absl::string_view description() const override {
    return "An analogy file has four words a line, the last being the answer, "
           "in sections that start with \": name\". A similarity file has two "
           "words and a score a line, separated by tabs, commas or spaces.\n\n"
           "A question is asked if all its words have vectors; coverage says "
           "how many were. Accuracy is of the questions asked; similarity is "
           "measured by Spearman's rank correlation.\n\n"
           "  firth eval vectors.bin --analogies questions-words.txt "
           "--restrict 30000";
  }

  void Declare(OptionSet* options) override {
    options->Paths("analogies", "FILE", &analogies_, Reads(),
                   "question files, as questions-words.txt");
    options->Paths("similarity", "FILE", &similarity_, Reads(),
                   "files of word pairs with scores, as WordSim-353");
    options->Fields(&options_);
    options->Switch("json", &json_, "print one JSON object");
    options->Arguments("VECTORS", 1, 1, &arguments_,
                       {{"VECTORS", ReadsVectors()}});
  }

  absl::Status Check(const OptionSet&) override {
    if (analogies_.empty() && similarity_.empty()) {
      return absl::InvalidArgumentError(
          "missing --analogies FILE or --similarity FILE");
    }
    return absl::OkStatus();
  }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    FIRTH_ASSIGN_OR_RETURN(const WordVectors vectors,
                           LoadVectorsToAsk(arguments_[0]));
    FIRTH_RETURN_IF_ERROR(Evaluate(vectors));
    if (folded_ && !options_.lowercase) PrintMessage(kFoldedNote);
    json_ ? PrintJson() : PrintTables();
    return ExitCode::kDone;
  }

 private:
  absl::Status Evaluate(const WordVectors& vectors) {
    for (const std::string& file : analogies_) {
      FIRTH_ASSIGN_OR_RETURN(analogy_results_.emplace_back(),
                             EvaluateAnalogies(vectors, file, options_));
      folded_ |= analogy_results_.back().folded;
    }
    for (const std::string& file : similarity_) {
      FIRTH_ASSIGN_OR_RETURN(similarity_results_.emplace_back(),
                             EvaluateSimilarity(vectors, file, options_));
      folded_ |= similarity_results_.back().folded;
    }
    return absl::OkStatus();
  }

  void PrintJson() const {
    Json results = {{"analogies", Json::array()},
                    {"similarity", Json::array()}};
    for (const auto& result : analogy_results_) {
      results["analogies"].push_back(ToJson(result));
    }
    for (const auto& result : similarity_results_) {
      results["similarity"].push_back(ToJson(result));
    }
    Print(OneLine(results) + "\n");
  }

  void PrintTables() const {
    for (size_t i = 0; i < analogy_results_.size(); ++i) {
      if (i > 0) Print("\n");
      Print(AnalogyTable(analogy_results_[i]));
    }
    if (similarity_results_.empty()) return;
    if (!analogy_results_.empty()) Print("\n");
    Print(SimilarityTable(similarity_results_));
  }

  std::vector<std::string> analogies_;
  std::vector<std::string> similarity_;
  EvaluateOptions options_;
  bool folded_ = false;  // words of a test set
  bool json_ = false;
  std::vector<std::string> arguments_;
  std::vector<AnalogyResult> analogy_results_;
  std::vector<SimilarityResult> similarity_results_;
};

}  // namespace

std::unique_ptr<Command> MakeEvalCommand() {
  return std::make_unique<EvalCommand>();
}

}  // namespace firth::tools
