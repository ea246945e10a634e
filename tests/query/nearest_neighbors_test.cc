#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>
#include <utility>
#include <vector>

#include "firth/query.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/reference.h"
#include "support/threads.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> Words(const WordVectors& vectors,
                               const std::vector<Neighbor>& neighbors) {
  std::vector<std::string> words;
  words.reserve(neighbors.size());
  for (const Neighbor& neighbor : neighbors) {
    words.emplace_back(vectors.vocabulary().Word(neighbor.word));
  }
  return words;
}

std::vector<WordId> Ids(const std::vector<Neighbor>& neighbors) {
  std::vector<WordId> ids;
  ids.reserve(neighbors.size());
  for (const Neighbor& neighbor : neighbors) ids.push_back(neighbor.word);
  return ids;
}

// Four directions in the plane, of different lengths, and a zero vector.
WordVectors Compass() {
  return MakeVectors({{"east", {2, 0}},
                      {"north", {0, 5}},
                      {"northeast", {0.1f, 0.1f}},
                      {"west", {-3, 0}},
                      {"nowhere", {0, 0}},
                      {"eastward", {7, 0}}});
}

TEST(NearestNeighborsTest, RanksByCosineWhateverTheLengths) {
  const NearestNeighbors neighbors(Compass());
  const auto found = neighbors.FindWord(ToWordId(0), 10);
  EXPECT_THAT(Words(neighbors.vectors(), found),
              ElementsAre("eastward", "northeast", "north", "nowhere", "west"));
  EXPECT_FLOAT_EQ(found[0].score, 1);
  EXPECT_FLOAT_EQ(found[1].score, 0.70710678f);
  EXPECT_FLOAT_EQ(found[2].score, 0);
  EXPECT_FLOAT_EQ(found[4].score, -1);
}

TEST(NearestNeighborsTest, TiesGoToTheSmallerId) {
  const NearestNeighbors neighbors(Compass());
  const std::vector<float> query = {1, 0};
  EXPECT_THAT(Words(neighbors.vectors(), neighbors.Find(query, 2)),
              ElementsAre("east", "eastward"));
  EXPECT_THAT(Words(neighbors.vectors(), neighbors.Find(query, 1)),
              ElementsAre("east"));
}

// Whatever the way to ask: alone, in a small or a large batch, as a sum.
TEST(NearestNeighborsTest, ZerosHaveNoDirectionAndNoNeighbors) {
  const NearestNeighbors neighbors(Compass());
  const WordId nowhere = *neighbors.vectors().vocabulary().Find("nowhere");
  const std::vector<float> zeros = {0, 0}, east = {1, 0};
  EXPECT_THAT(neighbors.Find(zeros, 3), IsEmpty());
  EXPECT_THAT(neighbors.FindWord(nowhere, 3), IsEmpty());
  for (const size_t count : {1, 2, 40}) {
    std::vector<WordId> words(count, nowhere);
    words.push_back(ToWordId(0));
    const auto found = neighbors.FindWords(words, 3);
    for (size_t i = 0; i < count; ++i) EXPECT_THAT(found[i], IsEmpty());
    EXPECT_EQ(found[count].size(), 3u);
  }
  for (const AnalogyMethod method :
       {AnalogyMethod::kAdd, AnalogyMethod::kMul}) {
    EXPECT_THAT(neighbors.FindSum({{{zeros}, {zeros, -1}}, {}}, 3, method),
                IsEmpty());
    EXPECT_EQ(neighbors.FindSum({{{zeros}, {east}}, {}}, 3, method).size(), 3u);
  }
  EXPECT_THAT(
      neighbors.FindSum({{{east}, {east, -1}}, {}}, 3, AnalogyMethod::kAdd),
      IsEmpty());
}

TEST(NearestNeighborsTest, ExcludedWordsAreLeftOut) {
  const NearestNeighbors neighbors(Compass());
  const std::vector<WordId> exclude = {ToWordId(5), ToWordId(0), ToWordId(5)};
  EXPECT_THAT(Words(neighbors.vectors(),
                    neighbors.Find(std::vector<float>{1, 0}, 2, exclude)),
              ElementsAre("northeast", "north"));
}

