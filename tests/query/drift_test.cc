#include "firth/drift.h"

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/reference.h"
#include "support/rotations.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr size_t kDim = 12;

// The same words turned, each with an error of this size.
WordVectors Turned(const WordVectors& vectors, uint64_t seed, float error) {
  const std::vector<float> rotation = RandomRotation(kDim, seed);
  const std::vector<float> errors =
      RandomFloats(vectors.size() * kDim, seed + 1000);
  std::vector<std::string> words;
  std::vector<float> rows;
  for (size_t i = 0; i < vectors.size(); ++i) {
    words.emplace_back(vectors.vocabulary().Word(ToWordId(i)));
    for (const float value : Rotate(rotation, vectors.Vector(ToWordId(i)))) {
      rows.push_back(value + error * errors[rows.size()]);
    }
  }
  return MakeVectors(words, std::move(rows), kDim, kDim);
}

// The vector of `word` becomes that of `other`.
WordVectors Moved(const WordVectors& vectors, size_t word, size_t other) {
  std::vector<WordAndVector> entries;
  for (size_t i = 0; i < vectors.size(); ++i) {
    const auto row = vectors.Vector(ToWordId(i == word ? other : i));
    entries.push_back({std::string(vectors.vocabulary().Word(ToWordId(i))),
                       {row.begin(), row.end()}});
  }
  return MakeVectors(entries);
}

Drift Made(absl::StatusOr<Drift> drift) {
  EXPECT_TRUE(drift.ok()) << drift.status();
  return *std::move(drift);
}

TEST(DriftTest, NothingMovesInARotatedCopy) {
  const WordVectors before = RandomVectors(100, kDim, 1);
  const Drift drift = Made(Drift::Create(before, Turned(before, 2, 0), {}));
  ASSERT_EQ(drift.vocabulary().size(), 100);
  for (size_t i = 0; i < 100; ++i) {
    EXPECT_NEAR(drift.Measure(ToWordId(i)).cosine, 1, 1e-5);
    const NeighborChange change = drift.Neighbors(ToWordId(i));
    EXPECT_EQ(change.overlap, 1);
    EXPECT_THAT(change.lost, IsEmpty());
    EXPECT_THAT(change.kept, SizeIs(25));
    EXPECT_TRUE(std::isnan(change.chance_overlap));
  }
}

TEST(DriftTest, AWordThatTookAnothersPlaceMovedMost) {
  const WordVectors before = RandomVectors(300, kDim, 1);
  const WordVectors after = Moved(Turned(before, 2, 0.1f), 40, 7);
  const Drift drift =
      Made(Drift::Create(before, after, {.band = 50, .neighbors = 5}));
  const std::vector<WordDrift> most = drift.MostMoved(3);
  ASSERT_EQ(most.size(), 3);
  EXPECT_EQ(drift.vocabulary().Word(most[0].word), "w40");
  EXPECT_LT(most[0].cosine, 0.9);
  EXPECT_DOUBLE_EQ(most[0].p, 1.0 / 50);
  EXPECT_TRUE(std::isnan(most[0].chance_cosine));
  // Its neighbours are those of the word whose place it took.
  const NeighborChange change = drift.Neighbors(ToWordId(40));
  ASSERT_FALSE(change.won.empty());
  EXPECT_EQ(drift.vocabulary().Word(change.won[0].word), "w7");
  EXPECT_EQ(change.won.size(), change.lost.size());
  EXPECT_EQ(change.won.size() + change.kept.size(), 5);
  EXPECT_DOUBLE_EQ(change.overlap, static_cast<double>(change.kept.size()) / 5);
}

TEST(DriftTest, NoWordOfEqualModelsMovedFartherThanOthers) {
  const WordVectors vectors = RandomVectors(300, kDim, 1);
  const auto expect_all_usual = [](const Drift& drift) {
    for (const WordDrift& word : drift.MostMoved(300)) {
      EXPECT_EQ(word.p, 1) << Index(word.word);
    }
  };
  const DriftOptions options = {.band = 50};
  expect_all_usual(Made(Drift::Create(vectors, vectors, options)));
  expect_all_usual(
      Made(Drift::Create(vectors, Turned(vectors, 2, 0), options)));
  expect_all_usual(Made(Drift::Create(vectors, vectors, vectors, options)));
}

