#include "firth/text_similarity.h"

#include <cmath>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/reference.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

using testing::HasSubstr;

// Directions in the plane, of different lengths.
WordVectors Plane() {
  return MakeVectors({{"east", {3, 0}},
                      {"north", {0, 2}},
                      {"west", {-1, 0}},
                      {"northeast", {5, 5}},
                      {"zero", {0, 0}}});
}

absl::StatusOr<double> Compare(const WordVectors& vectors,
                               const TextSimilarityOptions& options,
                               const std::string& a, const std::string& b) {
  auto comparer = TextComparer::Create(vectors, options);
  if (!comparer.ok()) return comparer.status();
  const std::vector<absl::string_view> words_a =
      absl::StrSplit(a, ' ', absl::SkipEmpty());
  const std::vector<absl::string_view> words_b =
      absl::StrSplit(b, ' ', absl::SkipEmpty());
  return comparer->Compare(words_a, words_b);
}

double Value(TextMeasure measure, const std::string& a, const std::string& b) {
  return Compare(Plane(), {.measure = measure}, a, b).value_or(NAN);
}

TEST(TextSimilarityTest, MeanIsTheCosineOfTheMeans) {
  // (3, 2) with (5, 5).
  EXPECT_NEAR(Value(TextMeasure::kMean, "east north", "northeast"),
              5 / std::sqrt(26.0), 1e-6);
  // east, twice, and north: (6, 2) with (3, 0).
  EXPECT_NEAR(Value(TextMeasure::kMean, "east east north", "east"),
              3 / std::sqrt(10.0), 1e-6);
}

TEST(TextSimilarityTest, WordMoversMoveSharesOfTheText) {
  const double right_angle = std::sqrt(2.0);
  const double half_angle = std::sqrt(2 - std::sqrt(2.0));
  const auto wmd = [](const std::string& a, const std::string& b) {
    return Value(TextMeasure::kWordMovers, a, b);
  };
  EXPECT_EQ(wmd("east north", "north east"), 0);
  EXPECT_EQ(wmd("east", "east east"), 0) << "shares, not counts";
  EXPECT_NEAR(wmd("east", "west"), 2, 1e-6);
  EXPECT_NEAR(wmd("east", "east north"), right_angle / 2, 1e-6);
  EXPECT_NEAR(wmd("east north", "northeast"), half_angle, 1e-6);
  // One third stays; east goes to northeast and north to west, which is less
  // than east to west and north to northeast.
  EXPECT_NEAR(wmd("east east north", "east west northeast"),
              (half_angle + right_angle) / 3, 1e-6);
  EXPECT_NEAR(wmd("east unknown zero", "west other"), 2, 1e-6)
      << "words without a direction are left out";
}

TEST(TextSimilarityTest, RelaxedIsTheGreaterOfBothDirections) {
  const auto relaxed = [](const std::string& a, const std::string& b) {
    return Value(TextMeasure::kRelaxedWordMovers, a, b);
  };
  // All of the first text is in the second, but not the other way.
  EXPECT_NEAR(relaxed("east", "east north"), std::sqrt(2.0) / 2, 1e-6);
  EXPECT_EQ(relaxed("east", "east north"), relaxed("east north", "east"));
}

TEST(TextSimilarityTest, RelaxedIsALowerBound) {
  const WordVectors vectors = RandomVectors(40, 6, 12);
  Rng rng(3);
  for (int trial = 0; trial < 50; ++trial) {
    std::string a, b;
    for (uint32_t i = 0; i < 3 + rng.Below(20); ++i) {
      a += "w" + std::to_string(rng.Below(40)) + " ";
    }
    for (uint32_t i = 0; i < 3 + rng.Below(20); ++i) {
      b += "w" + std::to_string(rng.Below(40)) + " ";
    }
    const auto exact =
        Compare(vectors, {.measure = TextMeasure::kWordMovers}, a, b);
    const auto back =
        Compare(vectors, {.measure = TextMeasure::kWordMovers}, b, a);
    const auto relaxed =
        Compare(vectors, {.measure = TextMeasure::kRelaxedWordMovers}, a, b);
    ASSERT_TRUE(exact.ok() && back.ok() && relaxed.ok());
    EXPECT_NEAR(*exact, *back, 1e-9);
    EXPECT_LE(*relaxed, *exact + 1e-9);
    EXPECT_GT(*relaxed, 0);
  }
}

TEST(TextSimilarityTest, SoftCosineIsTheFormula) {
  const WordVectors vectors = Plane();
  // east (1), northeast (1) against north (2): s = cos(45)^p for the second.
  const auto soft = [&](double exponent, double threshold) {
    return Compare(vectors,
                   {.measure = TextMeasure::kSoftCosine,
                    .exponent = exponent,
                    .threshold = threshold},
                   "east northeast", "north north")
        .value_or(NAN);
  };
  for (const double exponent : {1.0, 2.0, 3.0}) {
    const double s = std::pow(std::sqrt(0.5), exponent);
    EXPECT_NEAR(soft(exponent, 0), 2 * s / std::sqrt((2 + 2 * s) * 4), 1e-6);
  }
  EXPECT_EQ(soft(2, 0.8), 0);
  EXPECT_NEAR(Value(TextMeasure::kSoftCosine, "east west", "east west"), 1,
              1e-12);
}

TEST(TextSimilarityTest, FoldsWords) {
  TextSimilarityOptions options;
  options.lowercase = true;
  EXPECT_EQ(Compare(Plane(), options, "EAST", "east").value_or(NAN), 0);
}

TEST(TextSimilarityTest, SaysWhatCannotBeCompared) {
  const auto unknown = Compare(Plane(), {}, "east", "nowhere zero");
  EXPECT_TRUE(absl::IsNotFound(unknown.status()));
  EXPECT_THAT(unknown.status().message(), HasSubstr("second text"));
  EXPECT_TRUE(absl::IsNotFound(Compare(Plane(), {}, "", "east").status()));
  TextSimilarityOptions options;
  options.measure = TextMeasure::kSoftCosine;
  options.exponent = -1;
  EXPECT_TRUE(absl::IsInvalidArgument(
      Compare(Plane(), options, "east", "east").status()));
}

}  // namespace
}  // namespace firth
