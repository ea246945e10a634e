#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "firth/fields.h"
#include "firth/layout.h"
#include "firth/query.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/clustered_vectors.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

using testing::HasSubstr;

constexpr const char* kMethods[] = {"umap", "tsne", "pca"};

MapOptions Method(const std::string& method, uint64_t seed = 1) {
  MapOptions options;
  FieldEditor fields(&options);
  EXPECT_TRUE(fields.SetText("method", method));
  if (method != "pca") fields.SetText("epochs", "200");
  options.seed = seed;
  return options;
}

std::vector<float> Places(const WordMap& map) {
  std::vector<float> places;
  for (size_t i = 0; i < map.points.size(); ++i) {
    const std::vector<float> place = map.points.CopyVector(ToWordId(i));
    places.insert(places.end(), place.begin(), place.end());
  }
  return places;
}

// How many of a word's nine nearest in the map are of its ten.
double ShareOfGroup(const WordMap& map) {
  const std::vector<float> places = Places(map);
  const size_t size = map.points.size();
  size_t hits = 0;
  for (size_t word = 0; word < size; ++word) {
    std::vector<std::pair<float, size_t>> others;
    for (size_t other = 0; other < size; ++other) {
      if (other == word) continue;
      const float x = places[2 * word] - places[2 * other];
      const float y = places[2 * word + 1] - places[2 * other + 1];
      others.push_back({x * x + y * y, other});
    }
    std::nth_element(others.begin(), others.begin() + 8, others.end());
    for (size_t i = 0; i < 9; ++i) hits += others[i].second / 10 == word / 10;
  }
  return static_cast<double>(hits) / static_cast<double>(9 * size);
}

TEST(WordMapTest, GroupsStayTogether) {
  const WordVectors vectors = Clustered(500, 30, 1);
  EXPECT_GT(ShareOfGroup(*MakeMap(vectors, Method("umap"))), 0.9);
  EXPECT_GT(ShareOfGroup(*MakeMap(vectors, Method("tsne"))), 0.9);
  // A plane through 50 random directions has no room for them.
  EXPECT_LT(ShareOfGroup(*MakeMap(vectors, Method("pca"))), 0.6);
}

TEST(WordMapTest, ThreadsDoNotChangeABit) {
  // More than one thread moves alone.
  const WordVectors vectors = Clustered(2500, 12, 1);
  for (const std::string method : kMethods) {
    MapOptions options = Method(method);
    if (method != "pca") FieldEditor(&options).SetText("epochs", "30");
    options.threads = 1;
    const std::vector<float> one = Places(*MakeMap(vectors, options));
    for (const int threads : {2, 3}) {
      options.threads = threads;
      EXPECT_EQ(Places(*MakeMap(vectors, options)), one) << method << threads;
    }
    options.seed = 2;
    EXPECT_NE(Places(*MakeMap(vectors, options)), one) << method;
  }
}

TEST(WordMapTest, PcaIsTheProjectionOnThePlane) {
  // The mean of the unit vectors is at the origin, they differ most along the
  // second axis, then along the first, and nowhere else.
  const WordVectors vectors = MakeVectors({{"n", {0, 5, 0}},
                                           {"s", {0, -2, 0}},
                                           {"n2", {.6f, .8f, 0}},
                                           {"s2", {-.6f, -.8f, 0}}});
  const std::vector<float> places = Places(*MakeMap(vectors, Method("pca")));
  // Turned by the angle of the axis, and 10 long where they are longest: the
  // distance of n and n2 as against that of n and s stays.
  const auto distance = [&](size_t a, size_t b) {
    return std::hypot(places[2 * a] - places[2 * b],
                      places[2 * a + 1] - places[2 * b + 1]);
  };
  EXPECT_NEAR(distance(0, 2) / distance(0, 1), std::sqrt(.4) / 2, 1e-3);
  EXPECT_NEAR(distance(2, 3) / distance(0, 1), 1, 1e-3);
  EXPECT_NEAR(distance(0, 3) / distance(0, 1), std::sqrt(3.6) / 2, 1e-3);
}

