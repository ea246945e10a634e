#include "firth/word_vectors.h"

#include <cmath>
#include <latch>
#include <limits>
#include <memory>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::FloatEq;
using testing::HasSubstr;

Vocabulary TwoWords() {
  const std::vector<absl::string_view> words = {"king", "queen"};
  return *Vocabulary::Create(words, {5, 4});
}

// [rows, 2] in a memory of rows of 3; value 10 * row + col.
FloatTable Gapped(size_t rows) {
  auto data = std::make_shared<std::vector<float>>();
  for (size_t row = 0; row < rows; ++row) {
    for (size_t col = 0; col < 3; ++col) {
      data->push_back(static_cast<float>(10 * row + col));
    }
  }
  return FloatTable({data->data(), rows, 2, 3}, data);
}

TEST(WordVectorsTest, AWordHasTheRowOfItsId) {
  const auto vectors = WordVectors::Create(TwoWords(), Gapped(2));
  ASSERT_EQ(vectors.status(), absl::OkStatus());
  EXPECT_EQ(vectors->size(), 2u);
  EXPECT_EQ(vectors->dim(), 2u);
  EXPECT_THAT(vectors->Vector(WordId{1}), ElementsAre(10, 11));
  EXPECT_THAT(*vectors->Find("queen"), ElementsAre(10, 11));
  EXPECT_FALSE(vectors->Find("Queen").has_value());
  EXPECT_EQ(vectors->vocabulary().Count(WordId{0}), 5u);
}

TEST(WordVectorsTest, TableOfAnotherSizeIsRefused) {
  for (const size_t rows : {0, 1, 3}) {
    const auto status = WordVectors::Create(TwoWords(), Gapped(rows)).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(status.message(), HasSubstr("each of 2 words, found ["));
  }
}

TEST(WordVectorsTest, NoDimensionsAreRefused) {
  const FloatTable empty({nullptr, 2, 0});
  EXPECT_FALSE(WordVectors::Create(TwoWords(), empty).ok());
}

TEST(WordVectorsTest, CopiesShareTheTableAndKeepItAlive) {
  WordVectors copy;
  const float* data = nullptr;
  {
    const auto vectors = WordVectors::Create(TwoWords(), Gapped(2));
    data = vectors->table().data();
    copy = *vectors;
  }
  EXPECT_EQ(copy.table().data(), data);
  EXPECT_THAT(copy.Vector(WordId{0}), ElementsAre(0, 1));
}

TEST(WordVectorsTest, RowsAreReadByTheFirstToAskForNorms) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const auto data =
      std::make_shared<std::vector<float>>(std::vector<float>{1, 0, 3, 4});
  const auto vectors =
      WordVectors::Create(TwoWords(), FloatTable({data->data(), 2, 2}, data));
  ASSERT_EQ(vectors.status(), absl::OkStatus());
  *data = {0, 0.5f, kNan, 4};
  EXPECT_THAT(vectors->inverse_norms(), ElementsAre(2, 0));
  *data = {1, 0, 3, 4};
  const WordVectors copy = *vectors;
  EXPECT_THAT(copy.inverse_norms(), ElementsAre(2, 0));
}

// So many values that threads share the work, inside of that of one of ours.
TEST(WordVectorsTest, ThreadsMayBeTheFirstToAskForNormsAtOnce) {
  constexpr size_t kRows = 2, kDim = 60'000;
  std::vector<float> values(kDim, 1);
  values.resize(kRows * kDim, 2);
  const auto vectors =
      WordVectors::Create(TwoWords(), FloatTable(std::move(values), kDim));
  ASSERT_EQ(vectors.status(), absl::OkStatus());
  std::vector<absl::Span<const float>> norms(4);
  std::latch start(4);
  std::vector<std::thread> threads;
  for (absl::Span<const float>& own : norms) {
    threads.emplace_back([&, copy = *vectors] {
      start.arrive_and_wait();
      own = copy.inverse_norms();
    });
  }
  for (std::thread& thread : threads) thread.join();
  const float inverse = 1 / std::sqrt(static_cast<float>(kDim));
  for (const absl::Span<const float> own : norms) {
    EXPECT_EQ(own.data(), norms[0].data());
    EXPECT_THAT(own, ElementsAre(FloatEq(inverse), FloatEq(inverse / 2)));
  }
}

TEST(WordVectorsTest, TheEmptyOneHasNothing) {
  const WordVectors empty;
  EXPECT_TRUE(empty.inverse_norms().empty());
  EXPECT_EQ(empty.size(), 0u);
  EXPECT_EQ(empty.dim(), 0u);
  EXPECT_FALSE(empty.Find("king").has_value());
}

}  // namespace
}  // namespace firth
