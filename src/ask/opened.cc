// Finds models by kind and name. The exact search of vectors that have another
// search is created when it is first used, because most questions do not need
// it.

#include "firth/opened.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/lazy.h"
#include "base/quote.h"

namespace firth {

struct OpenedVectors::Exact {
  Lazy<NearestNeighbors> neighbors;
};

OpenedVectors::OpenedVectors(WordVectors vectors, Metadata metadata)
    : vectors_(std::move(vectors)),
      metadata_(std::move(metadata)),
      exact_(std::make_shared<Exact>()) {}

OpenedVectors::OpenedVectors(WordVectors vectors,
                             std::shared_ptr<const NearestNeighbors> neighbors,
                             Metadata metadata)
    : OpenedVectors(std::move(vectors), std::move(metadata)) {
  chosen_ = std::move(neighbors);
}

const NearestNeighbors& OpenedVectors::neighbors() const {
  return chosen_ != nullptr ? *chosen_ : exact();
}

const NearestNeighbors& OpenedVectors::exact() const {
  return exact_->neighbors.Get([this] { return NearestNeighbors(vectors_); });
}

absl::string_view NameOf(ModelKind kind) {
  constexpr absl::string_view kNames[] = {"vectors", "language model", "tagger",
                                          "classifier",
                                          "sequence-to-sequence model"};
  return kNames[static_cast<size_t>(kind)];
}

absl::Status OpenedModels::Add(OpenedModel model) {
  for (const OpenedModel& other : models_) {
    if (other.name != model.name) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("two models have the name ", Quote(model.name)));
  }
  models_.push_back(std::move(model));
  return absl::OkStatus();
}

absl::StatusOr<const OpenedModel*> OpenedModels::Find(
    ModelKind kind, absl::string_view name) const {
  std::vector<const OpenedModel*> choices;
  for (const OpenedModel& model : models_) {
    if (model.kind() == kind) choices.push_back(&model);
    if (model.name != name) continue;
    if (model.kind() == kind) return &model;
    return absl::NotFoundError(
        absl::StrCat(Quote(name), " is of the kind \"", NameOf(model.kind()),
                     "\", but the question requires a model of the kind \"",
                     NameOf(kind), "\""));
  }
  if (choices.empty()) {
    return absl::NotFoundError(
        absl::StrCat("no model of the kind \"", NameOf(kind), "\" is open"));
  }
  if (name.empty() && choices.size() == 1) return choices[0];
  const std::string names =
      absl::StrJoin(choices, ", ", [](std::string* out, const auto* model) {
        absl::StrAppend(out, model->name);
      });
  if (name.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("several models are open; choose one of ", names));
  }
  return absl::NotFoundError(absl::StrCat("no model ", Quote(name),
                                          " is open; choose one of ", names));
}

}  // namespace firth
