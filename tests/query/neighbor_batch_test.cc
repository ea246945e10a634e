#include "query/neighbor_batch.h"

#include <vector>

#include "firth/query.h"
#include "gtest/gtest.h"
#include "support/threads.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

std::vector<std::vector<Neighbor>> BestOfEach(const WordVectors& vectors,
                                              size_t top) {
  std::vector<std::vector<Neighbor>> best;
  FindBestOfEach({vectors.rows(), vectors.inverse_norms()}, top,
                 [&](size_t begin, absl::Span<const std::vector<Neighbor>> of) {
                   EXPECT_EQ(begin, best.size());
                   best.insert(best.end(), of.begin(), of.end());
                   return true;
                 });
  return best;
}

// What is found for each word on its own.
std::vector<std::vector<Neighbor>> Expected(const WordVectors& vectors,
                                            size_t top) {
  const NearestNeighbors neighbors(vectors);
  std::vector<std::vector<Neighbor>> best;
  for (size_t i = 0; i < vectors.size(); ++i) {
    best.push_back(neighbors.FindWord(ToWordId(i), top));
  }
  return best;
}

void ExpectEqual(const std::vector<std::vector<Neighbor>>& found,
                 const std::vector<std::vector<Neighbor>>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i].size(), expected[i].size()) << "row " << i;
    for (size_t k = 0; k < found[i].size(); ++k) {
      ASSERT_EQ(found[i][k].word, expected[i][k].word) << "row " << i;
      ASSERT_EQ(found[i][k].score, expected[i][k].score) << "row " << i;
    }
  }
}

// 288 rows are a batch, 96 a block, 16 a panel.
TEST(FindBestOfEachTest, EachRowHasTheAnswersThatItHasAlone) {
  for (const size_t size : {1, 2, 17, 96, 97, 287, 288, 289, 385, 900}) {
    const WordVectors vectors = RandomVectors(size, 21, size);
    for (const size_t top : {0, 1, 15, 1000}) {
      SCOPED_TRACE(testing::Message() << size << " rows, top " << top);
      const auto expected = Expected(vectors, top);
      for (const int threads : {1, 2, 3}) {
        const ScopedThreads scoped(threads);
        ExpectEqual(BestOfEach(vectors, top), expected);
      }
    }
  }
}

TEST(FindBestOfEachTest, TiesGoToTheSmallerId) {
  constexpr size_t kDim = 6, kDifferent = 20, kSize = 1000;
  const std::vector<float> pattern = RandomFloats(kDifferent * kDim, 7);
  std::vector<float> rows;
  std::vector<std::string> words;
  for (size_t i = 0; i < kSize; ++i) {
    const float* const row = &pattern[i % kDifferent * kDim];
    rows.insert(rows.end(), row, row + kDim);
    words.push_back(absl::StrCat(i));
  }
  const WordVectors vectors = MakeVectors(words, rows, kDim, kDim);
  const auto found = BestOfEach(vectors, 30);
  ExpectEqual(found, Expected(vectors, 30));
  EXPECT_EQ(Index(found[999][0].word), 19u);
  EXPECT_EQ(Index(found[999][29].word), 599u);
}

TEST(FindBestOfEachTest, EndsWhereItIsToldTo) {
  const WordVectors vectors = RandomVectors(2000, 8, 3);
  size_t blocks = 0;
  FindBestOfEach({vectors.rows(), vectors.inverse_norms()}, 5,
                 [&](size_t, absl::Span<const std::vector<Neighbor>>) {
                   return ++blocks < 2;
                 });
  EXPECT_EQ(blocks, 2u);
}

}  // namespace
}  // namespace firth
