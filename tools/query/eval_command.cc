// firth eval: the field's test sets.

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/console.h"
#include "cli/json.h"
#include "cli/vector_files.h"
#include "command.h"
#include "firth/evaluate.h"
#include "firth/query.h"
#include "firth/status_macros.h"
#include "query/evaluation_table.h"

namespace firth::tools {
namespace {

// What one model reached on all files.
struct ModelResults {
  std::string path;
  std::vector<AnalogyResult> analogies;
  std::vector<SimilarityResult> similarity;
};

Json ToJson(const ModelResults& model) {
  Json json = {{"analogies", Json::array()}, {"similarity", Json::array()}};
  for (const auto& result : model.analogies) {
    json["analogies"].push_back(Json::parse(ReportJson(result)));
  }
  for (const auto& result : model.similarity) {
    json["similarity"].push_back(Json::parse(ReportJson(result)));
  }
  return json;
}

Json ToJson(const std::vector<PairedAccuracy>& sections) {
  Json json = Json::array();
  for (const PairedAccuracy& section : sections) {
    json.push_back(
        {{"name", section.section},
         {"asked", section.asked},
         {"correct", {section.first_correct, section.second_correct}},
         {"p", section.p}});
  }
  return json;
}

Json ToJson(const PairedCorrelation& result) {
  return {{"asked", result.asked},
          {"spearman", {result.first, result.second}},
          {"p", result.p}};
}

class EvalCommand : public Command {
 public:
  absl::string_view name() const override { return "eval"; }
  absl::string_view summary() const override {
    return "measure vectors on analogy and similarity test sets";
  }
  absl::string_view synopsis() const override {
    return "VECTORS [OTHER] [--analogies FILE...] [--similarity FILE...]";
  }
  absl::string_view description() const override {
    return "An analogy file has four words per line, the fourth being the "
           "answer, in sections that start with \": name\". A similarity file "
           "has two words and a score per line, separated by tabs, commas or "
           "spaces.\n\n"
           "A question is answered if all its words have vectors; coverage is "
           "the fraction of questions that were answered. Accuracy is "
           "the fraction of the answered questions that were answered "
           "correctly. Similarity is measured by Spearman's rank "
           "correlation.\n\n"
           "If OTHER is given, both files are measured on the questions that "
           "both can answer, and compared. p is the probability of a "
           "difference at least as large between equally good vectors, by "
           "McNemar's exact test for analogies and by 10,000 random exchanges "
           "of ranks for similarity. A star marks p below 0.05.\n\n"
           "  firth eval vectors.bin --analogies questions-words.txt "
           "--restrict 30000\n"
           "  firth eval before.bin after.bin --similarity wordsim.txt";
  }

  void Declare(OptionSet* options) override {
    options->Paths("analogies", "FILE", &analogies_, Reads(),
                   "path to analogy questions, such as questions-words.txt");
    options->Paths("similarity", "FILE", &similarity_, Reads(),
                   "path to scored word pairs, such as WordSim-353");
    options->Fields(&options_);
    options->Switch("json", &json_, "print one JSON object");
    options->Arguments("VECTORS", 1, 2, &arguments_, {{"VECTORS", Reads()}});
  }

  absl::Status Check(const OptionSet&) override {
    if (analogies_.empty() && similarity_.empty()) {
      return absl::InvalidArgumentError(
          "give --analogies FILE or --similarity FILE");
    }
    return absl::OkStatus();
  }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    for (const std::string& path : arguments_) {
      FIRTH_ASSIGN_OR_RETURN(const WordVectors vectors, LoadVectorsToAsk(path));
      FIRTH_ASSIGN_OR_RETURN(models_.emplace_back(), Evaluate(path, vectors));
    }
    if (folded_ && !options_.lowercase) PrintMessage(kFoldedNote);
    if (models_.size() > 1) return CompareModels();
    json_ ? Print(OneLine(ToJson(models_[0])) + "\n") : PrintTables();
    return ExitCode::kDone;
  }

 private:
  absl::StatusOr<ModelResults> Evaluate(const std::string& path,
                                        const WordVectors& vectors) {
    ModelResults model;
    model.path = path;
    for (const std::string& file : analogies_) {
      FIRTH_ASSIGN_OR_RETURN(model.analogies.emplace_back(),
                             EvaluateAnalogies(vectors, file, options_));
      folded_ |= model.analogies.back().folded;
    }
    for (const std::string& file : similarity_) {
      FIRTH_ASSIGN_OR_RETURN(model.similarity.emplace_back(),
                             EvaluateSimilarity(vectors, file, options_));
      folded_ |= model.similarity.back().folded;
    }
    return model;
  }

  absl::StatusOr<ExitCode> CompareModels() const {
    const ModelResults& a = models_[0];
    const ModelResults& b = models_[1];
    std::vector<std::vector<PairedAccuracy>> analogies;
    std::vector<PairedCorrelation> similarity;
    for (size_t i = 0; i < a.analogies.size(); ++i) {
      FIRTH_ASSIGN_OR_RETURN(analogies.emplace_back(),
                             Compare(a.analogies[i], b.analogies[i]));
    }
    for (size_t i = 0; i < a.similarity.size(); ++i) {
      FIRTH_ASSIGN_OR_RETURN(similarity.emplace_back(),
                             Compare(a.similarity[i], b.similarity[i]));
    }
    if (json_) {
      PrintComparedJson(analogies, similarity);
    } else {
      PrintComparedTables(analogies, similarity);
    }
    return ExitCode::kDone;
  }

  void PrintComparedJson(
      const std::vector<std::vector<PairedAccuracy>>& analogies,
      const std::vector<PairedCorrelation>& similarity) const {
    Json json = {{"models", Json::array()}};
    for (const ModelResults& model : models_) {
      Json& entry = json["models"].emplace_back(Json{{"file", model.path}});
      entry.update(ToJson(model));
    }
    Json& compared = json["compared"];
    compared = {{"analogies", Json::array()}, {"similarity", Json::array()}};
    for (const auto& sections : analogies) {
      compared["analogies"].push_back(ToJson(sections));
    }
    for (const auto& result : similarity) {
      compared["similarity"].push_back(ToJson(result));
    }
    Print(OneLine(json) + "\n");
  }

  void PrintComparedTables(
      const std::vector<std::vector<PairedAccuracy>>& analogies,
      const std::vector<PairedCorrelation>& similarity) const {
    Print(absl::StrCat("A  ", models_[0].path, "\nB  ", models_[1].path, "\n"));
    for (size_t i = 0; i < analogies.size(); ++i) {
      Print("\n" + PairedTable(analogies[i], models_[0].analogies[i],
                               models_[1].analogies[i]));
    }
    if (!similarity.empty()) Print("\n" + PairedTable(similarity_, similarity));
  }

  void PrintTables() const {
    const ModelResults& model = models_[0];
    for (size_t i = 0; i < model.analogies.size(); ++i) {
      if (i > 0) Print("\n");
      Print(AnalogyTable(model.analogies[i]));
    }
    if (model.similarity.empty()) return;
    if (!model.analogies.empty()) Print("\n");
    Print(SimilarityTable(model.similarity));
  }

  std::vector<std::string> analogies_;
  std::vector<std::string> similarity_;
  EvaluateOptions options_;
  bool folded_ = false;  // words of a test set
  bool json_ = false;
  std::vector<std::string> arguments_;
  std::vector<ModelResults> models_;
};

}  // namespace

std::unique_ptr<Command> MakeEvalCommand() {
  return std::make_unique<EvalCommand>();
}

}  // namespace firth::tools
