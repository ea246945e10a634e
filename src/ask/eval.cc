// Measures one or two models on test sets of analogies, of word similarity and
// of texts.

#include "firth/evaluate.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/strip.h"
#include "ask/question.h"
#include "ask/words.h"
#include "firth/evaluate_texts.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

constexpr size_t kOther = 1;  // Slot of the second model.

struct EvalRequest {
  std::vector<std::string> analogies;
  std::vector<std::string> similarity;
  std::vector<std::string> sts;
  std::vector<std::string> retrieval;
  std::string questions;
  uint64_t wrong = 0;
  EvaluateOptions options;
  EvaluateTextsOptions texts;  // Except `lowercase`, which is in `options`.

  static FieldTable Fields() {
    FieldsOf<EvalRequest> fields;
    fields.Add("analogies", &EvalRequest::analogies,
               "path to analogy questions, such as questions-words.txt",
               Field().ValueName("FILE").Place().Everyday());
    fields.Add("similarity", &EvalRequest::similarity,
               "path to scored word pairs, such as WordSim-353",
               Field().ValueName("FILE").Place().Everyday());
    fields.Add("sts", &EvalRequest::sts,
               "path to scored pairs of texts, such as the STS benchmark; each "
               "line has a score and two texts, or two texts and a score, "
               "separated by tabs",
               Field().ValueName("FILE").Place().Everyday());
    fields.Add("retrieval", &EvalRequest::retrieval,
               "path to a folder with documents.tsv and queries.tsv (an id and "
               "a text per line, separated by a tab) and relevant.tsv (ids of "
               "a query and of a document that answers it, and optionally a "
               "grade)",
               Field().ValueName("FOLDER").Place().Everyday());
    fields.Add(
        "questions", &EvalRequest::questions,
        "analogy questions as text, in the format of an analogy file; the "
        "files are then not read");
    fields.Add("wrong", &EvalRequest::wrong,
               "number of wrong answers to list for each section of analogies",
               Field().Range(0, 1000000));
    fields.Part(&EvalRequest::options);
    fields.Part(&EvalRequest::texts);
    return fields;
  }
  EvaluateTextsOptions TextOptions() const {
    EvaluateTextsOptions with_lowercase = texts;
    with_lowercase.lowercase = options.lowercase;
    return with_lowercase;
  }
  absl::Status Validate() const {
    if (!analogies.empty() || !similarity.empty() || !sts.empty() ||
        !retrieval.empty() || !questions.empty()) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(
        "give at least one test set (\"analogies\", \"similarity\", \"sts\", "
        "\"retrieval\" or \"questions\")");
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
  std::vector<SimilarityResult> sts;
  std::vector<RetrievalResult> retrieval;

  static AnswerTable Members() {
    return {{"analogies", &ModelResults::analogies, "one per file"},
            {"similarity", &ModelResults::similarity, "one per file"},
            {"sts", &ModelResults::sts, "one per file"},
            {"retrieval", &ModelResults::retrieval, "one per folder"}};
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
  std::vector<PairedCorrelation> sts;
  std::vector<PairedRetrieval> retrieval;

  static AnswerTable Members() {
    return {{"analogies", &Comparison::analogies, "one per file"},
            {"similarity", &Comparison::similarity, "one per file"},
            {"sts", &Comparison::sts, "one per file"},
            {"retrieval", &Comparison::retrieval, "one per folder"}};
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

// Returns the name of a file or folder without its folder, which clients of a
// service must not see.
std::string NameOfFile(absl::string_view path) {
  while (path.size() > 1 && absl::ConsumeSuffix(&path, "/")) {
  }
  return std::string(path.substr(path.rfind('/') + 1));
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
  std::vector<SimilarityResult> sts;
  std::vector<RetrievalResult> retrieval;
};

absl::Status MeasureTexts(const WordVectors& vectors, const Hooks& hooks,
                          const EvalRequest& request, Measured* measured) {
  const EvaluateTextsOptions options = request.TextOptions();
  for (const std::string& file : request.sts) {
    FIRTH_ASSIGN_OR_RETURN(
        measured->sts.emplace_back(),
        EvaluateTextSimilarity(vectors, file, options, hooks));
    measured->sts.back().file = NameOfFile(file);
  }
  for (const std::string& folder : request.retrieval) {
    FIRTH_ASSIGN_OR_RETURN(measured->retrieval.emplace_back(),
                           EvaluateRetrieval(vectors, folder, options, hooks));
    measured->retrieval.back().folder = NameOfFile(folder);
  }
  return absl::OkStatus();
}

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
  FIRTH_RETURN_IF_ERROR(
      MeasureTexts(vectors, opened.hooks(), request, &measured));
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
  ModelResults results{
      {}, measured.similarity, measured.sts, measured.retrieval};
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
  for (size_t i = 0; i < first.sts.size(); ++i) {
    FIRTH_ASSIGN_OR_RETURN(compared.sts.emplace_back(),
                           Compare(first.sts[i], second.sts[i]));
  }
  for (size_t i = 0; i < first.retrieval.size(); ++i) {
    FIRTH_ASSIGN_OR_RETURN(compared.retrieval.emplace_back(),
                           Compare(first.retrieval[i], second.retrieval[i]));
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
       .summary =
           "measure vectors on test sets of analogies, similarity and texts",
       .description =
           "Each line of an analogy file has four words, the fourth of which "
           "is the answer. A line \": NAME\" begins a section. A similarity "
           "file has two words and a score per line, separated by tabs, commas "
           "or spaces.\n\n"
           "A question is answered if all its words have vectors; coverage is "
           "the fraction of questions that were answered. Accuracy is the "
           "fraction of the answered questions that were answered correctly. "
           "Similarity is measured by Spearman's rank correlation.\n\n"
           "Texts are encoded as \"firth sentence-vectors\" does. Scored pairs "
           "(sts) are measured by the correlations of scores and cosines. For "
           "retrieval, the documents are ranked for each query by their "
           "cosines, by BM25 (k1 = 1.2, b = 0.75; words in lower case, not "
           "stemmed) and by the sum of both, as z-scores per query. The "
           "measures are nDCG of the first 10 documents, the mean reciprocal "
           "rank, and the fraction of relevant documents among the first "
           "100.\n\n"
           "If another model is given, both are also measured on the questions "
           "that both can answer, and compared. p is the probability of a "
           "difference at least as large between equally good vectors, by "
           "McNemar's exact test for analogies and by 10,000 random exchanges "
           "of ranks for similarity and of queries' nDCG for retrieval. In "
           "text "
           "output, a star marks p below "
           "0.05.\n\n"
           "  firth eval vectors.bin --analogies questions-words.txt "
           "--restrict 30000\n"
           "  firth eval before.bin after.bin --similarity wordsim.txt\n"
           "  firth eval sentences.safetensors --sts stsb.tsv --retrieval "
           "cranfield",
       .slots = {VectorsSlot(VectorAccess::kAll), std::move(other)},
       .example = R"({"questions":": family\nman king woman queen\n"})",
       .lane = Lane::kSlow},
      &Evaluate, [](const Opened&, const EvalRequest& request) {
        // The numbers of sections and pairs are known only after the files are
        // read, so this is an estimate.
        return (request.analogies.size() + request.similarity.size() +
                request.sts.size() + request.retrieval.size())
               << 15;
      });
}

}  // namespace firth
