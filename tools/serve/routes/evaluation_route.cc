// How good vectors are on the test sets that the service was started with,
// measured when it is first asked.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "firth/evaluate.h"
#include "firth/query.h"
#include "firth/status_macros.h"
#include "serve/route.h"
#include "serve/word_finder.h"

namespace firth::tools {
namespace {

// Questions with a wrong answer that a section shows.
constexpr size_t kMostWrong = 50;

Json NumberOrNull(double value) {
  return std::isfinite(value) ? Json(Rounded(value)) : Json(nullptr);
}

// Where somebody's files are is nobody else's business.
std::string FileName(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

// What the model says in place of the right word; null where it has no answer.
Json AnswerTo(const VectorModel& model,
              const std::array<std::string, 4>& question) {
  WordFinder finder(model.vectors);
  const std::vector<FoundWord> words =
      finder.FindAll({question[0], question[1], question[2]});
  if (words.size() < 3) return nullptr;
  SumQuery query{{{words[0].vector, -1}, {words[1].vector}, {words[2].vector}},
                 {}};
  for (const FoundWord& word : words) {
    if (word.id.has_value()) query.exclude.push_back(*word.id);
  }
  const std::vector<Neighbor> best =
      model.neighbors->FindSum(query, 1, AnalogyMethod::kAdd);
  if (best.empty()) return nullptr;
  return std::string(model.vectors.vocabulary().Word(best[0].word));
}

Json SectionJson(const AnalogySection& section) {
  const Interval interval = WilsonInterval(section.correct, section.asked);
  const Json accuracy =
      section.asked == 0 ? Json(nullptr)
                         : Json(Rounded(static_cast<double>(section.correct) /
                                        static_cast<double>(section.asked)));
  return {{"name", section.name},
          {"right", section.correct},
          {"asked", section.asked},
          {"skipped", section.total - section.asked},
          {"accuracy", accuracy},
          {"low", Rounded(interval.low)},
          {"high", Rounded(interval.high)},
          {"wrong", Json::array()}};
}

Json AnalogiesJson(const VectorModel& model, const std::string& path,
                   const AnalogyResult& result) {
  Json sections = Json::array();
  auto wrong = result.wrong.begin();
  for (const AnalogySection& section : result.sections) {
    Json json = SectionJson(section);
    const size_t count = section.asked - section.correct;
    for (size_t i = 0; i < std::min(count, kMostWrong); ++i) {
      json["wrong"].push_back(
          {{"question", wrong[i]}, {"answer", AnswerTo(model, wrong[i])}});
    }
    wrong += static_cast<ptrdiff_t>(count);
    sections.push_back(std::move(json));
  }
  return {{"file", FileName(path)}, {"sections", std::move(sections)}};
}

Json SimilarityJson(const std::string& path, const SimilarityResult& result) {
  return {{"file", FileName(path)},
          {"pairs", result.total},
          {"found", result.asked},
          {"spearman", NumberOrNull(result.spearman)},
          {"low", NumberOrNull(result.low)},
          {"high", NumberOrNull(result.high)}};
}

absl::StatusOr<Json> MeasureAll(const ServedFiles& files,
                                const VectorModel& model) {
  Json analogies = Json::array();
  for (const std::string& path : files.analogies) {
    FIRTH_ASSIGN_OR_RETURN(const AnalogyResult result,
                           EvaluateAnalogies(model.vectors, path, {}));
    analogies.push_back(AnalogiesJson(model, path, result));
  }
  Json similarity = Json::array();
  for (const std::string& path : files.similarity) {
    FIRTH_ASSIGN_OR_RETURN(const SimilarityResult result,
                           EvaluateSimilarity(model.vectors, path, {}));
    similarity.push_back(SimilarityJson(path, result));
  }
  return Json({{"analogies", std::move(analogies)},
               {"similarity", std::move(similarity)}});
}

absl::StatusOr<Answer> Evaluation(const ServedFiles& files,
                                  const Json& request) {
  FIRTH_ASSIGN_OR_RETURN(const VectorModel* model,
                         ChooseVectors(files.models, request));
  const std::lock_guard<std::mutex> lock(files.kept->mutex);
  const std::string question = absl::StrCat("evaluation ", model->name);
  const auto kept = files.kept->by_question.find(question);
  if (kept != files.kept->by_question.end()) return JsonAnswer(kept->second);
  FIRTH_ASSIGN_OR_RETURN(Json measured, MeasureAll(files, *model));
  return JsonAnswer(files.kept->by_question[question] = std::move(measured));
}

}  // namespace

Route EvaluationRoute() {
  const Json fraction = AnySchema({NullSchema(), NumberSchema()});
  const Json wrong =
      ObjectSchema({{"question", ListSchema(TextSchema())},
                    {"answer", AnySchema({NullSchema(), TextSchema()})}});
  const Json count = WholeSchema(0, INT64_MAX);
  const Json section = ObjectSchema(
      {{"name", TextSchema()},
       {"right", count},
       {"asked", count},
       {"skipped", count},
       {"accuracy", fraction},
       {"low", NumberSchema("lower end of the 95% interval (Wilson)")},
       {"high", NumberSchema()},
       {"wrong", ListSchema(wrong, 0, 0, "the first wrong answers")}});
  const Json file = ObjectSchema({{"file", TextSchema()},
                                  {"pairs", count},
                                  {"found", count},
                                  {"spearman", fraction},
                                  {"low", fraction},
                                  {"high", fraction}});
  return {
      .method = "GET",
      .path = "/evaluation",
      .summary =
          "Reports the accuracy of the vectors on the test sets of --analogies "
          "and --similarity. The first request waits for the evaluation.",
      .request = ObjectSchema({ModelProperty()}),
      .example = Json::object(),
      .response = ObjectSchema(
          {{"analogies",
            ListSchema(ObjectSchema(
                {{"file", TextSchema()}, {"sections", ListSchema(section)}}))},
           {"similarity", ListSchema(file)}}),
      .lane = Lane::kSlow,
      .answer = &Evaluation};
}

}  // namespace firth::tools
