#include "lm/model/character_ids.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace firth {
namespace {

constexpr uint16_t kPad = kPaddingCharacter;

struct CharacterCase {
  const char* name;
  std::string word;
  std::vector<uint16_t> expected;
};

TEST(CharacterIdsTest, AreBytesBetweenMarksAndPadding) {
  const CharacterCase cases[] = {
      {"short", "ab", {258, 97, 98, 259, kPad, kPad}},
      {"fills the row", "abcd", {258, 97, 98, 99, 100, 259}},
      {"too long", "abcdef", {258, 97, 98, 99, 100, 259}},
      {"empty", "", {258, 259, kPad, kPad, kPad, kPad}},
      {"bytes above 127", "\xc3\xa4", {258, 195, 164, 259, kPad, kPad}},
      {"begin of sentence", "<S>", {258, 256, 259, kPad, kPad, kPad}},
      {"end of sentence", "</S>", {258, 257, 259, kPad, kPad, kPad}},
  };
  for (const CharacterCase& test : cases) {
    std::vector<uint16_t> ids;
    AppendCharacterIds(test.word, 6, &ids);
    EXPECT_EQ(ids, test.expected) << test.name;
  }
}

TEST(CharacterIdsTest, RowsFollowOneAnother) {
  std::vector<uint16_t> ids;
  AppendCharacterIds("a", 4, &ids);
  AppendCharacterIds("b", 4, &ids);
  EXPECT_EQ(ids,
            (std::vector<uint16_t>{258, 97, 259, kPad, 258, 98, 259, kPad}));
}

}  // namespace
}  // namespace firth
