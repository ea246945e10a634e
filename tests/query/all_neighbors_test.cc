#include "firth/all_neighbors.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "firth/postprocess.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/temp_files.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

using testing::HasSubstr;

class AllNeighborsTest : public testing::Test {
 protected:
  AllNeighborsTest() { std::filesystem::remove(path_); }
  ~AllNeighborsTest() override { std::filesystem::remove(path_); }

  std::string Saved() const {
    std::ostringstream text;
    text << std::ifstream(path_).rdbuf();
    return text.str();
  }

  const std::string path_ =
      absl::StrFormat("%sfirth_all_%d.tsv", testing::TempDir(), getpid());
};

// More words than are asked at once.
TEST_F(AllNeighborsTest, AreThoseOfEachWord) {
  const WordVectors vectors = RandomVectors(1500, 10, 3);
  const NearestNeighbors neighbors(vectors);
  ASSERT_TRUE(SaveAllNeighbors(vectors, neighbors, 3, path_).ok());
  std::string expected;
  for (size_t i = 0; i < vectors.size(); ++i) {
    for (const Neighbor& neighbor : neighbors.FindWord(ToWordId(i), 3)) {
      absl::StrAppendFormat(&expected, "w%d\tw%d\t%.6f\n", i,
                            Index(neighbor.word), neighbor.score);
    }
  }
  EXPECT_TRUE(Saved() == expected);
}

TEST_F(AllNeighborsTest, AmongOtherWordsTheWordItselfIsNoAnswer) {
  const WordVectors vectors =
      MakeVectors({{"a", {1, 0}}, {"b", {0, 1}}, {"c", {1, 1}}});
  auto some = Vocabulary::Create({"c", "a"}, {});
  auto candidates = SelectWords(vectors, *some);
  ASSERT_TRUE(candidates.ok());
  ASSERT_TRUE(
      SaveAllNeighbors(vectors, NearestNeighbors(*candidates), 9, path_).ok());
  EXPECT_EQ(Saved(),
            "a\tc\t0.707107\nb\tc\t0.707107\nb\ta\t0.000000\n"
            "c\ta\t0.707107\n");
}

TEST_F(AllNeighborsTest, NothingIsWrittenWhereItCannotBeWhole) {
  const WordVectors tab = MakeVectors({{"a\tb", {1, 0}}, {"c", {0, 1}}});
  const absl::Status refused =
      SaveAllNeighbors(tab, NearestNeighbors(tab), 1, path_);
  EXPECT_TRUE(absl::IsInvalidArgument(refused));
  EXPECT_THAT(refused.message(), HasSubstr("a\\tb"));

  const WordVectors plain = RandomVectors(5, 4, 1);
  EXPECT_TRUE(absl::IsInvalidArgument(SaveAllNeighbors(
      RandomVectors(5, 3, 1), NearestNeighbors(plain), 1, path_)));

  const std::atomic<bool> stop = true;
  EXPECT_TRUE(absl::IsCancelled(SaveAllNeighbors(plain, NearestNeighbors(plain),
                                                 1, path_, {.stop = &stop})));
  EXPECT_FALSE(std::filesystem::exists(path_));
}

}  // namespace
}  // namespace firth
