#include "firth/semantic_axis.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(ParseAxisTest, SidesAreListsOfWords) {
  const auto axis = ParseAxis("man, he:woman,she");
  ASSERT_TRUE(axis.ok()) << axis.status();
  EXPECT_THAT(axis->from, ElementsAre("man", "he"));
  EXPECT_THAT(axis->to, ElementsAre("woman", "she"));
}

TEST(ParseAxisTest, ASideWithoutWordsIsAnErrorThatShowsIt) {
  for (const std::string text : {"man", "man:", ":woman", "", ":", ",:a"}) {
    const auto axis = ParseAxis(text);
    ASSERT_FALSE(axis.ok()) << text;
    EXPECT_THAT(std::string(axis.status().message()),
                HasSubstr("found \"" + text + "\""));
  }
}

// The unit vectors are (1, 0) and (0.6, 0.8) at one side, (0, 1) at the other:
// their means differ by (-0.8, 0.6), which is 1 long.
TEST(MakeAxisTest, IsTheDifferenceOfTheMeansOfUnitVectors) {
  const WordVectors vectors = MakeVectors(
      {{"a", {5, 0}}, {"b", {3, 4}}, {"c", {0, 2}}, {"d", {-8, 6}}});
  const auto axis = MakeAxis(vectors, {{"a", "b"}, {"c"}}, UnknownWords::kSkip);
  ASSERT_TRUE(axis.ok()) << axis.status();
  EXPECT_THAT(axis->direction,
              ElementsAre(FloatNear(-0.8f, 1e-6f), FloatNear(0.6f, 1e-6f)));
  EXPECT_NEAR(Similarity(axis->direction, vectors.Vector(ToWordId(3))), 1,
              1e-6);
}

TEST(MakeAxisTest, WordsWithoutAVectorAreNamed) {
  const WordVectors vectors =
      MakeVectors({{"man", {1, 0}}, {"woman", {0, 1}}, {"none", {0, 0}}});
  const auto axis = MakeAxis(vectors, {{"man", "guy"}, {"Woman", "none"}},
                             UnknownWords::kSkip);
  ASSERT_TRUE(axis.ok()) << axis.status();
  EXPECT_THAT(axis->from.unknown, ElementsAre("guy"));
  EXPECT_THAT(axis->to.words, ElementsAre("woman"));
  EXPECT_THAT(axis->to.unknown, ElementsAre("none"));
  const auto empty =
      MakeAxis(vectors, {{"man"}, {"lass", "gal"}}, UnknownWords::kSkip);
  EXPECT_EQ(empty.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(empty.status().message()),
              HasSubstr("no vector for \"lass, gal\""));
  EXPECT_EQ(MakeAxis(vectors, {{"man", "guy"}, {"woman"}}, UnknownWords::kError)
                .status()
                .code(),
            absl::StatusCode::kNotFound);
}

TEST(MakeAxisTest, SidesInOnePlaceHaveNoAxis) {
  const WordVectors vectors = MakeVectors({{"a", {1, 0}}, {"b", {2, 0}}});
  EXPECT_THAT(
      std::string(MakeAxis(vectors, {{"a"}, {"b"}}, UnknownWords::kSkip)
                      .status()
                      .message()),
      HasSubstr(
          "different vectors on its two sides, but those of \"a\" and \"b\""));
}

TEST(FindWordsTest, CapitalsAreFoldedOnlyWhereTheVocabularyHasNone) {
  const auto lower = FindWords(MakeVectors({{"nasa", {1}}, {"us", {1}}}),
                               {"NASA", "us"}, UnknownWords::kSkip);
  ASSERT_TRUE(lower.ok());
  EXPECT_THAT(lower->words, ElementsAre("nasa", "us"));
  const auto mixed = FindWords(MakeVectors({{"nasa", {1}}, {"US", {1}}}),
                               {"NASA", "US"}, UnknownWords::kSkip);
  ASSERT_TRUE(mixed.ok());
  EXPECT_THAT(mixed->words, ElementsAre("US"));
  EXPECT_THAT(mixed->unknown, ElementsAre("NASA"));
}

TEST(FindWordsTest, AVectorThatIsNotFiniteIsNone) {
  const float infinite = std::numeric_limits<float>::infinity();
  const auto found = FindWords(MakeVectors({{"a", {infinite, 1}}}), {"a"},
                               UnknownWords::kSkip);
  ASSERT_TRUE(found.ok());
  EXPECT_THAT(found->words, IsEmpty());
  EXPECT_THAT(found->unknown, ElementsAre("a"));
}

}  // namespace
}  // namespace firth
