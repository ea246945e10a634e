// Measures one or two models on test sets of analogies and of word similarity.

#include "firth/evaluate.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ask/question.h"
#include "ask/words.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

constexpr size_t kOther = 1;  // Slot of the second model.

struct EvalRequest {
  std::vector<std::string> analogies;
  std::vector<std::string> similarity;
  std::string questions;
  uint64_t wrong = 0;
  EvaluateOptions options;

  static FieldTable Fields() {
    FieldsOf<EvalRequest> fields;
    fields.Add("analogies", &EvalRequest::analogies,
               "path to analogy questions, such as questions-words.txt",
               Field().ValueName("FILE").Place());
    fields.Add("similarity", &EvalRequest::similarity,
               "path to scored word pairs, such as WordSim-353",
               Field().ValueName("FILE").Place());
    fields.Add(
        "questions", &EvalRequest::questions,
        "analogy questions as text, in the format of an analogy file; the "
        "files are then not read");
    fields.Add("wrong", &EvalRequest::wrong,
               "number of wrong answers to list for each section of analogies",
               Field().Range(0, 1000000));
    fields.Part(&EvalRequest::options);
    return fields;
  }
  absl::Status Validate() const {
    if (!analogies.empty() || !similarity.empty() || !questions.empty()) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(
        "give at least one test set (\"analogies\", \"similarity\" or "
        "\"questions\")");
  }
};

struct WrongAnswer {
  std::array<std::string, 4> question;
  std::optional<std::string> answer;

  static AnswerTable Members() {
    return {{"question", &WrongAnswer::question,
             "the four words of the question; the last one is the right "
             "answer"},
            {"answer", &WrongAnswer::answer,
             "the model's answer; null if a word has no vector"}};
  }
};

// Results of a section or of a whole file.
struct SectionResult {
  std::string name;
  uint64_t correct = 0, asked = 0, total = 0;
  double accuracy = 0;
  std::array<double, 2> interval = {};
  std::vector<WrongAnswer> wrong;

  static AnswerTable Members() {
    using S = SectionResult;
    return {
        {"name", &S::name},
        {"correct", &S::correct, "number of right answers"},
        {"asked", &S::asked,
         "number of questions whose words all have vectors and can be answers"},
        {"total", &S::total, "number of questions"},
        {"accuracy", &S::accuracy,
         "correct / asked; null if no question was asked"},
        {"interval", &S::interval,
         "95% confidence interval of the accuracy (Wilson)"},
        {"wrong", &S::wrong, "the first wrong answers"}};
  }
};

struct AnalogyFile {
  std::string file;
  bool folded = false;
  SectionResult all;
  std::vector<SectionResult> sections;

  static AnswerTable Members() {
    return {{"file", &AnalogyFile::file},
            {"folded", &AnalogyFile::folded,
             "whether words were converted to lower case"},
            {"all", &AnalogyFile::all, "result of the whole file"},
            {"sections", &AnalogyFile::sections}};
  }
};

struct ModelResults {
  std::vector<AnalogyFile> analogies;
  std::vector<SimilarityResult> similarity;

  static AnswerTable Members() {
    return {{"analogies", &ModelResults::analogies, "one per file"},
            {"similarity", &ModelResults::similarity, "one per file"}};
  }
};

struct PairedAnalogies {
  std::string file;
  std::vector<PairedAccuracy> sections;

  static AnswerTable Members() {
    return {{"file", &PairedAnalogies::file},
            {"sections", &PairedAnalogies::sections}};
  }
};

struct Comparison {
  std::vector<PairedAnalogies> analogies;
  std::vector<PairedCorrelation> similarity;

  static AnswerTable Members() {
    return {{"analogies", &Comparison::analogies, "one per file"},
            {"similarity", &Comparison::similarity, "one per file"}};
  }
};

struct EvalAnswer : ModelResults {
  std::optional<ModelResults> other;
  std::optional<Comparison> compared;

