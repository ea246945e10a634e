#include "ask/opened_example.h"

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "gtest/gtest.h"
#include "serve/served_example.h"
#include "tools/ask/open_models.h"

namespace firth {

const OpenedModels& OpenedExample() {
  static const OpenedModels& models = *[] {
    auto* const opened = new OpenedModels;
    for (const std::string file :
         {"old.vec", "new.vec", "lm.safetensors", "tagger.safetensors",
          "classifier.safetensors"}) {
      absl::StatusOr<OpenedModel> model =
          tools::OpenModel(file.substr(0, file.find('.')),
                           ServedFolder().File(file), nullptr, {});
      FIRTH_CHECK(model.ok());
      FIRTH_CHECK(opened->Add(*std::move(model)).ok());
    }
    return opened;
  }();
  return models;
}

nlohmann::json AskExample(absl::string_view question, const std::string& body,
                          const AskLimits& limits) {
  const absl::StatusOr<std::string> answers =
      AskJson(*FindQuestion(question), OpenedExample(), body, limits);
  EXPECT_TRUE(answers.ok()) << answers.status();
  if (!answers.ok()) return nlohmann::json::array();
  return nlohmann::json::parse(*answers).at("answers");
}

nlohmann::json AskOne(absl::string_view question, const std::string& request,
                      const std::string& models) {
  const nlohmann::json answers = AskExample(
      question, absl::StrCat("{", models, "\"requests\":[", request, "]}"));
  return answers.size() == 1 ? answers[0] : nlohmann::json();
}

absl::Status ErrorOfExample(absl::string_view question, const std::string& body,
                            const AskLimits& limits) {
  return AskJson(*FindQuestion(question), OpenedExample(), body, limits)
      .status();
}

}  // namespace firth