TEST(NearestNeighborsTest, TopMayBeZeroOrBeyondTheVocabulary) {
  const NearestNeighbors neighbors(Compass());
  const std::vector<float> query = {1, 1};
  EXPECT_THAT(neighbors.Find(query, 0), IsEmpty());
  EXPECT_EQ(neighbors.Find(query, std::numeric_limits<size_t>::max()).size(),
            6u);
}

TEST(NearestNeighborsTest, RestrictLimitsAnswersButNotQuestions) {
  const NearestNeighbors neighbors(Compass(), 3);
  EXPECT_THAT(Words(neighbors.vectors(), neighbors.FindWord(ToWordId(5), 10)),
              ElementsAre("east", "northeast", "north"));
}

TEST(NearestNeighborsTest, RestrictBeyondTheVocabularyIsAll) {
  EXPECT_EQ(NearestNeighbors(Compass(), 100).FindWord(ToWordId(0), 10).size(),
            5u);
}

TEST(NearestNeighborsTest, RowsThatAreNotFiniteHaveCosineZero) {
  const float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float largest = std::numeric_limits<float>::max();
  const NearestNeighbors neighbors(
      MakeVectors({{"nan", {nan, 1}},
                   {"infinite", {infinity, 1}},
                   {"overflow", {largest, largest}},
                   {"tiny", {1e-43f, 0}},
                   {"east", {1e-30f, 0}},
                   {"far", {1e38f, 0.5e38f}}}));
  const auto found = neighbors.Find(std::vector<float>{1, 0}, 10);
  EXPECT_THAT(
      Words(neighbors.vectors(), found),
      ElementsAre("tiny", "east", "far", "overflow", "nan", "infinite"));
  EXPECT_FLOAT_EQ(found[0].score, 1);
  EXPECT_FLOAT_EQ(found[1].score, 1);
  EXPECT_FLOAT_EQ(found[2].score, 0.89442719f);
  EXPECT_FLOAT_EQ(found[3].score, 0.70710678f);
  for (size_t i = 4; i < found.size(); ++i) EXPECT_EQ(found[i].score, 0);
}

TEST(NearestNeighborsTest, EqualsPlainSearchOnRandomVectors) {
  for (const size_t dim : {1, 3, 16, 50, 67}) {
    const WordVectors vectors = RandomVectors(700, dim, dim);
    const NearestNeighbors neighbors(vectors);
    const std::vector<float> query = RandomFloats(dim, 99);
    const auto found = neighbors.Find(query, 20);
    std::vector<std::pair<double, size_t>> expected;
    for (size_t i = 0; i < vectors.size(); ++i) {
      expected.emplace_back(
          -reference::Cosine(query, vectors.Vector(ToWordId(i))), i);
    }
    std::sort(expected.begin(), expected.end());
    ASSERT_EQ(found.size(), 20u);
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_NEAR(found[i].score, -expected[i].first, 1e-6) << "dim " << dim;
      EXPECT_NEAR(reference::Cosine(query, vectors.Vector(found[i].word)),
                  -expected[i].first, 1e-6);
    }
  }
}

TEST(NearestNeighborsTest, AnswersDoNotDependOnTheNumberOfThreads) {
  // 20 different vectors among 5,000 words: every answer has many ties.
  const size_t dim = 30, copies = 250;
  std::vector<float> rows;
  std::vector<std::string> words;
  const std::vector<float> pattern = RandomFloats(20 * dim, 7);
  for (size_t i = 0; i < copies; ++i) {
    rows.insert(rows.end(), pattern.begin(), pattern.end());
    for (size_t j = 0; j < 20; ++j) words.push_back(absl::StrCat(i, "-", j));
  }
  const NearestNeighbors neighbors(MakeVectors(words, rows, dim, dim));
  std::vector<std::vector<Neighbor>> answers;
  for (const int threads : {1, 2, 3, 7}) {
    const ScopedThreads scoped(threads);
    answers.push_back(neighbors.FindWord(ToWordId(3), 300));
  }
  EXPECT_EQ(Index(answers[0][0].word), 23u);
  for (const auto& answer : answers) {
    ASSERT_EQ(Ids(answer), Ids(answers[0]));
    for (size_t i = 0; i < answer.size(); ++i) {
      EXPECT_EQ(answer[i].score, answers[0][i].score);
    }
  }
}

