#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "cli/json.h"
#include "firth/classifier.h"
#include "firth/status_macros.h"
#include "serve/route.h"
#include "serve/word_finder.h"

namespace firth::tools {
namespace {

constexpr size_t kMostTexts = 1000;

absl::StatusOr<Answer> Classify(const ServedFiles& files, const Json& request) {
  FIRTH_ASSIGN_OR_RETURN(const ClassifierFile* file,
                         ChooseClassifier(files.models, request));
  const auto texts = request["texts"].get<std::vector<std::string>>();
  PredictOptions options;
  options.top = request["k"].get<size_t>();
  std::vector<uint64_t> known;
  FIRTH_ASSIGN_OR_RETURN(
      const std::vector<std::vector<LabelProbability>> predicted,
      file->classifier.Predict(
          std::vector<absl::string_view>(texts.begin(), texts.end()), options,
          {}, &known));
  Json results = Json::array();
  for (size_t text = 0; text < predicted.size(); ++text) {
    Json list = Json::array();
    for (const LabelProbability& label : predicted[text]) {
      list.push_back({{"label", file->classifier.labels()[label.label]},
                      {"probability", Rounded(label.probability)}});
    }
    results.push_back({{"labels", std::move(list)}, {"known", known[text]}});
  }
  return JsonAnswer({{"results", std::move(results)}});
}

}  // namespace

Route ClassifyRoute() {
  const Json label =
      ObjectSchema({{"label", TextSchema()}, {"probability", NumberSchema()}});
  return {
      .method = "POST",
      .path = "/classify",
      .summary = "Predicts the most probable labels of texts.",
      .request = ObjectSchema(
          {ModelProperty(),
           {"texts", ListSchema(TextSchema(), 1, kMostTexts)},
           Optional("k",
                    WholeSchema(1, 1000, "maximum number of labels per text"),
                    1)}),
      .example = {{"texts", {"the king spoke"}}, {"k", 2}},
      .response = ObjectSchema(
          {{"results",
            ListSchema(ObjectSchema(
                {{"labels", ListSchema(label, 0, 0, "the most probable first")},
                 {"known",
                  WholeSchema(0, INT64_MAX,
                              "number of words and n-grams of the text that "
                              "the model has; 0 means that nothing in it "
                              "supports its labels")}}))}}),
      .answer = &Classify};
}

}  // namespace firth::tools
