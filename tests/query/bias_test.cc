#include "firth/bias.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/reference.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

WeatResult Measured(const WordVectors& vectors, const WeatTest& test,
                    const WeatOptions& options = {}) {
  const auto result = MeasureWeat(vectors, test, options);
  EXPECT_TRUE(result.ok()) << result.status();
  return result.value_or(WeatResult());
}

std::string ErrorOf(const WordVectors& vectors, const WeatTest& test) {
  return std::string(MeasureWeat(vectors, test, {}).status().message());
}

// With A = (1, 0) and B = (0, 1), s(w) is the difference of the coordinates of
// the unit vector: 1 and 0.2 for X, -1 and -0.2 for Y.
WordVectors ByHand() {
  return MakeVectors({{"x1", {2, 0}},
                      {"x2", {4, 3}},
                      {"y1", {0, 7}},
                      {"y2", {3, 4}},
                      {"a", {1, 0}},
                      {"b", {0, 3}}});
}
WeatTest TestByHand() {
  return {
      "", {"X", {"x1", "x2"}}, {"Y", {"y1", "y2"}}, {"A", {"a"}}, {"B", {"b"}}};
}

TEST(MeasureWeatTest, EffectAndPAreThoseByHand) {
  const WeatResult result = Measured(ByHand(), TestByHand());
  ASSERT_EQ(result.x.size(), 2);
  EXPECT_NEAR(result.x[0].score, 1, 1e-6);
  EXPECT_NEAR(result.x[1].score, 0.2, 1e-6);
  EXPECT_NEAR(result.y[0].score, -1, 1e-6);
  EXPECT_NEAR(result.y[1].score, -0.2, 1e-6);
  EXPECT_NEAR(result.effect, 1.2 / std::sqrt(2.08 / 3), 1e-6);
  EXPECT_TRUE(result.exact);
  EXPECT_EQ(result.permutations, 6);
  EXPECT_DOUBLE_EQ(result.p, 1.0 / 6);
}

TEST(MeasureWeatTest, WhatIsTheOtherWayRoundHasTheOtherSign) {
  WeatTest test = TestByHand();
  std::swap(test.x, test.y);
  const WeatResult result = Measured(ByHand(), test);
  EXPECT_NEAR(result.effect, -1.2 / std::sqrt(2.08 / 3), 1e-6);
  EXPECT_DOUBLE_EQ(result.p, 1);
}

struct RandomTest {
  WordVectors vectors = RandomVectors(15, 6, 4);
  WeatTest test = {"",
                   {"X", {"w0", "w1", "w2", "w3", "w4"}},
                   {"Y", {"w5", "w6", "w7", "w8"}},
                   {"A", {"w9", "w10", "w11"}},
                   {"B", {"w12", "w13", "w14"}}};

  double Score(size_t word) const {
    const auto cosine = [&](size_t other) {
      const auto a = vectors.Vector(ToWordId(word));
      const auto b = vectors.Vector(ToWordId(other));
      return reference::Dot(a, b) /
             std::sqrt(reference::Dot(a, a) * reference::Dot(b, b));
    };
    return (cosine(9) + cosine(10) + cosine(11)) / 3 -
           (cosine(12) + cosine(13) + cosine(14)) / 3;
  }

  // Of the words of X and Y whose bits are set, against the others.
  double DifferenceOfMeans(uint32_t chosen) const {
    double sums[2] = {0, 0};
    for (size_t word = 0; word < 9; ++word) {
      sums[(chosen >> word) & 1] += Score(word);
    }
    return sums[1] / 5 - sums[0] / 4;
  }

  double PByEnumeration() const {
    double as_great = 0, all = 0;
    for (uint32_t chosen = 0; chosen < (1u << 9); ++chosen) {
      if (std::popcount(chosen) != 5) continue;
      as_great += DifferenceOfMeans(chosen) >= DifferenceOfMeans(31) - 1e-12;
      ++all;
    }
    return as_great / all;
  }
};

TEST(MeasureWeatTest, GroupsOfOtherSizesAgreeWithAnEnumeration) {
  const RandomTest random;
  double mean = 0, squares = 0;
  for (size_t word = 0; word < 9; ++word) mean += random.Score(word) / 9;
  for (size_t word = 0; word < 9; ++word) {
    squares += std::pow(random.Score(word) - mean, 2);
  }
  const WeatResult result = Measured(random.vectors, random.test);
  EXPECT_NEAR(result.effect,
              random.DifferenceOfMeans(31) / std::sqrt(squares / 8), 1e-5);
  EXPECT_TRUE(result.exact);
  EXPECT_EQ(result.permutations, 126);
  EXPECT_DOUBLE_EQ(result.p, random.PByEnumeration());
}

