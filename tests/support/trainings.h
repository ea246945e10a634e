// Trainings of every kind, small enough for tests.

#ifndef FIRTH_TESTS_SUPPORT_TRAININGS_H_
#define FIRTH_TESTS_SUPPORT_TRAININGS_H_

#include <vector>

#include "firth/matrix.h"
#include "firth/train.h"

namespace firth {

inline TrainOptions SmallOptions() {
  TrainOptions options;
  options.dim = 16;
  options.epochs = 3;
  options.sample = 0;
  options.threads = 1;
  options.learning_rate = 0.05;
  return options;
}

struct Variant {
  const char* name;
  ArchitectureOptions architecture;
  ObjectiveOptions objective;
  double learning_rate;
  SubwordOptions subwords = NoSubwords{};
};

inline std::vector<Variant> AllVariants() {
  return {
      {"skipgram_ns", SkipGramOptions{}, NegativeSamplingOptions{}, 0.05},
      {"skipgram_ns_shared", SkipGramOptions{.shared_windows = 2},
       NegativeSamplingOptions{}, 0.05},
      {"skipgram_ns_directional", SkipGramOptions{.directional = true},
       NegativeSamplingOptions{}, 0.05},
      {"cbow_ns_distance",
       CbowOptions{.context_weights = ContextWeights::kDistance},
       NegativeSamplingOptions{}, 0.2},
      {"cbow_nce_position",
       CbowOptions{.context_weights = ContextWeights::kPosition}, NceOptions{},
       0.2},
      {"cbow_softmax_position",
       CbowOptions{.context_weights = ContextWeights::kPosition},
       FullSoftmaxOptions{8}, 0.2},
      {"cbow_ns_subwords_position",
       CbowOptions{.context_weights = ContextWeights::kPosition},
       NegativeSamplingOptions{}, 0.2, BucketSubwords{}},
      {"skipgram_nce", SkipGramOptions{}, NceOptions{}, 0.05},
      {"skipgram_hs", SkipGramOptions{}, HierarchicalSoftmaxOptions{}, 0.05},
      {"skipgram_ns_subwords", SkipGramOptions{}, NegativeSamplingOptions{},
       0.05, BucketSubwords{}},
      {"cbow_hs_subwords", CbowOptions{}, HierarchicalSoftmaxOptions{}, 0.2,
       ExplicitSubwords{}},
      {"skipgram_ns_floret", SkipGramOptions{}, NegativeSamplingOptions{}, 0.05,
       FloretSubwords{}},
      {"skipgram_nce_subwords", SkipGramOptions{.shared_windows = 2},
       NceOptions{}, 0.05, ExplicitSubwords{}},
      {"skipgram_softmax", SkipGramOptions{}, FullSoftmaxOptions{8}, 0.05},
      {"cbow_ns", CbowOptions{}, NegativeSamplingOptions{}, 0.2},
      {"cbow_nce", CbowOptions{}, NceOptions{}, 0.2},
      {"cbow_hs", CbowOptions{}, HierarchicalSoftmaxOptions{}, 0.2},
      {"cbow_softmax", CbowOptions{}, FullSoftmaxOptions{8}, 0.2},
  };
}

inline TrainOptions OptionsOf(const Variant& variant) {
  TrainOptions options = SmallOptions();
  options.architecture = variant.architecture;
  options.objective = variant.objective;
  options.subwords = variant.subwords;
  options.learning_rate = variant.learning_rate;
  return options;
}

inline bool SameTable(const FloatTable& a, const FloatTable& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return false;
  for (size_t row = 0; row < a.rows(); ++row) {
    if (a.Row(row) != b.Row(row)) return false;
  }
  return true;
}

}  // namespace firth

#endif  // FIRTH_TESTS_SUPPORT_TRAININGS_H_