TEST(NearestNeighborsTest, MayBeAskedBySeveralThreadsAtOnce) {
  const NearestNeighbors neighbors(RandomVectors(2'000, 64, 5));
  const auto expected = Ids(neighbors.FindWord(ToWordId(1), 10));
  std::vector<std::vector<WordId>> answers(4);
  std::vector<std::thread> threads;
  threads.reserve(answers.size());
  for (auto& answer : answers) {
    threads.emplace_back(
        [&] { answer = Ids(neighbors.FindWord(ToWordId(1), 10)); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& answer : answers) EXPECT_EQ(answer, expected);
}

TEST(NearestNeighborsTest, ManyQueriesOfManyAnswersAreAnsweredAsSingleOnes) {
  // So many answers that the queries no longer make one batch.
  const WordVectors vectors = RandomVectors(30'000, 4, 9);
  const NearestNeighbors neighbors(vectors);
  std::vector<WordId> words;
  for (size_t i = 0; i < 50; ++i) words.push_back(ToWordId(7 * i));
  const auto found = neighbors.FindWords(words, 30'000);
  ASSERT_EQ(found.size(), words.size());
  for (const size_t i : {size_t{0}, size_t{15}, size_t{33}, size_t{49}}) {
    EXPECT_EQ(found[i].size(), 29'999u);
    EXPECT_EQ(Ids(found[i]), Ids(neighbors.FindWord(words[i], 30'000)));
  }
}

TEST(NearestNeighborsTest, MayBeMoved) {
  NearestNeighbors first(Compass());
  NearestNeighbors second(std::move(first));
  first = std::move(second);
  EXPECT_EQ(first.FindWord(ToWordId(0), 1).size(), 1u);
}

// Gender and royalty as axes.
WordVectors Royals() {
  return MakeVectors({{"man", {1, 0, 0.1f}},
                      {"woman", {-1, 0, 0.1f}},
                      {"king", {1, 1, 0.1f}},
                      {"queen", {-1, 1, 0.1f}},
                      {"apple", {0, 0, 1}}});
}

TEST(SolveAnalogyTest, ManIsToKingAsWomanIsToQueen) {
  const NearestNeighbors neighbors(Royals());
  for (const auto method : {AnalogyMethod::kAdd, AnalogyMethod::kMul}) {
    const auto found = neighbors.SolveAnalogy(ToWordId(0), ToWordId(2),
                                              ToWordId(1), 5, method);
    EXPECT_THAT(Words(neighbors.vectors(), found),
                ElementsAre("queen", "apple"))
        << "a, b and c are left out";
  }
}

TEST(SolveAnalogyTest, EqualsTheFormulasOnRandomVectors) {
  const WordVectors vectors = RandomVectors(500, 20, 11);
  const NearestNeighbors neighbors(vectors);
  const WordId a = ToWordId(17), b = ToWordId(3), c = ToWordId(400);
  const auto cosine = [&](WordId x, WordId y) {
    return reference::Cosine(vectors.Vector(x), vectors.Vector(y));
  };
  // |unit(b) - unit(a) + unit(c)|
  const double length =
      std::sqrt(3 - 2 * cosine(a, b) + 2 * cosine(b, c) - 2 * cosine(a, c));
  const auto add = [&](WordId x) {
    return (cosine(x, b) - cosine(x, a) + cosine(x, c)) / length;
  };
  const auto mul = [&](WordId x) {
    return (1 + cosine(x, b)) / 2 * (1 + cosine(x, c)) / 2 /
           ((1 + cosine(x, a)) / 2 + 0.001);
  };
  const auto check = [&](AnalogyMethod method, const auto& formula) {
    const auto found = neighbors.SolveAnalogy(a, b, c, 500, method);
    ASSERT_EQ(found.size(), 497u);
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_NEAR(found[i].score, formula(found[i].word), 1e-4);
      EXPECT_LE(found[i].score, found[i == 0 ? 0 : i - 1].score);
    }
  };
  check(AnalogyMethod::kAdd, add);
  check(AnalogyMethod::kMul, mul);
}

TEST(SolveAnalogyTest, RestrictAllowsQuestionsAboutRarerWords) {
  const NearestNeighbors neighbors(Royals(), 2);
  const auto found = neighbors.SolveAnalogy(
      ToWordId(2), ToWordId(0), ToWordId(3), 5, AnalogyMethod::kMul);
  EXPECT_THAT(Words(neighbors.vectors(), found), ElementsAre("woman"));
}

TEST(FindSumTest, EqualsTheFormulasForAnyTermsAndWeights) {
  const WordVectors vectors = RandomVectors(300, 16, 4);
  const NearestNeighbors neighbors(vectors);
  const std::vector<std::pair<size_t, float>> weighted = {
      {3, 2.0f}, {9, -0.5f}, {20, 1.0f}, {31, -1.0f}};
  std::vector<QueryTerm> terms;
  for (const auto& [id, weight] : weighted) {
    terms.push_back({vectors.Vector(ToWordId(id)), weight});
  }
  std::vector<double> sum(16);
  for (const auto& [vector, weight] : terms) {
    const double norm = std::sqrt(reference::Dot(vector, vector));
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += weight * vector[i] / norm;
  }
  const std::vector<float> floats(sum.begin(), sum.end());
  const auto add = [&](WordId x) {
    return reference::Cosine(vectors.Vector(x), floats);
  };
  const auto mul = [&](WordId x) {
    double score = 1;
    for (const auto& [vector, weight] : terms) {
      const double shifted =
          (1 + reference::Cosine(vectors.Vector(x), vector)) / 2;
      score *= std::pow(weight < 0 ? shifted + 0.001 : shifted, weight);
    }
    return score;
  };
  const auto check = [&](AnalogyMethod method, const auto& formula) {
    const auto found =
        neighbors.FindSum({terms, {ToWordId(3), ToWordId(7)}}, 300, method);
    ASSERT_EQ(found.size(), 298u);
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_NEAR(found[i].score, formula(found[i].word), 1e-4);
      EXPECT_LE(found[i].score, found[i == 0 ? 0 : i - 1].score);
    }
  };
  check(AnalogyMethod::kAdd, add);
  check(AnalogyMethod::kMul, mul);
}

TEST(CosinesTest, AreThoseOfAllWords) {
  const WordVectors vectors = RandomVectors(1000, 24, 8);
  const std::vector<float> query = RandomFloats(24, 9);
  const std::vector<float> cosines = NearestNeighbors(vectors).Cosines(query);
  ASSERT_EQ(cosines.size(), 1000u);
  for (size_t i = 0; i < cosines.size(); ++i) {
    EXPECT_NEAR(cosines[i],
                reference::Cosine(vectors.Vector(ToWordId(i)), query), 1e-5);
  }
  EXPECT_EQ(NearestNeighbors(vectors, 10).Cosines(query).size(), 10u);
}

TEST(RankTest, IsThePlaceAmongTheNeighbors) {
  const WordVectors vectors = RandomVectors(400, 8, 21);
  const NearestNeighbors neighbors(vectors);
  const WordId word = ToWordId(5);
  const auto all = neighbors.FindWord(word, 400);
  for (const size_t place : {0u, 1u, 57u, 398u}) {
    EXPECT_EQ(neighbors.Rank(word, all[place].word), place + 1);
    const auto closer =
        neighbors.FindCloser(vectors.Vector(word), all[place].score, {word});
    EXPECT_EQ(Ids(closer), Ids({all.begin(), all.begin() + place}));
  }
}

TEST(RankTest, EqualsShareTheBetterPlace) {
  const NearestNeighbors neighbors(Compass());
  EXPECT_EQ(neighbors.Rank(ToWordId(1), ToWordId(2)), 1u);
  // east, west, nowhere and eastward are all at a right angle to north.
  EXPECT_EQ(neighbors.Rank(ToWordId(1), ToWordId(3)), 2u);
  EXPECT_EQ(neighbors.Rank(ToWordId(1), ToWordId(5)), 2u);
}

TEST(SimilarityMatrixTest, HasTheCosineOfEachPair) {
  const std::vector<float> a = {1, 0}, b = {3, 3}, zero = {0, 0};
  const float half = std::sqrt(0.5f);
  EXPECT_THAT(
      SimilarityMatrix({a, b, zero}),
      testing::Pointwise(testing::FloatEq(), {1.0f, half, 0.0f, half, 1.0f,
                                              0.0f, 0.0f, 0.0f, 0.0f}));
  EXPECT_THAT(SimilarityMatrix({}), IsEmpty());
}

TEST(CentralityTest, IsTheCosineWithTheMeanOfUnitVectors) {
  const std::vector<float> a = {2, 0}, b = {0, 5}, opposite = {-7, 0};
  const float half = std::sqrt(0.5f);
  EXPECT_THAT(Centrality({a, b}),
              testing::Pointwise(testing::FloatEq(), {half, half}));
  EXPECT_THAT(Centrality({a, b, opposite}),
              testing::Pointwise(testing::FloatNear(1e-6f), {0.f, 1.f, 0.f}));
  EXPECT_THAT(Centrality({a, opposite}), ElementsAre(0, 0)) << "no mean";
}

TEST(SimilarityTest, IsTheCosine) {
  const WordVectors vectors = Compass();
  EXPECT_FLOAT_EQ(Similarity(vectors, ToWordId(0), ToWordId(5)), 1);
  EXPECT_FLOAT_EQ(Similarity(vectors, ToWordId(0), ToWordId(2)), 0.70710678f);
  EXPECT_FLOAT_EQ(Similarity(vectors, ToWordId(0), ToWordId(3)), -1);
  EXPECT_EQ(Similarity(vectors, ToWordId(0), ToWordId(4)), 0);
  EXPECT_EQ(Similarity(vectors, ToWordId(4), ToWordId(4)), 0);
}

TEST(SimilarityTest, StaysWithinOneAndIsSymmetric) {
  const WordVectors vectors = RandomVectors(50, 33, 2);
  for (size_t i = 0; i < vectors.size(); ++i) {
    const WordId word = ToWordId(i), other = ToWordId(49 - i);
    EXPECT_LE(Similarity(vectors, word, word), 1);
    EXPECT_EQ(Similarity(vectors, word, other),
              Similarity(vectors, other, word));
    EXPECT_NEAR(Similarity(vectors, word, other),
                reference::Cosine(vectors.Vector(word), vectors.Vector(other)),
                1e-6);
  }
}

TEST(OddOneOutTest, IsFarthestFromTheMean) {
  const WordVectors vectors = Compass();
  const auto odd = [&](const std::vector<size_t>& ids) {
    std::vector<WordId> words;
    words.reserve(ids.size());
    for (const size_t id : ids) words.push_back(ToWordId(id));
    return OddOneOut(vectors, words);
  };
  EXPECT_EQ(odd({0, 2, 3, 5}), 2u) << "west";
  EXPECT_EQ(odd({3, 0, 5}), 0u) << "west again, in front";
  EXPECT_EQ(odd({0, 5, 2, 1}), 3u) << "north";
  EXPECT_EQ(odd({0, 0}), 0u) << "the first of equals";
}

}  // namespace
}  // namespace firth
