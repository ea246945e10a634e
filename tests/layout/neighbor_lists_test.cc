#include "layout/neighbor_graph.h"

#include <algorithm>
#include <numeric>

#include "firth/query.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/clustered_vectors.h"
#include "support/threads.h"

namespace firth {
namespace {

bool GoOn(double) { return true; }

// The other words by cosine, the nearest first.
std::vector<uint32_t> ByCosine(const WordVectors& vectors, size_t word) {
  std::vector<uint32_t> others(vectors.size());
  std::iota(others.begin(), others.end(), 0);
  others.erase(others.begin() + static_cast<ptrdiff_t>(word));
  std::stable_sort(others.begin(), others.end(), [&](uint32_t a, uint32_t b) {
    return Similarity(vectors, ToWordId(word), ToWordId(a)) >
           Similarity(vectors, ToWordId(word), ToWordId(b));
  });
  return others;
}

TEST(NeighborListsTest, TheyAreTheNearestByCosineWithTheirDistances) {
  const WordVectors vectors = Clustered(60, 7, 1);
  const auto lists = FindNeighborLists(vectors, 5, GoOn);
  ASSERT_TRUE(lists.ok()) << lists.status();
  ASSERT_EQ(lists->size(), 60u);
  for (size_t word = 0; word < 60; ++word) {
    const std::vector<uint32_t> expected = ByCosine(vectors, word);
    for (size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(lists->Ids(word)[i], expected[i]) << word;
      EXPECT_NEAR(
          lists->Values(word)[i],
          1 - Similarity(vectors, ToWordId(word), ToWordId(expected[i])), 1e-6);
    }
  }
}

TEST(NeighborListsTest, FewWordsHaveAllOthers) {
  const auto lists = FindNeighborLists(Clustered(3, 4, 1), 15, GoOn);
  ASSERT_TRUE(lists.ok());
  EXPECT_EQ(lists->count, 2u);
  EXPECT_EQ(FindNeighborLists(Clustered(1, 4, 1), 15, GoOn)->count, 0u);
}

TEST(NeighborListsTest, TheGraphFindsNearlyAllWithAnyNumberOfThreads) {
  const WordVectors vectors = Clustered(2000, 20, 1);
  const auto exact = FindNeighborLists(vectors, 10, GoOn);
  std::vector<uint32_t> first;
  for (const int threads : {1, 2, 3}) {
    const ScopedThreads scoped(threads);
    const auto found = FindNeighborLists(vectors, 10, GoOn, 0);
    ASSERT_TRUE(found.ok()) << found.status();
    if (first.empty()) first = found->ids;
    EXPECT_EQ(found->ids, first) << threads;
  }
  size_t hits = 0;
  for (size_t word = 0; word < 2000; ++word) {
    const auto wanted = exact->Ids(word);
    for (size_t i = word * 10; i < word * 10 + 10; ++i) {
      hits += std::find(wanted.begin(), wanted.end(), first[i]) != wanted.end();
    }
  }
  EXPECT_GT(hits, 0.95 * 20'000);
}

// Vectors that are all alike lead a graph nowhere.
TEST(NeighborListsTest, TheGraphGivesAsManyAsAreAskedFor) {
  std::vector<std::string> words;
  for (int i = 0; i < 300; ++i) words.push_back(absl::StrCat("w", i));
  const WordVectors vectors =
      MakeVectors(words, std::vector<float>(600, 1), 2, 2);
  const auto lists = FindNeighborLists(vectors, 299, GoOn, 0);
  ASSERT_TRUE(lists.ok());
  for (size_t word = 0; word < 300; ++word) {
    std::vector<uint32_t> all(lists->Ids(word).begin(), lists->Ids(word).end());
    all.push_back(static_cast<uint32_t>(word));
    std::sort(all.begin(), all.end());
    EXPECT_EQ(std::unique(all.begin(), all.end()), all.end());
    EXPECT_EQ(all.back(), 299u);
  }
}

TEST(NeighborListsTest, WhoeverStopsItGetsNoLists) {
  const auto stop = [](double) { return false; };
  EXPECT_TRUE(absl::IsCancelled(
      FindNeighborLists(Clustered(50, 4, 1), 5, stop).status()));
  EXPECT_TRUE(absl::IsCancelled(
      FindNeighborLists(Clustered(50, 4, 1), 5, stop, 0).status()));
}

}  // namespace
}  // namespace firth
