// The contents of a Classifier, shared by the files that implement its class.

#ifndef FIRTH_CLASSIFY_CLASSIFIER_BODY_H_
#define FIRTH_CLASSIFY_CLASSIFIER_BODY_H_

#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "classify/model/classifier_model.h"
#include "classify/model/label_tree.h"
#include "classify/model/text_scorer.h"
#include "firth/classifier.h"
#include "firth/contextualizer.h"

namespace firth {

struct Classifier::Body {
  explicit Body(ClassifierModel its_model,
                std::unique_ptr<Contextualizer> its_contextualizer = nullptr)
      : model(std::move(its_model)),
        contextualizer(std::move(its_contextualizer)) {
    if (model.link == LabelLink::kTree) tree.emplace(model.label_counts);
    prior = LabelPrior(model);
  }

  const ClassifierModel model;
  const LabelTree* label_tree() const {
    return tree.has_value() ? &*tree : nullptr;
  }

  std::optional<LabelTree> tree;  // with LabelLink::kTree
  std::vector<float> prior;       // see LabelPrior()
  // Null if the model reads none. Used by one thread at a time.
  const std::unique_ptr<Contextualizer> contextualizer;
  mutable std::mutex contextualizer_mutex;
};

}  // namespace firth

#endif  // FIRTH_CLASSIFY_CLASSIFIER_BODY_H_
