// A smaller classifier: which features stay, how large its file is, and that it
// scores texts about as before.

#include "classify/model/quantize_model.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "classify/model/classifier_file.h"
#include "classify/model/plain_classifier.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "io/io_test_support.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_io::ReadBytes;
using testing_io::TestFolder;

constexpr size_t kWords = 3000;
constexpr size_t kLabels = 4;
constexpr size_t kDim = 6;

// A word in ten speaks for a label, the others for none.
ClassifierModel LargeModel(bool wide, bool deep) {
  ClassifierModel model;
  model.options.word_ngrams = 2;
  FeatureParts parts;
  parts.options = FeaturesOf(model.options);
  for (size_t i = 0; i < kWords; ++i) {
    parts.words.push_back(absl::StrCat("word", i));
  }
  for (uint32_t i = 0; i + 1 < kWords; ++i) {
    parts.word_ngrams.push_back({i, i + 1});
  }
  model.features = *FeatureIndex::Of(parts);
  const size_t rows = model.features.rows();
  for (size_t i = 0; i < kLabels; ++i) {
    model.labels.push_back(absl::StrCat("label", i));
    model.label_counts.push_back(10 - i);
    model.bias.push_back(0.1f * static_cast<float>(i));
  }
  const auto scaled = [](std::vector<float> values, size_t cols) {
    for (size_t row = 0; row < values.size() / cols; ++row) {
      for (size_t i = 0; i < cols; ++i) {
        values[row * cols + i] *= row % 10 == 0 ? 3.0f : 0.01f;
      }
    }
    return FloatTable(std::move(values), cols);
  };
  if (wide) {
    model.wide = scaled(RandomFloats(rows * kLabels, 1), kLabels);
    model.idf.assign(rows, 1.25f);
  }
  if (deep) {
    model.input = scaled(RandomFloats(rows * kDim, 2), kDim);
    model.output = FloatTable(RandomFloats(kLabels * kDim, 3), kDim);
  }
  return model;
}

std::vector<LabelledText> Texts() {
  std::vector<LabelledText> texts(300);
  for (size_t i = 0; i < texts.size(); ++i) {
    for (size_t at = 0; at < 12; ++at) {
      absl::StrAppend(&texts[i].text, "word", (i * 37 + at * at * 10) % kWords,
                      " word", (i * 41 + at * 7) % kWords, " ");
    }
  }
  return texts;
}

// The mean of the differences of probabilities.
double Distance(const ClassifierModel& a, const ClassifierModel& b,
                const std::vector<LabelledText>& texts) {
  double sum = 0;
  for (const LabelledText& text : texts) {
    const std::vector<double> first = PlainProbabilities(a, text.text);
    const std::vector<double> second = PlainProbabilities(b, text.text);
    for (size_t i = 0; i < kLabels; ++i) sum += std::abs(first[i] - second[i]);
  }
  return sum / static_cast<double>(texts.size() * kLabels);
}

TEST(KeepFeaturesTest, NgramsBringWhatTheyConsistOf) {
  FeatureParts parts;
  parts.options.word_ngrams = 3;
  parts.options.min_n = 2;
  parts.options.max_n = 2;
  parts.words = {"a", "b", "c"};
  parts.word_ngrams = {{0, 1}, {3, 2}};  // "a b", "a b c"
  parts.character_ngrams = {"<a", "b>"};
  const FeatureIndex index = *FeatureIndex::Of(parts);
  const uint32_t ranked[] = {6, 4, 0};
  // Of 10 bytes a row: 13 of "b>", then 14 twice and 12 thrice.
  const auto choose = [&](const RowCost& cost, uint64_t bytes) {
    return ChooseRows(index, ranked, cost, bytes);
  };
  EXPECT_THAT(choose({.row = 10}, 13), ElementsAre(6));
  EXPECT_THAT(choose({.row = 10}, 76), ElementsAre(6));
  EXPECT_THAT(choose({.row = 10}, 77), ElementsAre(0, 1, 2, 3, 4, 6));
  // Each brings values of its own.
  EXPECT_THAT(choose({.row = 10, .centroid = 5}, 77 + 29), ElementsAre(6));
  EXPECT_THAT(choose({.row = 10, .centroid = 5}, 77 + 30),
              ElementsAre(0, 1, 2, 3, 4, 6));
  const uint32_t rows[] = {0, 1, 3, 6};
  const auto kept = KeepFeatures(index, rows);
  ASSERT_TRUE(kept.ok()) << kept.status();
  EXPECT_EQ(kept->rows(), 4u);
  EXPECT_EQ(kept->Text(2), "a b");
  EXPECT_EQ(kept->Text(3), "b>");
}