TEST(MeasureWeatTest, RandomDivisionsComeNearTheExactP) {
  const RandomTest random;
  const double exact = random.PByEnumeration();
  double mean = 0;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    const WeatResult result = Measured(random.vectors, random.test,
                                       {.permutations = 125, .seed = seed});
    EXPECT_FALSE(result.exact);
    mean += result.p / 200;
  }
  // The one that was found counts once more; five standard errors.
  EXPECT_NEAR(mean, (1 + 125 * exact) / 126,
              5 * std::sqrt(exact * (1 - exact) / 125 / 200));
}

TEST(MeasureWeatTest, OneSeedGivesOneP) {
  const RandomTest random;
  const auto p = [&](uint64_t seed) {
    return Measured(random.vectors, random.test,
                    {.permutations = 50, .seed = seed})
        .p;
  };
  EXPECT_EQ(p(3), p(3));
  bool differs = false;
  for (uint64_t seed = 4; seed < 14; ++seed) differs |= p(seed) != p(3);
  EXPECT_TRUE(differs);
}

TEST(MeasureWeatTest, UnknownWordsAreNamedOnceAndDoublesCountOnce) {
  WeatTest test = TestByHand();
  test.x.words = {"x1", "nobody", "x2", "x1", "X2"};
  test.a.words = {"a", "nobody"};
  const WeatResult result = Measured(ByHand(), test);
  EXPECT_THAT(result.unknown, ElementsAre("nobody"));
  EXPECT_EQ(result.x.size(), 2);
  EXPECT_EQ(result.num_a, 1);
}

TEST(MeasureWeatTest, TargetsThatDoNotDifferHaveNoEffect) {
  WeatTest test = TestByHand();
  test.x.words = {"x1"};
  test.y.words = {"a"};
  const WeatResult result = Measured(ByHand(), test);
  EXPECT_TRUE(std::isnan(result.effect));
  EXPECT_EQ(result.p, 1);
}

TEST(MeasureWeatTest, AGroupWithoutVectorsIsAnErrorThatNamesIt) {
  WeatTest test = TestByHand();
  test.b = {"Unpleasant", {"agony", "evil"}};
  EXPECT_THAT(ErrorOf(ByHand(), test),
              HasSubstr("\"Unpleasant\": no word of this group has a vector: "
                        "\"agony, evil\""));
}

TEST(MeasureWeatTest, AWordOfBothGroupsIsAnErrorThatNamesIt) {
  WeatTest test = TestByHand();
  test.y = {"Y", {"y1", "x2"}};
  EXPECT_THAT(ErrorOf(ByHand(), test), HasSubstr("\"x2\" is in both"));
  test = TestByHand();
  test.b.words = test.a.words;
  EXPECT_THAT(ErrorOf(ByHand(), test), HasSubstr("must not share words"));
}

TEST(ParseWeatTestsTest, ReadsTestsAndSkipsComments) {
  const auto tests = ParseWeatTests(
      "# ours\n: One\nX: a, b c ,\r\nY 2: d\n\nA: e\nB: f\n: Two\nX: a\nY: "
      "b\nA: c\nB: d",
      "lists");
  ASSERT_TRUE(tests.ok()) << tests.status();
  ASSERT_EQ(tests->size(), 2);
  EXPECT_EQ((*tests)[0].name, "One");
  EXPECT_THAT((*tests)[0].x.words, ElementsAre("a", "b c"));
  EXPECT_EQ((*tests)[0].y.name, "Y 2");
  EXPECT_THAT((*tests)[1].b.words, ElementsAre("d"));
}

TEST(ParseWeatTestsTest, ErrorsNameTheLine) {
  struct Case {
    const char* text;
    const char* message;
  };
  const Case cases[] = {
      {"", "lists: the file contains no tests"},
      {"X: a\n", "lists:1: expected a line \": NAME\", which begins a test"},
      {": t\nX: a\nY: b\nA: c\n", "lists:4: expected two groups of targets"},
      {": t\nX: a\nY:\nA: c\nB: d\n", "found a group without words: \"Y:\""},
      {": t\nX: a\nno colon\nA: c\nB: d\n",
       "lists:3: expected a line \"GROUP: WORD, WORD, ...\""},
      {": t\nX: a\n: u\nA: c\nB: d\n", "found a line without a group: \": u\""},
      {": t\nX: a\nY: b\nA: c\nB: d\nC: e\n",
       "lists:6: expected a line \": NAME\""},
  };
  for (const Case& one : cases) {
    const auto tests = ParseWeatTests(one.text, "lists");
    ASSERT_FALSE(tests.ok()) << one.text;
    EXPECT_THAT(std::string(tests.status().message()), HasSubstr(one.message));
  }
}

}  // namespace
}  // namespace firth
