// What features add to scores, by hand and summed up.

#include "classify/feature_weights.h"

#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "classify/plain_classifier.h"
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
    for (const NgramWeight& weight : ExplainText(model, kText, label, 99)) {
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
    for (const NgramWeight& weight : ExplainText(model, kText, label, 99)) {
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
  for (const NgramWeight& weight : ExplainText(model, kText, 0, 99)) {
    sum += weight.weight;
  }
  EXPECT_NEAR(sum, std::log(p / (1 - p)), 1e-5);
}

TEST(FeatureWeightsTest, NgramsComeByStrength) {
  const ClassifierModel model = SmallModel(LabelLink::kSigmoid);
  const std::vector<NgramWeight> all = ExplainText(model, kText, 1, 99);
  ASSERT_EQ(all.size(), 6u);
  for (size_t i = 1; i < all.size(); ++i) {
    EXPECT_GE(std::abs(all[i - 1].weight), std::abs(all[i].weight));
  }
  EXPECT_EQ(ExplainText(model, kText, 1, 2).size(), 2u);
  EXPECT_TRUE(ExplainText(model, "nothing", 1, 2).empty());

  const std::vector<NgramWeight> strongest = StrongestNgrams(model, 1, 6);
  ASSERT_EQ(strongest.size(), 6u);
  for (size_t i = 1; i < strongest.size(); ++i) {
    EXPECT_GE(strongest[i - 1].weight, strongest[i].weight);
  }
  // A text of one feature says as much of it.
  const double alone = ExplainText(model, "bad", 1, 1)[0].weight;
  bool found = false;
  for (const NgramWeight& weight : strongest) {
    if (weight.ngram != "bad") continue;
    EXPECT_NEAR(weight.weight, alone, 1e-6);
    found = true;
  }
  EXPECT_TRUE(found);
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
  const std::vector<NgramWeight> found = ExplainText(model, "new good", 0, 9);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].ngram, "new good");
  EXPECT_NEAR(found[0].weight, 4.0 / 3, 1e-6);
  EXPECT_EQ(found[1].ngram, "</s>");
  EXPECT_EQ(found[2].ngram, "good");
  EXPECT_EQ(StrongestNgrams(model, 0, 1)[0].ngram,
            absl::StrCat("bucket ", bucket));
}

}  // namespace
}  // namespace firth
