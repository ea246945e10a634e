// Evaluation on test sets. What is not a number is null in a report.

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/json.h"
#include "c/answer.h"
#include "c/arguments.h"
#include "c/handles.h"
#include "c/vectors.h"
#include "firth/evaluate.h"
#include "firth/status_macros.h"
#include "nlohmann/json.hpp"

namespace firth::c {
namespace {

OrderedJson ToJson(const AnalogyResult& result) {
  OrderedJson sections = OrderedJson::array();
  for (const AnalogySection& section : result.sections) {
    sections.push_back({{"name", section.name},
                        {"correct", section.correct},
                        {"asked", section.asked},
                        {"total", section.total}});
  }
  const Interval interval = WilsonInterval(result.correct, result.asked);
  const auto correct = static_cast<double>(result.correct);
  const auto asked = static_cast<double>(result.asked);
  return {{"file", result.file},
          {"correct", result.correct},
          {"asked", result.asked},
          {"total", result.total},
          {"accuracy", correct / asked},
          {"interval", {interval.low, interval.high}},
          {"sections", std::move(sections)}};
}

OrderedJson ToJson(const SimilarityResult& result) {
  return {{"file", result.file},
          {"spearman", result.spearman},
          {"interval", {result.low, result.high}},
          {"asked", result.asked},
          {"total", result.total},
          {"scores", result.scores},
          {"cosines", result.cosines}};
}

// Both evaluations: `evaluate` makes the report.
template <class Evaluate>
FirthStatus* ReportOf(const FirthVectors* vectors, const char* path,
                      int64_t path_size, const char* options,
                      int64_t options_size, FirthBuffer** report,
                      Evaluate evaluate) {
  return Answer([&]() -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto model, Take("vectors", vectors));
    FIRTH_ASSIGN_OR_RETURN(const std::string file, PathOf(path, path_size));
    FIRTH_ASSIGN_OR_RETURN(const auto settings,
                           OptionsOf<EvaluateOptions>(options, options_size));
    FIRTH_RETURN_IF_ERROR(CheckPlace("report", report));
    FIRTH_ASSIGN_OR_RETURN(const auto result,
                           evaluate(model->vectors(), file, settings));
    *report = MakeHandle(MakeBuffer(ToJson(result)));
    return absl::OkStatus();
  });
}

}  // namespace

extern "C" {

FirthStatus* firth_evaluate_analogies(const FirthVectors* vectors,
                                      const char* path, int64_t path_size,
                                      const char* options, int64_t options_size,
                                      FirthBuffer** report) {
  return ReportOf(vectors, path, path_size, options, options_size, report,
                  EvaluateAnalogies);
}

FirthStatus* firth_evaluate_similarity(const FirthVectors* vectors,
                                       const char* path, int64_t path_size,
                                       const char* options,
                                       int64_t options_size,
                                       FirthBuffer** report) {
  return ReportOf(vectors, path, path_size, options, options_size, report,
                  EvaluateSimilarity);
}

}  // extern "C"

}  // namespace firth::c
