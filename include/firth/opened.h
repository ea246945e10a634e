// Opened models of all kinds. Questions refer to them by name.
//
// Vectors and classifiers are immutable, and any number of threads may use them
// at the same time. Language models, taggers and sequence-to-sequence models
// contain the memory for their computations, so a thread must hold their lock
// while it uses them. Their descriptions (dimensions, layers, metadata, tags,
// how texts are split) do not change and may be read without the lock.

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
#include "firth/seq2seq.h"
#include "firth/tagger.h"
#include "firth/word_vectors.h"

namespace firth {

using Metadata = std::map<std::string, std::string>;

class OpenedVectors {
 public:
  // Creates vectors that are searched exactly.
  explicit OpenedVectors(WordVectors vectors, Metadata metadata = {});
  // Creates vectors that are searched by `neighbors`. Its candidates may be a
  // subset of the words.
  OpenedVectors(WordVectors vectors,
                std::shared_ptr<const NearestNeighbors> neighbors,
                Metadata metadata = {});

  const WordVectors& vectors() const { return vectors_; }
  const Metadata& metadata() const { return metadata_; }
  // Returns the search given to the constructor, or exact() if there was none.
  const NearestNeighbors& neighbors() const;
  // Returns a search that compares all vectors, created on first use.
  const NearestNeighbors& exact() const;

 private:
  struct Exact;

  WordVectors vectors_;
  Metadata metadata_;
  std::shared_ptr<const NearestNeighbors> chosen_;  // Null for exact().
  std::shared_ptr<const Exact> exact_;
};

struct EmbeddedText;  // Defined by the question "context".

struct OpenedLanguageModel {
  explicit OpenedLanguageModel(Contextualizer its_model)
      : model(std::move(its_model)) {}

  mutable std::mutex mutex;  // Guards `model` and `reference`.
  mutable Contextualizer model;
  // Reference text of the last request. May be null.
  mutable std::shared_ptr<const EmbeddedText> reference;
};

struct OpenedTagger {
  explicit OpenedTagger(Tagger its_tagger) : tagger(std::move(its_tagger)) {}

  mutable std::mutex mutex;  // Guards `tagger`.
  mutable Tagger tagger;
};

struct OpenedSeq2Seq {
  explicit OpenedSeq2Seq(Seq2Seq its_model) : model(std::move(its_model)) {}

  mutable std::mutex mutex;  // Guards `model`.
  mutable Seq2Seq model;
};

// The kinds of models, in the order of the alternatives of
// OpenedModel::content.
enum class ModelKind {
  kVectors,
  kLanguageModel,
  kTagger,
  kClassifier,
  kSeq2Seq
};

// Returns "vectors", "language model", "tagger", "classifier" or
// "sequence-to-sequence model".
absl::string_view NameOf(ModelKind kind);

struct OpenedModel {
  ModelKind kind() const { return static_cast<ModelKind>(content.index()); }

  std::string name;
  std::variant<std::shared_ptr<const OpenedVectors>,
               std::shared_ptr<const OpenedLanguageModel>,
               std::shared_ptr<const OpenedTagger>,
               std::shared_ptr<const Classifier>,
               std::shared_ptr<const OpenedSeq2Seq>>
      content;
};

class OpenedModels {
 public:
  // Adds a model. Errors: InvalidArgument, another model has this name.
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

// The models of one call, in the order of the slots of its question.
class Opened {
 public:
  explicit Opened(std::vector<const OpenedModel*> models, Hooks hooks = {})
      : models_(std::move(models)), hooks_(hooks) {}

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
  const OpenedSeq2Seq& seq2seq() const {
    return *std::get<4>(models_[0]->content);
  }
  const Hooks& hooks() const { return hooks_; }

 private:
  std::vector<const OpenedModel*> models_;  // Null for an empty slot.
  Hooks hooks_;
};

}  // namespace firth

#endif  // FIRTH_OPENED_H_
