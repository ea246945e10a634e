#include "query/unit_rows.h"

#include <limits>
#include <string>

#include "firth/evaluate.h"
#include "firth/query.h"
#include "gtest/gtest.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

constexpr float kHuge = std::numeric_limits<float>::max();
constexpr float kTiny = std::numeric_limits<float>::denorm_min();

// Directions of which "plain", "huge" and "tiny" share the first.
WordVectors Extremes() {
  return MakeVectors({{"plain", {3, 3, 3, 3}},
                      {"huge", {kHuge, kHuge, kHuge, kHuge}},
                      {"tiny", {kTiny, kTiny, kTiny, kTiny}},
                      {"other", {1, 1, -1, -1}},
                      {"zero", {0, 0, 0, 0}}});
}

TEST(NormalRowsTest, OrdinaryVectorsAreNotCopied) {
  const WordVectors vectors = MakeVectors({{"a", {1, 2}}, {"zero", {0, 0}}});
  EXPECT_EQ(WithNormalRows(vectors).table().data(), vectors.table().data());
}

TEST(NormalRowsTest, SimilarityOfHugeAndTinyValuesIsThatOfTheirDirections) {
  const WordVectors vectors = Extremes();
  for (const uint32_t word : {0, 1, 2}) {
    SCOPED_TRACE(word);
    for (const uint32_t same : {0, 1, 2}) {
      EXPECT_FLOAT_EQ(Similarity(vectors, ToWordId(word), ToWordId(same)), 1);
    }
    EXPECT_NEAR(Similarity(vectors, ToWordId(word), ToWordId(3)), 0, 1e-6);
    EXPECT_EQ(Similarity(vectors, ToWordId(word), ToWordId(4)), 0);
  }
}

TEST(NormalRowsTest, NeighborsOfHugeAndTinyValuesAreThoseOfTheirDirections) {
  for (const SearchOptions& search :
       {SearchOptions(ExactSearch()), SearchOptions(Int8Search())}) {
    const auto neighbors = NearestNeighbors::Create(Extremes(), search);
    ASSERT_TRUE(neighbors.ok()) << neighbors.status();
    for (const uint32_t word : {0, 1, 2}) {
      SCOPED_TRACE(word);
      const auto found = neighbors->FindWord(ToWordId(word), 4);
      ASSERT_EQ(found.size(), 4u);
      EXPECT_FLOAT_EQ(found[0].score, 1);
      EXPECT_FLOAT_EQ(found[1].score, 1);
      EXPECT_NEAR(found[2].score, 0, 1e-6);
      EXPECT_EQ(Index(found[3].word) + Index(found[2].word), 7u);
    }
  }
}

TEST(NormalRowsTest, AnalogiesOfHugeValuesAreAnswered) {
  const WordVectors vectors = MakeVectors({{"king", {kHuge, kHuge, 0}},
                                           {"queen", {kHuge, 0, kHuge}},
                                           {"man", {0, kTiny, 0}},
                                           {"woman", {0, 0, kTiny}},
                                           {"zero", {0, 0, 0}}});
  const TestFile questions(": one\nman woman king queen\n");
  for (const AnalogyMethod method :
       {AnalogyMethod::kAdd, AnalogyMethod::kMul}) {
    EvaluateOptions options;
    options.method = method;
    const auto result = EvaluateAnalogies(vectors, questions.path(), options);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(result->correct, 1u);
  }
}

}  // namespace
}  // namespace firth
