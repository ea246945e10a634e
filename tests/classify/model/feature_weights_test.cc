// What features add to scores, by hand and summed up.

#include "classify/model/feature_weights.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "classify/model/plain_classifier.h"
#include "gtest/gtest.h"
#include "support/tiny_vectors.h"
#include "vocab/character_ngrams.h"

namespace firth {
namespace {

// Words "good", "bad", "film", the n-gram "good film", two of characters.
ClassifierModel SmallModel(LabelLink link) {
  ClassifierModel model;
  model.options.word_ngrams = 2;
  model.options.min_n = 2;
  model.options.max_n = 2;
  FeatureParts parts;
  parts.options = FeaturesOf(model.options);
  parts.words = {"good", "bad", "film"};
  parts.word_ngrams = {{0, 2}};
  parts.character_ngrams = {"<g", "oo"};
  model.features = *FeatureIndex::Of(parts);
  model.labels = {"x", "y", "z"};
  model.label_counts = {4, 2, 1};
  model.link = link;
  if (link != LabelLink::kTree) {
    model.bias = {0.5f, 0.25f, -1};
    model.wide = FloatTable(RandomFloats(6 * 3, 1), 3);
    model.idf = {1, 2, 0.5f, 3, 1, 1.5f};
    model.wide_scale = 1.5f;
  }
  model.input = FloatTable(RandomFloats(6 * 4, 2), 4);
  model.output =
      FloatTable(RandomFloats((link == LabelLink::kTree ? 2 : 3) * 4, 3), 4);
  model.deep_scale = 2;
  return model;
}

// The tree of a model that has one.
std::optional<LabelTree> TreeOf(const ClassifierModel& model) {
  std::optional<LabelTree> tree;
  if (model.link == LabelLink::kTree) tree.emplace(model.label_counts);
  return tree;
}

std::vector<NgramWeight> Explained(const ClassifierModel& model,
                                   absl::string_view text, size_t label,
                                   size_t count) {
  const std::optional<LabelTree> tree = TreeOf(model);
  return ExplainText(model, tree.has_value() ? &*tree : nullptr, text, label,
                     count);
}

std::vector<NgramWeight> StrongestOf(const ClassifierModel& model, size_t label,
                                     size_t count) {
  const std::optional<LabelTree> tree = TreeOf(model);
  std::vector<NgramWeight> strongest;
  VisitStrongest(model, tree.has_value() ? &*tree : nullptr, label, label + 1,
                 count, [&](size_t its_label, std::vector<NgramWeight> ngrams) {
                   EXPECT_EQ(its_label, label);
                   strongest = std::move(ngrams);
                 });
  return strongest;
}

constexpr char kText[] = "good film bad good";

TEST(FeatureWeightsTest, ScoresAreThoseOfTheFormulas) {
  const ClassifierModel model = SmallModel(LabelLink::kSigmoid);
  FeatureIndex::Reader reader(model.features);
  std::vector<float> scores(3);
  SumScores(model, FeatureValues(model, reader.Read(kText)),
            absl::MakeSpan(scores));
  const std::vector<double> expected = PlainProbabilities(model, kText);
  for (size_t i = 0; i < 3; ++i) {
    const double score = static_cast<double>(scores[i] + model.bias[i]);
    EXPECT_NEAR(1 / (1 + std::exp(-score)), expected[i], 1e-6) << i;
  }
}

// Under sigmoids the weights add up to the log odds, but for the bias.
TEST(FeatureWeightsTest, ExplanationsAddUpToTheScore) {
  const ClassifierModel model = SmallModel(LabelLink::kSigmoid);
  const std::vector<double> probabilities = PlainProbabilities(model, kText);
  for (size_t label = 0; label < 3; ++label) {
    double sum = static_cast<double>(model.bias[label]);
    for (const NgramWeight& weight : Explained(model, kText, label, 99)) {
      sum += weight.weight;
    }
    const double p = probabilities[label];
    EXPECT_NEAR(sum, std::log(p / (1 - p)), 1e-5) << label;
  }
}

// Under a softmax they add up to the log probability above the mean of all.
TEST(FeatureWeightsTest, SoftmaxWeightsAreAboveTheMean) {
  const ClassifierModel model = SmallModel(LabelLink::kSoftmax);
  const std::vector<double> probabilities = PlainProbabilities(model, kText);
  double mean = 0;
  double mean_bias = 0;
  for (size_t i = 0; i < 3; ++i) {
    mean += std::log(probabilities[i]) / 3;
    mean_bias += static_cast<double>(model.bias[i]) / 3;
  }
  for (size_t label = 0; label < 3; ++label) {
    double sum = static_cast<double>(model.bias[label]) - mean_bias;
    for (const NgramWeight& weight : Explained(model, kText, label, 99)) {
      sum += weight.weight;
    }
    EXPECT_NEAR(sum, std::log(probabilities[label]) - mean, 1e-5) << label;
  }
}

// The most frequent label is told by the last turn alone: log odds.
TEST(FeatureWeightsTest, TreesAreExplainedByTheirTurns) {
  const ClassifierModel model = SmallModel(LabelLink::kTree);
  const double p = PlainProbabilities(model, kText)[0];
  double sum = 0;
  for (const NgramWeight& weight : Explained(model, kText, 0, 99)) {
    sum += weight.weight;
  }
  EXPECT_NEAR(sum, std::log(p / (1 - p)), 1e-5);
}

TEST(FeatureWeightsTest, NgramsComeByStrength) {
  const ClassifierModel model = SmallModel(LabelLink::kSigmoid);
  const std::vector<NgramWeight> all = Explained(model, kText, 1, 99);
  ASSERT_EQ(all.size(), 6u);
  for (size_t i = 1; i < all.size(); ++i) {
    EXPECT_GE(std::abs(all[i - 1].weight), std::abs(all[i].weight));
  }
  EXPECT_EQ(Explained(model, kText, 1, 2).size(), 2u);
  EXPECT_TRUE(Explained(model, "nothing", 1, 2).empty());

  const std::vector<NgramWeight> strongest = StrongestOf(model, 1, 6);
  ASSERT_EQ(strongest.size(), 6u);
  for (size_t i = 1; i < strongest.size(); ++i) {
    EXPECT_GE(strongest[i - 1].weight, strongest[i].weight);
  }
  // A text of one feature says as much of it.
  const double alone = Explained(model, "bad", 1, 1)[0].weight;
  bool found = false;
  for (const NgramWeight& weight : strongest) {
    if (weight.ngram != "bad") continue;
    EXPECT_NEAR(weight.weight, alone, 1e-6);
    found = true;
  }
  EXPECT_TRUE(found);
}

// For each label what each feature would say as a text by itself, in order;
// all labels at once and each alone.
TEST(FeatureWeightsTest, AllLabelsAtOnceSayWhatEachDoes) {
  for (const LabelLink link :
       {LabelLink::kSoftmax, LabelLink::kSigmoid, LabelLink::kTree}) {
    const ClassifierModel model = SmallModel(link);
    const std::optional<LabelTree> tree = TreeOf(model);
    const LabelTree* const its_tree = tree.has_value() ? &*tree : nullptr;
    for (const size_t count : {0, 1, 4, 6, 99}) {
      size_t next = 0;
      VisitStrongest(model, its_tree, 0, 3, count,
                     [&](size_t label, const std::vector<NgramWeight>& ngrams) {
                       ASSERT_EQ(label, next++);
                       LabelWeights weights(model, its_tree, label);
                       std::vector<std::pair<double, uint32_t>> expected;
                       for (uint32_t row = 0; row < 6; ++row) {
                         expected.emplace_back(-weights.Of({row, 1, 1}), row);
                       }
                       std::sort(expected.begin(), expected.end());
                       ASSERT_EQ(ngrams.size(), std::min<size_t>(count, 6));
                       for (size_t i = 0; i < ngrams.size(); ++i) {
                         EXPECT_EQ(ngrams[i].ngram,
                                   model.features.Text(expected[i].second));
                         EXPECT_NEAR(ngrams[i].weight, -expected[i].first,
                                     1e-5);
                       }
                       const auto alone = StrongestOf(model, label, count);
                       ASSERT_EQ(alone.size(), ngrams.size());
                       for (size_t i = 0; i < ngrams.size(); ++i) {
                         EXPECT_EQ(alone[i].ngram, ngrams[i].ngram);
                       }
                     });
      EXPECT_EQ(next, 3u);
    }
  }
}

// A bucket is called by the n-gram of the text that lies in it.
TEST(FeatureWeightsTest, HashedNgramsHaveTheirText) {
  const auto hash_of = [](absl::string_view word) {
    return static_cast<uint64_t>(
        int64_t{static_cast<int32_t>(NGramHash(word))});
  };
  const auto bucket = static_cast<uint32_t>(
      (hash_of("new") * 116049371 + hash_of("good")) % 1'000'000);
  FeatureParts parts;
  parts.options.word_ngrams = 3;
  parts.options.hashing = true;
  parts.options.buckets = 1'000'000;
  parts.words = {"good", "</s>"};
  parts.kept_buckets = {bucket};
  ClassifierModel model;
  model.features = *FeatureIndex::Of(std::move(parts));
  model.labels = {"x", "y"};
  model.label_counts = {1, 1};
  model.bias = {0, 0};
  model.input = FloatTable(std::vector<float>{1, 2, 4}, 1);
  model.output = FloatTable(std::vector<float>{1, -1}, 1);
  const std::vector<NgramWeight> found = Explained(model, "new good", 0, 9);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].ngram, "new good");
  EXPECT_NEAR(found[0].weight, 4.0 / 3, 1e-6);
  EXPECT_EQ(found[1].ngram, "</s>");
  EXPECT_EQ(found[2].ngram, "good");
  EXPECT_EQ(StrongestOf(model, 0, 1)[0].ngram, absl::StrCat("bucket ", bucket));
}

}  // namespace
}  // namespace firth
