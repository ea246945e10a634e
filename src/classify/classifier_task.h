// The data from which a classifier is trained.

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

// Texts as a learner reads them. context: [texts, context dim], or empty.
struct ClassifierTexts {
  FeatureBags bags;
  TextLabels labels;
  Matrix<float> context;

  const float* ContextOf(size_t text) const {
    return context.rows() > 0 ? context.Row(text) : nullptr;
  }
};

// All members are borrowed.
struct ClassifierTask {
  const ClassifierOptions& options;  // no option is automatic
  const FeatureIndex& index;
  const LabelSet& labels;
  const ClassifierTexts& train;
  // Has no texts if there are no validation texts.
  const ClassifierTexts& valid;
  const WordVectors* vectors;  // initial vectors of the deep part; may be null
  // Checksums of texts and files: the part of the identity besides options.
  nlohmann::json sources;
  // Tunes the contextualizer, and thereby changes the contexts of the texts. If
  // null, they do not change.
  TunedContext* tuned = nullptr;
};

}  // namespace firth

#endif  // FIRTH_SRC_CLASSIFY_CLASSIFIER_TASK_H_