TEST(WordMapTest, WordsOfTheOldMapStayAndNewOnesComeBesideTheirNeighbors) {
  const WordVectors all = Clustered(500, 30, 1);
  for (const std::string method : {"umap", "tsne"}) {
    // Nine of ten words of each group are known.
    std::vector<WordAndVector> known;
    for (size_t i = 0; i < all.size(); ++i) {
      if (i % 10 == 3) continue;
      const WordId word = ToWordId(i);
      known.push_back(
          {std::string(all.vocabulary().Word(word)), all.CopyVector(word)});
    }
    const WordMap old = *MakeMap(MakeVectors(known), Method(method));
    const auto map = MakeMap(all, Method(method), &old);
    ASSERT_TRUE(map.ok()) << map.status();
    ASSERT_EQ(map->points.size(), 500u);
    for (size_t i = 0; i < old.points.size(); ++i) {
      const absl::string_view word = old.points.vocabulary().Word(ToWordId(i));
      EXPECT_EQ(map->points.CopyVector(*map->points.vocabulary().Find(word)),
                old.points.CopyVector(ToWordId(i)));
    }
    EXPECT_GT(ShareOfGroup(*map), 0.85) << method;
  }
}

// Of two groups one word has changed sides: held loosely, it goes there.
TEST(WordMapTest, AWordHeldLooselyMovesToItsNewNeighbors) {
  std::vector<WordAndVector> words;
  const std::vector<float> noise = RandomFloats(300 * 3, 5);
  for (size_t i = 0; i < 300; ++i) {
    const float side = i < 150 ? 1 : -1;
    words.push_back(
        {absl::StrCat("w", i),
         {side, noise[3 * i] / 2, noise[3 * i + 1] / 2, noise[3 * i + 2] / 2}});
  }
  const WordMap old = *MakeMap(MakeVectors(words), Method("umap"));
  words[0].vector = words[200].vector;
  const auto distance = [](const WordMap& map, size_t a, size_t b) {
    const std::vector<float> places = Places(map);
    return std::hypot(places[2 * a] - places[2 * b],
                      places[2 * a + 1] - places[2 * b + 1]);
  };
  const float apart = distance(old, 0, 200);
  MapOptions options = Method("umap");
  EXPECT_EQ(distance(*MakeMap(MakeVectors(words), options, &old), 0, 200),
            apart);
  options.hold = 0.01;
  const WordMap moved = *MakeMap(MakeVectors(words), options, &old);
  EXPECT_LT(distance(moved, 0, 200), apart / 4);
  // Those that did not change sides are about where they were.
  const std::vector<float> before = Places(old), after = Places(moved);
  for (const size_t word : {10, 100, 160, 290}) {
    EXPECT_LT(std::hypot(before[2 * word] - after[2 * word],
                         before[2 * word + 1] - after[2 * word + 1]),
              apart / 3);
  }
}

struct OddCase {
  const char* name;
  std::vector<WordAndVector> words;
  size_t laid_out;
};

TEST(WordMapTest, OddVectorsHaveFinitePlaces) {
  const float inf = std::numeric_limits<float>::infinity();
  const OddCase cases[] = {
      {"one word", {{"a", {1, 2}}}, 1},
      {"two words", {{"a", {1, 2}}, {"b", {2, -1}}}, 2},
      {"three words", {{"a", {1, 2}}, {"b", {2, -1}}, {"c", {1, 1}}}, 3},
      {"one dimension", {{"a", {1}}, {"b", {-3}}, {"c", {2}}}, 3},
      {"alike",
       {{"a", {1, 2}}, {"b", {1, 2}}, {"c", {1, 2}}, {"d", {1, 2}}},
       4},
      {"zeros",
       {{"a", {0, 0}}, {"b", {1, 2}}, {"c", {0, 0}}, {"d", {1, 1}}},
       2},
      {"NaN", {{"a", {NAN, 0}}, {"b", {1, 2}}, {"c", {inf, 1}}}, 1},
      {"huge and tiny", {{"a", {3e38f, 3e38f}}, {"b", {1e-40f, 0}}}, 2},
  };
  for (const OddCase& odd : cases) {
    for (const std::string method : kMethods) {
      const auto map = MakeMap(MakeVectors(odd.words), Method(method));
      ASSERT_TRUE(map.ok()) << odd.name << ": " << map.status();
      EXPECT_EQ(map->points.size(), odd.laid_out) << odd.name;
      for (const float place : Places(*map)) {
        EXPECT_TRUE(std::isfinite(place)) << odd.name << " " << method;
      }
    }
  }
}

