// The models that a service answers from, by name.
//
// They are opened when the service starts and do not change. Vectors and
// classifiers are asked by any number of threads; what a language model or a
// tagger computes uses its own memory, so one thread at a time has it.

#ifndef FIRTH_TOOLS_SERVE_MODELS_H_
#define FIRTH_TOOLS_SERVE_MODELS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/json.h"
#include "firth/classifier.h"
#include "firth/contextualizer.h"
#include "firth/query.h"
#include "firth/tagger.h"
#include "firth/vector_io.h"
#include "serve/request.h"
#include "serve/served_map.h"

namespace firth::tools {

struct VectorModel {
  std::string name;
  WordVectors vectors;
  std::map<std::string, std::string> metadata;
  // Answers `searches[0]`, the one that the service was started with.
  std::optional<NearestNeighbors> neighbors;
  // Looks at all vectors; the same where that is what was chosen.
  std::optional<NearestNeighbors> exact;
  std::vector<std::string> searches;
  std::optional<ServedMap> map;
};

struct LanguageModelFile {
  std::string name;
  // Of the model, to be told while somebody else has it.
  size_t num_layers = 0;
  size_t dim = 0;
  std::map<std::string, std::string> metadata;
  mutable std::mutex mutex;  // of the model
  mutable std::optional<Contextualizer> model;
};

struct TaggerFile {
  std::string name;
  std::vector<std::string> tags;
  mutable std::mutex mutex;  // of the tagger
  mutable std::optional<Tagger> tagger;
};

struct ClassifierFile {
  std::string name;
  Classifier classifier;
};

struct Models {
  std::vector<std::unique_ptr<VectorModel>> vectors;
  std::vector<std::unique_ptr<LanguageModelFile>> language_models;
  std::vector<std::unique_ptr<TaggerFile>> taggers;
  std::vector<std::unique_ptr<ClassifierFile>> classifiers;
};

// Opens the files of `arguments`, each PATH or NAME=PATH; without a name it is
// that of the file without its extension. Vectors are looked through as
// `search` says. Errors: InvalidArgument, two models of one name, a name with a
// comma, a file that is no model, or a tagger or classifier that does not hold
// what it reads tokens with; those of loading.
absl::StatusOr<Models> OpenModels(const std::vector<std::string>& arguments,
                                  const SearchOptions& search);

// The path of such an argument.
std::string PathOfModel(const std::string& argument);

// The model named by the field "model" of a request, which may lack where one
// is served. Errors: NotFound, with the names that there are; InvalidArgument,
// none is named and there are more.
absl::StatusOr<const VectorModel*> ChooseVectors(const Models& models,
                                                 const Json& request);
absl::StatusOr<const LanguageModelFile*> ChooseLanguageModel(
    const Models& models, const Json& request);
absl::StatusOr<const TaggerFile*> ChooseTagger(const Models& models,
                                               const Json& request);
absl::StatusOr<const ClassifierFile*> ChooseClassifier(const Models& models,
                                                       const Json& request);
// The same by name, of vectors; `field` says which one of a request it is.
absl::StatusOr<const VectorModel*> FindVectors(const Models& models,
                                               const std::string& name,
                                               const std::string& field);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_SERVE_MODELS_H_