  static AnswerTable Members() {
    AnswerTable members = ModelResults::Members();
    members.emplace_back("other", &EvalAnswer::other,
                         "results of the other model, if given");
    members.emplace_back(
        "compared", &EvalAnswer::compared,
        "comparison of the two models on the questions that both can answer");
    return members;
  }
};

// Returns the name of a file without its folder, which clients of a service
// must not see.
std::string NameOfFile(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

SectionResult ResultOf(const AnalogySection& section) {
  const auto& [name, correct, asked, total] = section;
  const double accuracy =
      asked == 0 ? std::numeric_limits<double>::quiet_NaN()
                 : static_cast<double>(correct) / static_cast<double>(asked);
  const Interval interval = WilsonInterval(correct, asked);
  return {name, correct, asked, total, accuracy, {interval.low, interval.high},
          {}};
}

// Results of one model on all test sets.
struct Measured {
  std::vector<AnalogyResult> analogies;
  std::vector<SimilarityResult> similarity;
};

absl::StatusOr<Measured> Measure(const Opened& opened, size_t slot,
                                 const EvalRequest& request) {
  const WordVectors& vectors = opened.vectors(slot).vectors();
  Measured measured;
  if (!request.questions.empty()) {
    FIRTH_ASSIGN_OR_RETURN(
        measured.analogies.emplace_back(),
        EvaluateAnalogyText(vectors, request.questions, request.options));
    return measured;
  }
  for (const std::string& file : request.analogies) {
    FIRTH_ASSIGN_OR_RETURN(
        measured.analogies.emplace_back(),
        EvaluateAnalogies(vectors, file, request.options, opened.hooks()));
    measured.analogies.back().file = NameOfFile(file);
  }
  for (const std::string& file : request.similarity) {
    FIRTH_ASSIGN_OR_RETURN(
        measured.similarity.emplace_back(),
        EvaluateSimilarity(vectors, file, request.options, opened.hooks()));
    measured.similarity.back().file = NameOfFile(file);
  }
  return measured;
}

// Finds the word that a model answers instead of the right one.
class Answerer {
 public:
  Answerer(const OpenedVectors& model, const EvaluateOptions& options)
      : model_(model), options_(options) {
    if (options.restrict > 0) {
      absl::StatusOr<NearestNeighbors> fewer = NearestNeighbors::Create(
          model.vectors(), ExactSearch(), options.restrict);
      if (fewer.ok()) restricted_.emplace(*std::move(fewer));
    }
  }

  std::optional<std::string> AnswerTo(
      absl::Span<const std::string> question) const {
    const WordLookup lookup{options_.unknown};
    WordFinder finder(model_.vectors(), lookup);
    const absl::StatusOr<std::vector<FoundWord>> words =
        finder.FindAll(question.first(3));
    if (!words.ok() || words->size() < 3) return std::nullopt;
    const NearestNeighbors& search =
        restricted_.has_value() ? *restricted_ : model_.exact();
    const SumQuery query{
        {{(*words)[0].vector, -1}, {(*words)[1].vector}, {(*words)[2].vector}},
        IdsOf(search, *words)};
    const std::vector<Neighbor> best =
        search.FindSum(query, 1, options_.method);
    if (best.empty()) return std::nullopt;
    return std::string(model_.vectors().vocabulary().Word(best[0].word));
  }

 private:
  const OpenedVectors& model_;
  const EvaluateOptions& options_;
  std::optional<NearestNeighbors> restricted_;
};

AnalogyFile Describe(const AnalogyResult& result, size_t most_wrong,
                     const std::optional<Answerer>& answerer) {
  AnalogyFile file{
      result.file,
      result.folded,
      ResultOf({"total", result.correct, result.asked, result.total}),
      {}};
  size_t wrong = 0;  // Index of the section's first wrong answer.
  for (const AnalogySection& section : result.sections) {
    SectionResult& answer = file.sections.emplace_back(ResultOf(section));
    const size_t count = section.asked - section.correct;
    for (size_t i = 0; i < std::min(count, most_wrong); ++i) {
      const auto& question = result.wrong[wrong + i];
      answer.wrong.push_back({question, answerer->AnswerTo(question)});
    }
    wrong += count;
  }
  return file;
}

ModelResults Describe(const Opened& opened, size_t slot,
                      const EvalRequest& request, const Measured& measured) {
  ModelResults results{{}, measured.similarity};
  std::optional<Answerer> answerer;
  if (request.wrong > 0) {
    answerer.emplace(opened.vectors(slot), request.options);
  }
  for (const AnalogyResult& result : measured.analogies) {
    results.analogies.push_back(Describe(result, request.wrong, answerer));
  }
  return results;
}

absl::StatusOr<Comparison> CompareAll(const Measured& first,
                                      const Measured& second) {
  Comparison compared;
  for (size_t i = 0; i < first.analogies.size(); ++i) {
    PairedAnalogies& file = compared.analogies.emplace_back();
    file.file = first.analogies[i].file;
    FIRTH_ASSIGN_OR_RETURN(file.sections,
                           Compare(first.analogies[i], second.analogies[i]));
  }
  for (size_t i = 0; i < first.similarity.size(); ++i) {
    FIRTH_ASSIGN_OR_RETURN(compared.similarity.emplace_back(),
                           Compare(first.similarity[i], second.similarity[i]));
  }
  return compared;
}

absl::StatusOr<EvalAnswer> Evaluate(const Opened& opened,
                                    const EvalRequest& request) {
  FIRTH_ASSIGN_OR_RETURN(const Measured measured, Measure(opened, 0, request));
  EvalAnswer answer{Describe(opened, 0, request, measured), {}, {}};
  if (!opened.Has(kOther)) return answer;
  FIRTH_ASSIGN_OR_RETURN(const Measured other,
                         Measure(opened, kOther, request));
  answer.other = Describe(opened, kOther, request, other);
  FIRTH_ASSIGN_OR_RETURN(answer.compared, CompareAll(measured, other));
  return answer;
}

}  // namespace

