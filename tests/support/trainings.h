// Trainings of every kind, small enough for tests.

#ifndef FIRTH_TESTS_SUPPORT_TRAININGS_H_
#define FIRTH_TESTS_SUPPORT_TRAININGS_H_

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"
#include "firth/checkpoint.h"
#include "firth/matrix.h"
#include "firth/train.h"
#include "firth/word_vectors.h"
#include "gtest/gtest.h"
#include "support/alternatives.h"
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

// What an architecture, an objective or a kind of subwords is called.
template <class Options>
std::string NameOf(const Options& options) {
  return std::visit(
      [](const auto& chosen) { return std::string(chosen.kName); }, options);
}

// Every objective, with so many noise words and batches of this size where it
// has them.
inline std::vector<ObjectiveOptions> Objectives(int negatives, int batch) {
  std::vector<ObjectiveOptions> all = Alternatives<ObjectiveOptions>();
  const auto make_small = [&](auto& chosen) {
    if constexpr (requires { chosen.negatives; }) chosen.negatives = negatives;
    if constexpr (requires { chosen.batch; }) chosen.batch = batch;
  };
  for (ObjectiveOptions& objective : all) std::visit(make_small, objective);
  return all;
}

struct Variant {
  std::string name;
  ArchitectureOptions architecture;
  ObjectiveOptions objective;
  SubwordOptions subwords = NoSubwords{};
};

// Every architecture under every objective.
inline std::vector<Variant> PlainVariants() {
  std::vector<Variant> variants;
  for (const auto& architecture : Alternatives<ArchitectureOptions>()) {
    for (const ObjectiveOptions& objective : Objectives(5, 8)) {
      variants.push_back({NameOf(architecture) + "_" + NameOf(objective),
                          architecture, objective});
    }
  }
  return variants;
}

// These, every kind of subwords, and what is done in a way of its own.
inline std::vector<Variant> AllVariants() {
  std::vector<Variant> variants = PlainVariants();
  for (const SubwordOptions& subwords : Alternatives<SubwordOptions>()) {
    if (std::holds_alternative<NoSubwords>(subwords)) continue;
    variants.push_back({"subwords_" + NameOf(subwords), SkipGramOptions{},
                        NegativeSamplingOptions{}, subwords});
  }
  const SkipGramOptions shared{.shared_windows = 2};
  const SkipGramOptions directional{.directional = true};
  const CbowOptions position{.context_weights = ContextWeights::kPosition};
  const CbowOptions distance{.context_weights = ContextWeights::kDistance};
  const std::vector<Variant> special = {
      {"skipgram_ns_shared", shared, NegativeSamplingOptions{}},
      {"skipgram_ns_directional", directional, NegativeSamplingOptions{}},
      {"cbow_ns_shared", CbowOptions{.shared_windows = 2},
       NegativeSamplingOptions{}},
      {"cbow_ns_distance", distance, NegativeSamplingOptions{}},
      {"cbow_nce_position", position, NceOptions{}},
      {"cbow_softmax_position", position, FullSoftmaxOptions{8}},
      {"cbow_ns_subwords_position",
       CbowOptions{.context_weights = ContextWeights::kPosition,
                   .shared_windows = 2},
       NegativeSamplingOptions{}, BucketSubwords{}},
      {"skipgram_ns_subwords_directional",
       SkipGramOptions{.shared_windows = 2, .directional = true},
       NegativeSamplingOptions{}, BucketSubwords{}},
      {"cbow_hs_subwords", CbowOptions{}, HierarchicalSoftmaxOptions{},
       ExplicitSubwords{}},
      {"skipgram_nce_subwords", shared, NceOptions{}, ExplicitSubwords{}},
  };
  variants.insert(variants.end(), special.begin(), special.end());
  return variants;
}

inline TrainOptions OptionsOf(const Variant& variant) {
  TrainOptions options = SmallOptions();
  options.architecture = variant.architecture;
  options.objective = variant.objective;
  options.subwords = variant.subwords;
  options.learning_rate = 2 * DefaultLearningRate(options);  // of tiny corpora
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

// Of TwoTopicCorpus(), whose words 0..9 and 10..19 are its topics: by how much
// the word's nearest of its own topic is nearer than any of the other one.
inline double TopicMargin(const WordVectors& vectors, size_t word) {
  double own = -1;
  double foreign = -1;
  for (size_t other = 0; other < 20; ++other) {
    if (other == word) continue;
    double& best = other / 10 == word / 10 ? own : foreign;
    best = std::max(best, Cosine(vectors, word, other));
  }
  return own - foreign;
}

// The margin of the word for which it is narrowest.
inline double TopicMargin(const WordVectors& vectors) {
  double narrowest = 2;
  for (size_t word = 0; word < 20; ++word) {
    narrowest = std::min(narrowest, TopicMargin(vectors, word));
  }
  return narrowest;
}

// How many of the 20 topic words have their nearest in their own topic.
inline int WordsWithNeighborInTopic(const WordVectors& vectors) {
  int right = 0;
  for (size_t word = 0; word < 20; ++word) {
    right += TopicMargin(vectors, word) > 0;
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

// Asks to stop at the first report.
class StoppingSink : public ProgressSink {
 public:
  void OnTrain(const TrainProgress& progress) override {
    last = progress;
    ++reports;
    stop.store(true);
  }
  std::atomic<bool> stop{false};
  TrainProgress last;
  int reports = 0;
};

// Expects that the word's vector is the mean of its own row and its n-grams'.
inline void ExpectMeanOfRows(const WordVectors& vectors,
                             absl::string_view text) {
  const SubwordTables& subwords = *vectors.subwords();
  std::vector<uint32_t> rows;
  // "<w", "w1", "1>", "<w1", "w1>"
  EXPECT_EQ(subwords.index.AppendRows(text, &rows), 5u);
  ASSERT_EQ(rows.size(), 5u);
  const WordId word = *vectors.vocabulary().Find(text);
  for (size_t i = 0; i < vectors.dim(); ++i) {
    double sum = subwords.words.Row(Index(word))[i];
    for (const uint32_t row : rows) sum += subwords.n_grams.Row(row)[i];
    EXPECT_NEAR(vectors.Vector(word)[i], sum / 6, 2e-6);
  }
}

}  // namespace firth

#endif  // FIRTH_TESTS_SUPPORT_TRAININGS_H_
