// Evaluation on test sets.

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "c/answer.h"
#include "c/arguments.h"
#include "c/handles.h"
#include "c/long_call.h"
#include "c/vectors.h"
#include "firth/evaluate.h"
#include "firth/status_macros.h"

namespace firth::c {
namespace {

// Both evaluations: `evaluate` makes the report.
template <class Evaluate>
FirthStatus* ReportOf(const FirthVectors* vectors, const char* path,
                      int64_t path_size, const char* options,
                      int64_t options_size, FirthProgress progress,
                      void* context, FirthBuffer** report, Evaluate evaluate) {
  return AnswerLong(progress, context, [&](const Hooks& hooks) -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto model, Take("vectors", vectors));
    FIRTH_ASSIGN_OR_RETURN(const std::string file, PathOf(path, path_size));
    FIRTH_ASSIGN_OR_RETURN(const auto settings,
                           OptionsOf<EvaluateOptions>(options, options_size));
    FIRTH_RETURN_IF_ERROR(CheckPlace("report", report));
    FIRTH_ASSIGN_OR_RETURN(const auto result,
                           evaluate(model->vectors(), file, settings, hooks));
    *report = MakeHandle(MakeBuffer(ReportJson(result)));
    return absl::OkStatus();
  });
}

}  // namespace

extern "C" {

FirthStatus* firth_evaluate_analogies(const FirthVectors* vectors,
                                      const char* path, int64_t path_size,
                                      const char* options, int64_t options_size,
                                      FirthProgress progress, void* context,
                                      FirthBuffer** report) {
  return ReportOf(vectors, path, path_size, options, options_size, progress,
                  context, report, EvaluateAnalogies);
}

FirthStatus* firth_evaluate_similarity(const FirthVectors* vectors,
                                       const char* path, int64_t path_size,
                                       const char* options,
                                       int64_t options_size,
                                       FirthProgress progress, void* context,
                                       FirthBuffer** report) {
  return ReportOf(vectors, path, path_size, options, options_size, progress,
                  context, report, EvaluateSimilarity);
}

}  // extern "C"

}  // namespace firth::c
