// An argument is a path or NAME=PATH. What the file holds, as its content
// tells, decides to which list its model is added.

#include "serve/models.h"

#include <filesystem>
#include <set>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ask/open_models.h"
#include "cli/vector_files.h"
#include "firth/file_info.h"
#include "firth/status_macros.h"
#include "serve/field_error.h"

namespace firth::tools {
namespace {

struct NamedPath {
  std::string name;
  std::string path;
};

// A "=" behind a "/" is one of a path.
NamedPath SplitArgument(const std::string& argument) {
  const size_t end = argument.find_first_of("=/");
  if (end != std::string::npos && end > 0 && argument[end] == '=') {
    return {argument.substr(0, end), argument.substr(end + 1)};
  }
  return {std::filesystem::path(argument).stem().string(), argument};
}

std::string NameOf(const SearchOptions& search) {
  return std::visit([](const auto& s) { return std::string(s.kName); }, search);
}

absl::StatusOr<std::unique_ptr<VectorModel>> OpenVectors(
    const NamedPath& from, const SearchOptions& search) {
  auto model = std::make_unique<VectorModel>();
  model->name = from.name;
  FIRTH_ASSIGN_OR_RETURN(
      VectorFile file,
      LoadAndWarn(from.path, {.only_vectors = true, .keep_form = true}));
  model->vectors = std::move(file.vectors);
  model->metadata = std::move(file.metadata);
  if (model->vectors.vocabulary().empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        from.path, ": the vectors have no words, so there are no answers"));
  }
  SearchChoice ranking;
  ranking.search = search;
  FIRTH_ASSIGN_OR_RETURN(model->neighbors,
                         ranking.Open(model->vectors, from.path));
  model->exact.emplace(model->vectors);
  model->searches = {NameOf(search)};
  if (!std::holds_alternative<ExactSearch>(search)) {
    model->searches.emplace_back(ExactSearch::kName);
  }
  return model;
}

absl::StatusOr<std::unique_ptr<LanguageModelFile>> OpenLanguageModel(
    const NamedPath& from) {
  auto file = std::make_unique<LanguageModelFile>();
  file->name = from.name;
  FIRTH_ASSIGN_OR_RETURN(Contextualizer model, Contextualizer::Load(from.path));
  file->num_layers = model.num_layers();
  file->dim = model.dim();
  file->metadata = model.metadata();
  file->model.emplace(std::move(model));
  return file;
}

absl::StatusOr<std::unique_ptr<TaggerFile>> OpenTagger(const NamedPath& from) {
  auto file = std::make_unique<TaggerFile>();
  file->name = from.name;
  absl::StatusOr<Tagger> tagger = Tagger::Load(from.path, {});
  if (!tagger.ok()) {
    return absl::Status(
        tagger.status().code(),
        absl::StrCat(tagger.status().message(),
                     " (\"firth tag pack\" puts a tagger and the models that "
                     "it needs into one file)"));
  }
  file->tags = tagger->tags();
  file->tagger.emplace(*std::move(tagger));
  return file;
}

absl::StatusOr<std::unique_ptr<ClassifierFile>> OpenClassifier(
    const NamedPath& from) {
  FIRTH_ASSIGN_OR_RETURN(Classifier classifier, Classifier::Load(from.path));
  return std::make_unique<ClassifierFile>(
      ClassifierFile{from.name, std::move(classifier)});
}

absl::Status OpenOne(const NamedPath& from, const SearchOptions& search,
                     Models* models) {
  FIRTH_ASSIGN_OR_RETURN(const FileInfo info, DescribeFile(from.path));
  if (info.kind == "language model") {
    FIRTH_ASSIGN_OR_RETURN(models->language_models.emplace_back(),
                           OpenLanguageModel(from));
    return absl::OkStatus();
  }
  if (info.kind == "tagger") {
    FIRTH_ASSIGN_OR_RETURN(models->taggers.emplace_back(), OpenTagger(from));
    return absl::OkStatus();
  }
  if (info.kind == "classifier") {
    FIRTH_ASSIGN_OR_RETURN(models->classifiers.emplace_back(),
                           OpenClassifier(from));
    return absl::OkStatus();
  }
  if (info.kind != "vectors") {
    return absl::InvalidArgumentError(
        absl::StrCat(from.path, ": cannot serve a file of kind \"", info.kind,
                     "\"; only vectors, language models, taggers and "
                     "classifiers can be served"));
  }
  FIRTH_ASSIGN_OR_RETURN(models->vectors.emplace_back(),
                         OpenVectors(from, search));
  return absl::OkStatus();
}

// `what`: "vectors", for messages.
template <class Model>
absl::StatusOr<const Model*> Choose(
    const std::vector<std::unique_ptr<Model>>& models, const std::string& name,
    const std::string& field, absl::string_view what) {
  const std::string names =
      absl::StrJoin(models, ", ", [](std::string* out, const auto& model) {
        absl::StrAppend(out, model->name);
      });
  if (models.empty()) {
    return FieldError(field, absl::StrCat("no ", what, " served"),
                      absl::StatusCode::kNotFound);
  }
  if (name.empty()) {
    if (models.size() == 1) return models[0].get();
    return FieldError(
        field,
        absl::StrCat("several models are served; choose one of ", names));
  }
  for (const auto& model : models) {
    if (model->name == name) return model.get();
  }
  return FieldError(
      field,
      absl::StrCat("no model \"", name, "\" is served; choose one of ", names),
      absl::StatusCode::kNotFound);
}

std::string NameIn(const Json& request) {
  return request.value("model", std::string());
}

}  // namespace

std::string PathOfModel(const std::string& argument) {
  return SplitArgument(argument).path;
}

absl::StatusOr<Models> OpenModels(const std::vector<std::string>& arguments,
                                  const SearchOptions& search) {
  Models models;
  std::set<std::string> names;
  for (const std::string& argument : arguments) {
    const NamedPath from = SplitArgument(argument);
    if (absl::StrContains(from.name, ',')) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the name of a model must not contain a comma, found \"", from.name,
          "\"; NAME=", from.path, " gives another name"));
    }
    if (!names.insert(from.name).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("two models have the name \"", from.name,
                       "\"; NAME=", from.path, " gives another name"));
    }
    FIRTH_RETURN_IF_ERROR(OpenOne(from, search, &models));
  }
  return models;
}

absl::StatusOr<const VectorModel*> ChooseVectors(const Models& models,
                                                 const Json& request) {
  return FindVectors(models, NameIn(request), "model");
}

absl::StatusOr<const VectorModel*> FindVectors(const Models& models,
                                               const std::string& name,
                                               const std::string& field) {
  return Choose(models.vectors, name, field, "vectors are");
}

absl::StatusOr<const LanguageModelFile*> ChooseLanguageModel(
    const Models& models, const Json& request) {
  return Choose(models.language_models, NameIn(request), "model",
                "language model is");
}

absl::StatusOr<const TaggerFile*> ChooseTagger(const Models& models,
                                               const Json& request) {
  return Choose(models.taggers, NameIn(request), "model", "tagger is");
}

absl::StatusOr<const ClassifierFile*> ChooseClassifier(const Models& models,
                                                       const Json& request) {
  return Choose(models.classifiers, NameIn(request), "model", "classifier is");
}

}  // namespace firth::tools
