// The calls for questions, which are defined in src/ask.

#include <functional>
#include <mutex>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/quote.h"
#include "base/unicode.h"
#include "c/call.h"
#include "c/long_call.h"
#include "c/models.h"
#include "firth/ask.h"
#include "firth/build_info.h"
#include "firth/opened.h"

// Adding a model creates a new list of models, so that calls in progress keep
// the models with which they began.
struct FirthModels {
  static constexpr absl::string_view kName = "FirthModels";

  std::mutex mutex;  // Guards `models`.
  std::shared_ptr<const firth::OpenedModels> models =
      std::make_shared<firth::OpenedModels>();
};

namespace firth::c {
namespace {

// Checks that JSON can contain the name. Otherwise, calls could not refer to
// the model.
absl::Status CheckName(absl::string_view name) {
  if (!name.empty() && FindInvalidUtf8(name) == name.npos) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "name: expected a name in UTF-8 that is not empty, found ", Quote(name)));
}

// Adds the model that `open` creates from the handle `model`, by default its
// object. `argument` is the name of this argument in messages.
template <class Handle, class Open = std::identity>
FirthStatus* AddModel(FirthModels* models, const char* name, int64_t name_size,
                      absl::string_view argument, const Handle* model,
                      Open open = {}) {
  return Answer([&]() -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto opened, Take("models", models));
    FIRTH_ASSIGN_OR_RETURN(const absl::string_view its_name,
                           TextOf("name", name, name_size));
    FIRTH_RETURN_IF_ERROR(CheckName(its_name));
    FIRTH_ASSIGN_OR_RETURN(const auto given, Take(argument, model));
    const std::lock_guard lock(opened->mutex);
    auto extended = std::make_shared<OpenedModels>(*opened->models);
    const absl::Status added =
        extended->Add({std::string(its_name), {open(given)}});
    if (!added.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("name: ", added.message()));
    }
    opened->models = std::move(extended);
    return absl::OkStatus();
  });
}

absl::StatusOr<const Question*> QuestionOf(const char* question, int64_t size) {
  FIRTH_ASSIGN_OR_RETURN(const absl::string_view name,
                         TextOf("question", question, size));
  const Question* const found = FindQuestion(name);
  if (found != nullptr) return found;
  const auto name_of = [](std::string* out, const Question& one) {
    out->append(one.name);
  };
  return absl::NotFoundError(absl::StrCat(
      "question: there is no question with this name; the questions are ",
      absl::StrJoin(Questions(), ", ", name_of)));
}

}  // namespace

extern "C" {

FirthStatus* firth_models_create(FirthModels** models) {
  return Answer([&]() -> absl::Status {
    FIRTH_RETURN_IF_ERROR(CheckPlace("models", models));
    return SetHandle(models, std::make_shared<FirthModels>());
  });
}

void firth_models_free(FirthModels* models) { FreeHandle(models); }

FirthStatus* firth_models_add_vectors(FirthModels* models, const char* name,
                                      int64_t name_size,
                                      const FirthVectors* vectors) {
  return AddModel(models, name, name_size, "vectors", vectors,
                  [](const std::shared_ptr<const FirthVectors>& given) {
                    return given->opened;
                  });
}

FirthStatus* firth_models_add_search(FirthModels* models, const char* name,
                                     int64_t name_size,
                                     const FirthSearch* search) {
  return AddModel(models, name, name_size, "search", search,
                  [](const std::shared_ptr<const FirthSearch>& given) {
                    return std::make_shared<const OpenedVectors>(
                        given->vectors(), given);
                  });
}

FirthStatus* firth_models_add_language_model(FirthModels* models,
                                             const char* name,
                                             int64_t name_size,
                                             const FirthLanguageModel* model) {
  return AddModel(models, name, name_size, "model", model);
}

FirthStatus* firth_models_add_tagger(FirthModels* models, const char* name,
                                     int64_t name_size,
                                     const FirthTagger* tagger) {
  return AddModel(models, name, name_size, "tagger", tagger);
}

FirthStatus* firth_models_add_classifier(FirthModels* models, const char* name,
                                         int64_t name_size,
                                         const FirthClassifier* classifier) {
  return AddModel(models, name, name_size, "classifier", classifier);
}

FirthStatus* firth_models_add_seq2seq(FirthModels* models, const char* name,
                                      int64_t name_size,
                                      const FirthSeq2Seq* model) {
  return AddModel(models, name, name_size, "model", model);
}

FirthStatus* firth_ask(const FirthModels* models, const char* question,
                       int64_t question_size, const char* json,
                       int64_t json_size, FirthProgress progress, void* context,
                       FirthBuffer** answers) {
  return AnswerLong(progress, context, [&](const Hooks& hooks) -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto opened,
                           Take("models", const_cast<FirthModels*>(models)));
    FIRTH_ASSIGN_OR_RETURN(const Question* asked,
                           QuestionOf(question, question_size));
    FIRTH_ASSIGN_OR_RETURN(const absl::string_view body,
                           TextOf("json", json, json_size));
    FIRTH_RETURN_IF_ERROR(CheckPlace("answers", answers));
    std::shared_ptr<const OpenedModels> now;
    {
      const std::lock_guard lock(opened->mutex);
      now = opened->models;
    }
    FIRTH_ASSIGN_OR_RETURN(
        const std::string text,
        At("json", AskJson(*asked, *now, body, NoLimits(), hooks)));
    return SetHandle(answers, MakeBuffer(text));
  });
}

FirthStatus* firth_describe_build(FirthBuffer** json) {
  return Answer([&]() -> absl::Status {
    FIRTH_RETURN_IF_ERROR(CheckPlace("json", json));
    return SetHandle(json, MakeBuffer(BuildJson()));
  });
}

FirthStatus* firth_describe_questions(FirthBuffer** json) {
  return Answer([&]() -> absl::Status {
    FIRTH_RETURN_IF_ERROR(CheckPlace("json", json));
    return SetHandle(json, MakeBuffer(DescribeQuestions()));
  });
}

}  // extern "C"

}  // namespace firth::c
