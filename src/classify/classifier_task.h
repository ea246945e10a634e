// What a classifier learns from.

#ifndef FIRTH_SRC_CLASSIFY_CLASSIFIER_TASK_H_
#define FIRTH_SRC_CLASSIFY_CLASSIFIER_TASK_H_

#include "classify/feature_index.h"
#include "classify/text_labels.h"
#include "firth/classifier.h"
#include "firth/matrix.h"
#include "firth/word_vectors.h"
#include "nlohmann/json.hpp"

namespace firth {

class TunedContext;  // classify/tuned_context.h

// Texts as a learner reads them. context: [texts, context dim], or none.
struct ClassifierTexts {
  FeatureBags bags;
  TextLabels labels;
  Matrix<float> context;

  const float* ContextOf(size_t text) const {
    return context.rows() > 0 ? context.Row(text) : nullptr;
  }
};

// All is borrowed.
struct ClassifierTask {
  const ClassifierOptions& options;  // nothing is automatic
  const FeatureIndex& index;
  const LabelSet& labels;
  const ClassifierTexts& train;
  const ClassifierTexts& valid;  // of no texts: none
  const WordVectors* vectors;    // that the deep part starts from; may be null
  // Of texts and files, by checksum: what is in the identity besides options.
  nlohmann::json sources;
  // Moves the contextualizer and with it the contexts of the texts; null: these
  // stay as they are.
  TunedContext* tuned = nullptr;
};

}  // namespace firth

#endif  // FIRTH_SRC_CLASSIFY_CLASSIFIER_TASK_H_
