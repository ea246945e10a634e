// A trained classifier as plain values: what a file holds and scores are made
// of.
//
// Of a text with counts t_f of features f, and labels c:
//
//   x_f       = (1 + ln t_f) idf_f, divided by the Euclidean norm of these
//               values over the text's features of f's group: words and their
//               n-grams, or n-grams of characters
//   wide_c    = sum_f x_f wide[f, c]
//   hidden    = sum_f t_f input[f] / sum_f t_f, followed by the mean of the
//               contextualizer's states, if any, from which context_mean is
//               taken and which is multiplied by context_scale
//   deep_c    = hidden . output[c]
//   score_c   = wide_scale wide_c + deep_scale deep_c + bias_c
//
// The probability of a label is softmax(score) or sigmoid(score). Over a tree
// (LabelLink::kTree) there is no wide part; the output table has a row for each
// inner node of HuffmanTree(label_counts, HuffmanTies::kInnerFirst), fastText's
// tree, and a label's probability is the product over its path of
// sigmoid(+-deep_scale hidden . output[node]), plus where the branch is 1.

#ifndef FIRTH_SRC_CLASSIFY_CLASSIFIER_MODEL_H_
#define FIRTH_SRC_CLASSIFY_CLASSIFIER_MODEL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/mapped_file.h"
#include "classify/feature_index.h"
#include "firth/classifier.h"
#include "firth/matrix.h"
#include "firth/row_store.h"

namespace firth {

enum class LabelLink {
  kSoftmax,
  kSigmoid,
  kTree,
  // As fastText has it: 0 below -8, 1 above 8, and between them the sigmoid of
  // the nearest 32nd that is not above the score.
  kTableSigmoid,
};

// Tables may be in any form (firth/row_store.h).
struct ClassifierModel {
  ClassifierOptions options;  // as the training found them
  FeatureIndex features;

  std::vector<std::string> labels;     // most frequent first
  std::vector<uint64_t> label_counts;  // training texts that have each
  uint64_t texts = 0;  // training texts; 0: not known, as of fastText's models
  LabelLink link = LabelLink::kSoftmax;
  bool several_labels = false;  // a text may have any number of them
  bool interrupted = false;     // the training was stopped before its end
  // Of several labels: those are predicted that are at least so probable.
  // [labels], or empty: .5.
  std::vector<float> thresholds;

  std::vector<float> bias;  // [labels], in nats; empty with kTree

  // Wide part; a table of no rows and an empty idf: there is none.
  RowStore wide;           // [features.rows(), labels]
  std::vector<float> idf;  // [features.rows()]
  float wide_scale = 1;

  // Deep part; tables of no rows: there is none.
  RowStore input;   // [features.rows(), dim]
  RowStore output;  // [labels or inner nodes, dim + context_mean.size()]
  float deep_scale = 1;

  // The contextualizer that was read, by name, size and checksum of its file;
  // an empty name: none. The states of its layers follow one another.
  std::string contextualizer_name;
  uint64_t contextualizer_size = 0;
  uint64_t contextualizer_checksum = 0;
  // The file of the contextualizer as the training has moved it; null: the
  // training left it as it was, and whoever loads the classifier names its
  // file.
  MappedFilePtr tuned_contextualizer;
  std::vector<float> context_mean;   // [layers * dim of a layer]
  std::vector<float> context_scale;  // likewise

  bool has_wide() const { return NumRows(wide) > 0; }
  bool has_deep() const { return NumRows(output) > 0; }
};

}  // namespace firth

#endif  // FIRTH_SRC_CLASSIFY_CLASSIFIER_MODEL_H_