std::string MessageOf(const absl::StatusOr<WordMap>& map) {
  EXPECT_TRUE(absl::IsInvalidArgument(map.status())) << map.status();
  return std::string(map.status().message());
}

TEST(WordMapTest, WhatCannotBeIsSaid) {
  const WordVectors vectors = Clustered(50, 5, 1);
  EXPECT_THAT(MessageOf(MakeMap(MakeVectors({{"a", {0, 0}}}), {})),
              HasSubstr("the vectors of all 1 words are zero, so there is "
                        "nothing to lay out"));
  EXPECT_THAT(MessageOf(MakeMap(WordVectors(), {})),
              HasSubstr("the vectors of all 0 words are zero"));
  MapOptions options;
  options.hold = 2;
  EXPECT_THAT(MessageOf(MakeMap(vectors, options)),
              HasSubstr("hold: expected 0 to 1, found 2"));
  WordMap old = *MakeMap(vectors, Method("umap"));
  EXPECT_THAT(MessageOf(MakeMap(vectors, Method("tsne"), &old)),
              HasSubstr("method: the old map was made with umap, not with "
                        "tsne; use the same method"));
  EXPECT_THAT(MessageOf(MakeMap(vectors, Method("pca"), &old)),
              HasSubstr("pca cannot start from an old map"));
  EXPECT_THAT(
      MessageOf(MakeMap(MakeVectors({{"other", {1, 2}}}), {}, &old)),
      HasSubstr("none of the 1 words is among the 50 words of the old map"));
  WordMap foreign = old;
  foreign.method = "";
  EXPECT_THAT(MessageOf(MakeMap(vectors, Method("umap"), &foreign)),
              HasSubstr("the old map does not record its method"));
  old.points = MakeVectors({{"w1", {2e6f, 0}}});
  EXPECT_THAT(
      MessageOf(MakeMap(vectors, {}, &old)),
      HasSubstr(
          "the coordinates of the word \"w1\" must be from -1e+06 to 1e+06, "
          "found 2e+06"));
  old.points = MakeVectors({{"w1", {1, 2, 3}}});
  EXPECT_THAT(MessageOf(MakeMap(vectors, {}, &old)),
              HasSubstr("points must have 2 dimensions, found 3"));
}

class FractionSink : public ProgressSink {
 public:
  void OnTrain(const TrainProgress& progress) override {
    EXPECT_GE(progress.fraction, last);
    last = progress.fraction;
  }
  double last = 0;
};

TEST(WordMapTest, ProgressGrowsAndAStopIsHeard) {
  for (const std::string method : {"umap", "tsne"}) {
    FractionSink sink;
    ASSERT_TRUE(MakeMap(Clustered(50, 5, 1), Method(method), nullptr,
                        {.progress = &sink})
                    .ok());
    EXPECT_GT(sink.last, 0.95);
    EXPECT_LT(sink.last, 1);
    const std::atomic<bool> stop = true;
    EXPECT_TRUE(absl::IsCancelled(
        MakeMap(Clustered(50, 5, 1), Method(method), nullptr, {.stop = &stop})
            .status()));
  }
}

TEST(WordMapTest, PcaReportsItsEndAndHearsAStop) {
  const WordVectors vectors = Clustered(50, 5, 1);
  FractionSink sink;
  ASSERT_TRUE(
      MakeMap(vectors, Method("pca"), nullptr, {.progress = &sink}).ok());
  EXPECT_EQ(sink.last, 1);
  const std::atomic<bool> stop = true;
  EXPECT_TRUE(absl::IsCancelled(
      MakeMap(vectors, Method("pca"), nullptr, {.stop = &stop}).status()));
}

}  // namespace
}  // namespace firth
