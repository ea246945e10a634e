#include "firth/word_vectors.h"

#include <memory>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace firth {
namespace {

using testing::ElementsAre;
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

TEST(WordVectorsTest, TheEmptyOneHasNothing) {
  const WordVectors empty;
  EXPECT_EQ(empty.size(), 0u);
  EXPECT_EQ(empty.dim(), 0u);
  EXPECT_FALSE(empty.Find("king").has_value());
}

}  // namespace
}  // namespace firth