TEST(KeepFeaturesTest, BucketsKeepTheirNumbers) {
  FeatureParts parts;
  parts.options.hashing = true;
  parts.options.buckets = 10;
  parts.words = {"a", "b"};
  const FeatureIndex index = *FeatureIndex::Of(parts);
  const uint32_t rows[] = {1, 2, 9};
  const auto kept = KeepFeatures(index, rows);
  ASSERT_TRUE(kept.ok()) << kept.status();
  EXPECT_THAT(kept->parts().words, ElementsAre("b"));
  EXPECT_THAT(kept->parts().kept_buckets, ElementsAre(0, 7));
  const uint32_t words[] = {0};
  EXPECT_EQ(KeepFeatures(*kept, words)->rows(), 1u);
}

TEST(QuantizeModelTest, FilesAreAsSmallAsAskedForAndSayTheSame) {
  const std::vector<LabelledText> texts = Texts();
  for (const auto& [wide, deep] :
       {std::pair(true, true), {true, false}, {false, true}}) {
    SCOPED_TRACE(absl::StrCat(wide, deep));
    const ClassifierModel model = LargeModel(wide, deep);
    double last = 1;
    for (const uint64_t bytes : {30'000, 60'000}) {
      const auto small = QuantizeModel(model, texts, {.max_bytes = bytes}, {});
      ASSERT_TRUE(small.ok()) << small.status();
      const std::string path = TestFolder() + "/small.safetensors";
      ASSERT_EQ(SaveClassifierModel(*small, path), absl::OkStatus());
      EXPECT_LE(ReadBytes(path).size(), bytes);
      EXPECT_GE(ReadBytes(path).size(), bytes / 2);
      const double distance = Distance(model, *small, texts);
      EXPECT_LT(distance, bytes == 30'000 ? 0.05 : 0.02);
      EXPECT_LE(distance, last);
      last = distance;
    }
  }
}

TEST(QuantizeModelTest, WhatSaysMostStays) {
  const ClassifierModel model = LargeModel(true, true);
  const auto small =
      QuantizeModel(model, {}, {.max_bytes = 22'000, .retrain = false}, {});
  ASSERT_TRUE(small.ok()) << small.status();
  const std::vector<std::string>& words = small->features.parts().words;
  EXPECT_LT(words.size(), kWords / 3);
  size_t strong = 0;
  for (size_t i = 0; i < kWords; i += 10) {
    strong += std::count(words.begin(), words.end(), absl::StrCat("word", i));
  }
  // Weak ones stay only where a strong n-gram consists of them.
  EXPECT_GT(strong, kWords / 10 * 3 / 4);
  EXPECT_LE(words.size() - strong, small->features.num_word_ngrams() * 2);
}

TEST(QuantizeModelTest, FittingMakesGoodWhatIsLeftOut) {
  const std::vector<LabelledText> texts = Texts();
  const ClassifierModel model = LargeModel(true, true);
  QuantizeClassifierOptions options = {.max_bytes = 22'000};
  const auto fitted = QuantizeModel(model, texts, options, {});
  options.retrain = false;
  const auto plain = QuantizeModel(model, texts, options, {});
  ASSERT_TRUE(fitted.ok() && plain.ok());
  EXPECT_LT(Distance(model, *fitted, texts), Distance(model, *plain, texts));
}

TEST(KeepFeaturesTest, FullCodebooksTakeNoMore) {
  FeatureParts parts;
  std::vector<uint32_t> ranked;
  for (uint32_t i = 0; i < 1000; ++i) {
    parts.words.push_back(absl::StrCat("w", 100 + i % 900, i / 900));
    ranked.push_back(i);
  }
  const FeatureIndex index = *FeatureIndex::Of(parts);
  // 6 bytes of each word, 256 centroids.
  const uint64_t bytes = 300 * 6 + 256 * uint64_t{100};
  EXPECT_EQ(ChooseRows(index, ranked, {.centroid = 100}, bytes).size(), 300u);
  EXPECT_EQ(ChooseRows(index, ranked, {.centroid = 100}, bytes - 1).size(),
            299u);
}

// Codebooks have as many centroids as there are rows: no room is kept for more.
TEST(QuantizeModelTest, SmallFilesAreFilled) {
  const ClassifierModel model = LargeModel(true, true);
  const std::string path = TestFolder() + "/small.safetensors";
  for (const uint64_t bytes : {5'000, 8'000, 12'000, 20'000}) {
    const auto small = QuantizeModel(model, {}, {.max_bytes = bytes}, {});
    ASSERT_TRUE(small.ok()) << small.status();
    ASSERT_EQ(SaveClassifierModel(*small, path), absl::OkStatus());
    EXPECT_LE(ReadBytes(path).size(), bytes);
    EXPECT_GE(ReadBytes(path).size() + 1200, bytes);
  }
}

TEST(QuantizeModelTest, WhatCannotBeIsRefused) {
  const ClassifierModel model = LargeModel(true, true);
  const auto small = QuantizeModel(model, {}, {.max_bytes = 2000}, {});
  EXPECT_EQ(small.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(small.status().message()),
              HasSubstr("max-size: the "));
  const std::atomic<bool> stop = true;
  Hooks hooks;
  hooks.stop = &stop;
  EXPECT_EQ(
      QuantizeModel(model, {}, {.max_bytes = 50'000}, hooks).status().code(),
      absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace firth
