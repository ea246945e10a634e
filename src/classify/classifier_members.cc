// Construction, moves and accessors of classifiers.

#include <utility>

#include "classify/classifier_body.h"
#include "firth/classifier.h"

namespace firth {

Classifier::Classifier(std::shared_ptr<const Body> body)
    : body_(std::move(body)) {}
Classifier::~Classifier() = default;
Classifier::Classifier(Classifier&&) noexcept = default;
Classifier& Classifier::operator=(Classifier&&) noexcept = default;

const ClassifierOptions& Classifier::options() const {
  return body_->model.options;
}

const std::vector<std::string>& Classifier::labels() const {
  return body_->model.labels;
}

bool Classifier::has_several_labels() const {
  return body_->model.several_labels;
}

}  // namespace firth
