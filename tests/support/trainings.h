// Trainings of every kind, small enough for tests.

#ifndef FIRTH_TESTS_SUPPORT_TRAININGS_H_
#define FIRTH_TESTS_SUPPORT_TRAININGS_H_

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "firth/checkpoint.h"
#include "firth/matrix.h"
#include "firth/train.h"
#include "firth/word_vectors.h"
#include "gtest/gtest.h"
#include "support/temp_files.h"

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
      {"skipgram_ns_subwords_directional",
       SkipGramOptions{.shared_windows = 2, .directional = true},
       NegativeSamplingOptions{}, 0.05, BucketSubwords{}},
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

inline double Cosine(const WordVectors& vectors, size_t a, size_t b) {
  const auto x = vectors.Vector(ToWordId(a));
  const auto y = vectors.Vector(ToWordId(b));
  double dot = 0;
  double xx = 0;
  double yy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    dot += double{x[i]} * y[i];
    xx += double{x[i]} * x[i];
    yy += double{y[i]} * y[i];
  }
  return dot / std::sqrt(xx * yy);
}

// Of TwoTopicCorpus(): how many of the 20 topic words have their nearest of the
// others in their own topic.
inline int WordsWithNeighborInTopic(const WordVectors& vectors) {
  int right = 0;
  for (size_t word = 0; word < 20; ++word) {
    size_t best = word == 0 ? 1 : 0;
    for (size_t other = 0; other < 20; ++other) {
      if (other == word) continue;
      if (Cosine(vectors, word, other) > Cosine(vectors, word, best)) {
        best = other;
      }
    }
    right += best / 10 == word / 10;
  }
  return right;
}

inline void ExpectSameModel(const TrainedModel& a, const TrainedModel& b) {
  EXPECT_TRUE(SameTable(a.vectors.table(), b.vectors.table()));
  EXPECT_TRUE(SameTable(a.output, b.output));
  EXPECT_TRUE(SameTable(a.output_bias, b.output_bias));
  ASSERT_EQ(a.report.epochs.size(), b.report.epochs.size());
  for (size_t i = 0; i < a.report.epochs.size(); ++i) {
    const EpochReport& x = a.report.epochs[i];
    const EpochReport& y = b.report.epochs[i];
    EXPECT_EQ(x.loss, y.loss) << i;
    EXPECT_EQ(x.examples, y.examples) << i;
    EXPECT_EQ(x.normalization.mean_ln_z, y.normalization.mean_ln_z) << i;
  }
  EXPECT_EQ(a.report.words, b.report.words);
}

// Ten checkpoints, all of them written.
inline Checkpointing Often(const std::string& folder, bool resume = false) {
  Checkpointing checkpointing;
  checkpointing.folder = folder;
  checkpointing.every_seconds = 0;
  checkpointing.every_share = 0.1;
  checkpointing.in_background = false;
  checkpointing.resume = resume;
  checkpointing.note = "a note";
  return checkpointing;
}

// As if a training had been killed before its last checkpoint.
inline void RemoveNewest(const TempFolder& folder) {
  std::filesystem::path newest;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    newest = std::max(newest, entry.path());
  }
  std::filesystem::remove(newest);
}

}  // namespace firth

#endif  // FIRTH_TESTS_SUPPORT_TRAININGS_H_