Question EvalQuestion() {
  Slot other{.name = "other",
             .help = "vectors to compare with the first ones",
             .required = false};
  return MakeQuestion<EvalRequest, EvalAnswer>(
      {.name = "eval",
       .summary = "measure vectors on analogy and similarity test sets",
       .description =
           "Each line of an analogy file has four words, the fourth of which "
           "is the answer. A line \": NAME\" begins a section. A similarity "
           "file has two words and a score per line, separated by tabs, commas "
           "or spaces.\n\n"
           "A question is answered if all its words have vectors; coverage is "
           "the fraction of questions that were answered. Accuracy is the "
           "fraction of the answered questions that were answered correctly. "
           "Similarity is measured by Spearman's rank correlation.\n\n"
           "If another model is given, both are also measured on the questions "
           "that both can answer, and compared. p is the probability of a "
           "difference at least as large between equally good vectors, by "
           "McNemar's exact test for analogies and by 10,000 random exchanges "
           "of ranks for similarity. In text output, a star marks p below "
           "0.05.\n\n"
           "  firth eval vectors.bin --analogies questions-words.txt "
           "--restrict 30000\n"
           "  firth eval before.bin after.bin --similarity wordsim.txt",
       .slots = {VectorsSlot(VectorAccess::kAll), std::move(other)},
       .example = R"({"questions":": family\nman king woman queen\n"})",
       .lane = Lane::kSlow},
      &Evaluate, [](const Opened&, const EvalRequest& request) {
        // The numbers of sections and pairs are known only after the files are
        // read, so this is an estimate.
        return (request.analogies.size() + request.similarity.size()) << 15;
      });
}

}  // namespace firth
