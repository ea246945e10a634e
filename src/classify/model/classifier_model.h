// A trained classifier as plain values, which are stored in a file and used to
// compute scores.
//
// For a text with counts t_f of features f, and labels c:
//
//   x_f       = (1 + ln t_f) idf_f, divided by the Euclidean norm of these
//               values over the text's features of f's group: words and their
//               n-grams, or n-grams of characters
//   wide_c    = sum_f x_f wide[f, c]
//   hidden    = sum_f t_f input[f] / sum_f t_f, followed by the mean of the
//               contextualizer's states, if any, minus context_mean and
//               times context_scale
//   deep_c    = hidden . output[c]
//   score_c   = wide_scale wide_c + deep_scale deep_c + bias_c
//
// The probability of a label is softmax(score) or sigmoid(score). With a tree
// (LabelLink::kTree) there is no wide part. The output table has one row for
// each inner node of HuffmanTree(label_counts, HuffmanTies::kInnerFirst),
// fastText's tree. A label's probability is the product over its path of
// sigmoid(+-deep_scale hidden . output[node]), with plus for branch 1.

#ifndef FIRTH_CLASSIFY_MODEL_CLASSIFIER_MODEL_H_
#define FIRTH_CLASSIFY_MODEL_CLASSIFIER_MODEL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/mapped_file.h"
#include "classify/features/feature_index.h"
#include "firth/classifier.h"
#include "firth/matrix.h"
#include "firth/row_store.h"

namespace firth {

enum class LabelLink {
  kSoftmax,
  kSigmoid,
  kTree,
  // The sigmoid as computed by fastText: 0 below -8, 1 above 8, and between
  // them the sigmoid of the score rounded down to a multiple of 1/32.
  kTableSigmoid,
};

// Tables may be in any form (firth/row_store.h).
struct ClassifierModel {
  ClassifierOptions options;  // as training received them
  FeatureIndex features;

  std::vector<std::string> labels;  // most frequent first
  // Number of training texts that have each.
  std::vector<uint64_t> label_counts;
  // Number of training texts; 0 if unknown, as for fastText models.
  uint64_t texts = 0;
  LabelLink link = LabelLink::kSoftmax;
  bool several_labels = false;  // a text may have any number of labels
  bool interrupted = false;     // training was stopped before its end
  // With several labels, those with at least this probability are predicted.
  // [labels], or empty for .5.
  std::vector<float> thresholds;

  std::vector<float> bias;  // [labels], in nats; empty with kTree

  // Wide part. If there is none, the table has no rows and idf is empty.
  RowStore wide;           // [features.rows(), labels]
  std::vector<float> idf;  // [features.rows()]
  float wide_scale = 1;

  // Deep part. If there is none, the tables have no rows.
  RowStore input;   // [features.rows(), dim]
  RowStore output;  // [labels or inner nodes, dim + context_mean.size()]
  float deep_scale = 1;

  // The contextualizer that was read, by the name, size and checksum of its
  // file. The name is empty if there was none. The states of its layers are
  // concatenated.
  std::string contextualizer_name;
  uint64_t contextualizer_size = 0;
  uint64_t contextualizer_checksum = 0;
  // The file of the contextualizer as tuned in training. If null, training left
  // it unchanged, and its file must be named when the classifier is loaded.
  MappedFilePtr tuned_contextualizer;
  std::vector<float> context_mean;   // [layers * dim of a layer]
  std::vector<float> context_scale;  // likewise

  bool has_wide() const { return NumRows(wide) > 0; }
  bool has_deep() const { return NumRows(output) > 0; }
};

}  // namespace firth

#endif  // FIRTH_CLASSIFY_MODEL_CLASSIFIER_MODEL_H_
