// Models that were opened to be asked, by name, whatever their kind.
//
// Vectors and classifiers are immutable, and any number of threads may use them
// at the same time. A language model or a tagger computes in its own memory, so
// a thread locks it while it computes. What describes it (dimensions, layers,
// metadata, tags) does not change and may be read without the lock.

#ifndef FIRTH_OPENED_H_
#define FIRTH_OPENED_H_

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "firth/classifier.h"
#include "firth/contextualizer.h"
#include "firth/progress.h"
#include "firth/query.h"
#include "firth/tagger.h"
#include "firth/word_vectors.h"

namespace firth {

using Metadata = std::map<std::string, std::string>;

class OpenedVectors {
 public:
  // Creates vectors that are searched exactly.
  explicit OpenedVectors(WordVectors vectors, Metadata metadata = {});
  // Creates vectors that are searched by `neighbors`, whose candidates may be
  // some of the words only.
  OpenedVectors(WordVectors vectors,
                std::shared_ptr<const NearestNeighbors> neighbors,
                Metadata metadata = {});

  const WordVectors& vectors() const { return vectors_; }
  const Metadata& metadata() const { return metadata_; }
  // Returns the chosen search.
  const NearestNeighbors& neighbors() const;
  // Returns a search that compares all vectors, created on first use.
  const NearestNeighbors& exact() const;

 private:
  struct Exact;

  WordVectors vectors_;
  Metadata metadata_;
  std::shared_ptr<const NearestNeighbors> chosen_;  // Null if exact.
  std::shared_ptr<const Exact> exact_;
};

struct EmbeddedText;  // See the question "context".

struct OpenedLanguageModel {
  explicit OpenedLanguageModel(Contextualizer its_model)
      : model(std::move(its_model)) {}

  mutable std::mutex mutex;  // Guards `model` and `reference`.
  mutable Contextualizer model;
  // The text that was last compared with. May be null.
  mutable std::shared_ptr<const EmbeddedText> reference;
};

struct OpenedTagger {
  explicit OpenedTagger(Tagger its_tagger) : tagger(std::move(its_tagger)) {}

  mutable std::mutex mutex;  // Guards `tagger`.
  mutable Tagger tagger;
};

// In the order of OpenedModel::content.
enum class ModelKind { kVectors, kLanguageModel, kTagger, kClassifier };

// Returns "vectors", "language model", "tagger" or "classifier".
absl::string_view NameOf(ModelKind kind);

struct OpenedModel {
  ModelKind kind() const { return static_cast<ModelKind>(content.index()); }

  std::string name;
  std::variant<std::shared_ptr<const OpenedVectors>,
               std::shared_ptr<const OpenedLanguageModel>,
               std::shared_ptr<const OpenedTagger>,
               std::shared_ptr<const Classifier>>
      content;
};

class OpenedModels {
 public:
  // Errors: InvalidArgument, another model has this name.
  absl::Status Add(OpenedModel model);

  const std::vector<OpenedModel>& all() const { return models_; }
  // Returns the model of this kind and name, or the only one of this kind if
  // `name` is empty. Errors: NotFound, with the names of the models of this
  // kind; InvalidArgument, no name and several models.
  absl::StatusOr<const OpenedModel*> Find(ModelKind kind,
                                          absl::string_view name) const;

 private:
  std::vector<OpenedModel> models_;
};

// The models of one call, in the order of the question's slots.
class Opened {
 public:
  explicit Opened(std::vector<const OpenedModel*> models, Hooks hooks = {})
      : models_(std::move(models)), hooks_(std::move(hooks)) {}

  // Returns whether a model was given for an optional slot.
  bool Has(size_t slot) const { return models_[slot] != nullptr; }
  const std::string& Name(size_t slot) const { return models_[slot]->name; }
  const OpenedVectors& vectors(size_t slot = 0) const {
    return *std::get<0>(models_[slot]->content);
  }
  const OpenedLanguageModel& language_model() const {
    return *std::get<1>(models_[0]->content);
  }
  const OpenedTagger& tagger() const {
    return *std::get<2>(models_[0]->content);
  }
  const Classifier& classifier() const {
    return *std::get<3>(models_[0]->content);
  }
  const Hooks& hooks() const { return hooks_; }

 private:
  std::vector<const OpenedModel*> models_;  // Null if a slot is empty.
  Hooks hooks_;
};

}  // namespace firth

#endif  // FIRTH_OPENED_H_
