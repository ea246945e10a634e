#include "serve/route.h"
#include "serve/schema.h"

namespace firth::tools {
namespace {

Json VectorsInfo(const VectorModel& model, bool evaluation) {
  return {{"name", model.name},
          {"kind", "vectors"},
          {"words", model.vectors.size()},
          {"dim", model.vectors.dim()},
          {"subwords", model.vectors.subwords() != nullptr},
          {"searches", model.searches},
          {"map", model.map.has_value()},
          {"evaluation", evaluation},
          {"metadata", model.metadata}};
}

Json LanguageModelInfo(const LanguageModelFile& file) {
  return {{"name", file.name},
          {"kind", "language-model"},
          {"layers", file.num_layers},
          {"dim", file.dim},
          {"metadata", file.metadata}};
}

Json TaggerInfo(const TaggerFile& file) {
  return {{"name", file.name}, {"kind", "tagger"}, {"tags", file.tags}};
}

Json ClassifierInfo(const ClassifierFile& file) {
  return {{"name", file.name},
          {"kind", "classifier"},
          {"labels", file.classifier.labels()}};
}

absl::StatusOr<Answer> Info(const ServedFiles& files, const Json&) {
  return JsonAnswer(InfoJson(files));
}

Json ModelSchema() {
  return ObjectSchema(
      {{"name", TextSchema()},
       {"kind",
        ChoiceSchema({"vectors", "language-model", "tagger", "classifier"})},
       Optional("words", WholeSchema(0, UINT32_MAX)),
       Optional("dim", WholeSchema(1, INT32_MAX)),
       Optional("subwords",
                BooleanSchema("whether unknown words are composed of n-grams")),
       Optional(
           "searches",
           ListSchema(TextSchema(), 0, 0,
                      "available search methods; the first is the default")),
       Optional("map", BooleanSchema()),
       Optional("evaluation", BooleanSchema("whether test sets are served")),
       Optional("layers", WholeSchema(1, INT32_MAX)),
       Optional("tags", ListSchema(TextSchema())),
       Optional("labels", ListSchema(TextSchema())),
       Optional("metadata", FreeObjectSchema())});
}

}  // namespace

Json InfoJson(const ServedFiles& files) {
  const bool evaluation = !files.analogies.empty() || !files.similarity.empty();
  Json models = Json::array();
  for (const auto& model : files.models.vectors) {
    models.push_back(VectorsInfo(*model, evaluation));
  }
  for (const auto& model : files.models.language_models) {
    models.push_back(LanguageModelInfo(*model));
  }
  for (const auto& model : files.models.taggers) {
    models.push_back(TaggerInfo(*model));
  }
  for (const auto& model : files.models.classifiers) {
    models.push_back(ClassifierInfo(*model));
  }
  return {{"version", FIRTH_VERSION},
          {"models", std::move(models)},
          {"log", !files.log.empty()},
          {"text", files.text != nullptr}};
}

Route InfoRoute() {
  return {.method = "GET",
          .path = "/info",
          .summary =
              "Lists the models that are served and the questions that each "
              "can answer.",
          .request = ObjectSchema({}),
          .example = Json::object(),
          .response = ObjectSchema({{"version", TextSchema()},
                                    {"models", ListSchema(ModelSchema())},
                                    {"log", BooleanSchema()},
                                    {"text", BooleanSchema()}}),
          .answer = &Info};
}

}  // namespace firth::tools
