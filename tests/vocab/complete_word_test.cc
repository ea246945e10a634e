#include "firth/complete_word.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Vocabulary Words(const std::vector<absl::string_view>& words,
                 const std::vector<uint64_t>& counts) {
  return *Vocabulary::Create(words, counts);
}

TEST(CompleteWordTest, TheMostFrequentComeFirst) {
  const Vocabulary vocabulary =
      Words({"a", "bank", "bar", "band", "car", "bare"}, {9, 2, 5, 3, 7, 5});
  const Completions found = CompleteWord(vocabulary, "ba", 3);
  EXPECT_EQ(found.count, 4u);
  EXPECT_EQ(found.common, "ba");
  EXPECT_THAT(found.words, ElementsAre("bar", "bare", "band"));
  EXPECT_THAT(CompleteWord(vocabulary, "", 2).words, ElementsAre("a", "car"));
}

TEST(CompleteWordTest, WithoutCountsTheOrderOfTheVocabularyHolds) {
  EXPECT_THAT(CompleteWord(Words({"b2", "a", "b1"}, {}), "b", 9).words,
              ElementsAre("b2", "b1"));
}

TEST(CompleteWordTest, SaysHowFarAllAgree) {
  const Vocabulary vocabulary =
      Words({"breakfast", "breakfasts", "breaks", "\xC3\xA9t\xC3\xA9",
             "\xC3\xA9t\xC3\xA8s", "x\xFF", "x\xFFz",
             absl::string_view("x\xFF\0", 3)},
            {});
  const struct {
    const char* prefix;
    const char* common;
    uint64_t count;
  } cases[] = {
      {"br", "break", 3},
      {"breakf", "breakfast", 2},
      {"breaks", "breaks", 1},       // a whole word
      {"\xC3\xA9", "\xC3\xA9t", 2},  // the next characters share a byte
      {"x", "x\xFF", 3},
      {"breakfast!", "", 0},
      {"z", "", 0},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.prefix);
    const Completions found = CompleteWord(vocabulary, c.prefix, 0);
    EXPECT_EQ(found.common, c.common);
    EXPECT_EQ(found.count, c.count);
    EXPECT_THAT(found.words, IsEmpty());
  }
}

}  // namespace
}  // namespace firth