// What moved no farther than another seed moves it is what chance gives.
TEST(DriftTest, AnotherSeedTellsWhatChanceGives) {
  const WordVectors before = RandomVectors(300, kDim, 1);
  const WordVectors seed = Turned(before, 3, 0.2f);
  const Drift same = Made(Drift::Create(before, seed, seed, {.band = 100}));
  double mean = 0;
  for (size_t i = 0; i < 300; ++i) {
    const WordDrift word = same.Measure(ToWordId(i));
    EXPECT_FLOAT_EQ(static_cast<float>(word.chance_cosine),
                    static_cast<float>(word.cosine));
    mean += word.p / 300;
  }
  EXPECT_NEAR(mean, 0.5, 0.05);
  EXPECT_DOUBLE_EQ(same.Neighbors(ToWordId(0)).chance_overlap,
                   same.Neighbors(ToWordId(0)).overlap);
  // All words move farther than between seeds: no longer by chance.
  const Drift farther =
      Made(Drift::Create(before, Turned(before, 4, 1.5f), seed, {.band = 100}));
  size_t rare = 0;
  for (size_t i = 0; i < 300; ++i) {
    rare += farther.Measure(ToWordId(i)).p <= 0.05;
  }
  EXPECT_GT(rare, 250);
}

// The bands of the first and the last words lie to one side of them.
TEST(DriftTest, PIsTheShareOfTheBandThatMovedAsFar) {
  const WordVectors before = RandomVectors(60, kDim, 1);
  const Drift drift =
      Made(Drift::Create(before, Turned(before, 2, 0.5f), {.band = 20}));
  const auto p = [&](size_t word, size_t begin) {
    double as_low = 0;
    for (size_t i = begin; i < begin + 20; ++i) {
      as_low += drift.Measure(ToWordId(i)).cosine <=
                drift.Measure(ToWordId(word)).cosine;
    }
    return as_low / 20;
  };
  EXPECT_DOUBLE_EQ(drift.Measure(ToWordId(3)).p, p(3, 0));
  EXPECT_DOUBLE_EQ(drift.Measure(ToWordId(30)).p, p(30, 20));
  EXPECT_DOUBLE_EQ(drift.Measure(ToWordId(59)).p, p(59, 40));
}

TEST(DriftTest, CommonWordsAreOrderedByTheirRarerSide) {
  const WordVectors before = MakeVectors(
      {{"a", {1, 0}}, {"b", {0, 1}}, {"only", {1, 1}}, {"c", {1, 2}}});
  const WordVectors after = MakeVectors({{"c", {1, 0}},
                                         {"b", {0, 1}},
                                         {"none", {1, 1}},
                                         {"zero", {0, 0}},
                                         {"a", {1, 2}}});
  const Drift all = Made(Drift::Create(before, after, {}));
  EXPECT_THAT(all.vocabulary().Words(), ElementsAre("b", "c", "a"));
  const Drift some = Made(Drift::Create(before, after, {.restrict = 2}));
  EXPECT_THAT(some.vocabulary().Words(), ElementsAre("b", "c"));
  EXPECT_THAT(some.MostMoved(10), SizeIs(2));
}

TEST(DriftTest, ModelsThatCannotBeComparedAreRefused) {
  const WordVectors plane = MakeVectors({{"a", {1, 0}}});
  const auto error = [&](const WordVectors& other) {
    const auto drift = Drift::Create(plane, other, {});
    EXPECT_EQ(drift.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(drift.status().message());
  };
  EXPECT_THAT(error(MakeVectors({{"a", {1, 0, 0}}})),
              HasSubstr("found 2 and 3"));
  EXPECT_THAT(error(MakeVectors({{"b", {1, 0}}})),
              HasSubstr("no word has a nonzero vector"));
  EXPECT_THAT(error(MakeVectors({{"a", {0, 0}}})),
              HasSubstr("no word has a nonzero vector"));
}

}  // namespace
}  // namespace firth
