// The estimate against the features themselves.

#include "classify/train/training_plan.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/rng.h"
#include "classify/features/feature_index.h"
#include "gtest/gtest.h"

namespace firth {
namespace {

std::vector<LabelledText> ManyTexts() {
  Rng rng(3);
  std::vector<LabelledText> texts(2000);
  for (LabelledText& text : texts) {
    text.labels = {"a"};
    for (int i = 0; i < 20; ++i) {
      // The smaller numbers more often.
      const uint32_t number = rng.Below(1 + rng.Below(5000));
      absl::StrAppend(&text.text, number % 3 == 0 ? "Word" : "word", number,
                      " ");
    }
  }
  return texts;
}

TEST(FeatureEstimateTest, IsCloseToWhatTheIndexHas) {
  const std::vector<LabelledText> texts = ManyTexts();
  struct Case {
    bool lowercase;
    uint64_t word_ngrams;
    uint64_t min_n;
    uint64_t max_n;
    uint64_t min_count;
  };
  for (const Case& asked : {Case{false, 1, 0, 0, 1}, Case{true, 2, 0, 0, 1},
                            Case{false, 3, 2, 5, 1}, Case{false, 2, 3, 6, 2}}) {
    ClassifierOptions options;
    options.lowercase = asked.lowercase;
    options.word_ngrams = asked.word_ngrams;
    options.min_n = asked.min_n;
    options.max_n = asked.max_n;
    options.min_count = asked.min_count;
    SCOPED_TRACE(absl::StrCat(asked.word_ngrams, " ", asked.max_n));
    FeatureBags bags;
    const auto index = FeatureIndex::Build(texts, options, {}, &bags);
    ASSERT_TRUE(index.ok()) << index.status();
    const FeatureEstimate estimate = EstimateFeatures(texts, options);
    EXPECT_EQ(estimate.tokens, 40000);
    const auto rows = static_cast<double>(index->rows());
    EXPECT_NEAR(static_cast<double>(estimate.features), rows, 0.06 * rows);
    EXPECT_GE(estimate.occurrences, bags.features.size());
  }
}

TEST(FeatureEstimateTest, WithBucketsThereIsARowForEach) {
  ClassifierOptions options;
  options.buckets = 1000;
  const std::vector<LabelledText> texts = {{{"a"}, "one two two"}};
  // With fastText's "</s>".
  EXPECT_EQ(EstimateFeatures(texts, options).features, 1003);
}

}  // namespace
}  // namespace firth
