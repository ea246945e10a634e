#include "base/unicode.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace firth {
namespace {

constexpr size_t kNone = absl::string_view::npos;

struct DecodeCase {
  const char* name;
  absl::string_view text;
  int32_t value;
  size_t bytes;
};

constexpr DecodeCase kDecodeCases[] = {
    {"ascii", "a", 'a', 1},
    {"nul", {"\0", 1}, 0, 1},
    {"two bytes", "\xC3\xA9x", 0xE9, 2},
    {"three bytes", "\xE6\x97\xA5", 0x65E5, 3},
    {"four bytes", "\xF0\x9F\x98\x80", 0x1F600, 4},
    {"the last code point", "\xF4\x8F\xBF\xBF", 0x10FFFF, 4},
    {"continuation alone", "\x80", -1, 1},
    {"overlong", "\xC0\x80", -1, 1},
    {"overlong of three", "\xE0\x80\x80", -1, 1},
    {"surrogate", "\xED\xA0\x80", -1, 1},
    {"beyond the last", "\xF4\x90\x80\x80", -1, 1},
    {"cut after two of three", "\xE6\x97", -1, 2},
    {"cut after three of four", "\xF0\x9F\x98z", -1, 3},
    {"cut after one", "\xC3", -1, 1},
    {"no lead byte", "\xFF", -1, 1},
};

TEST(UnicodeTest, DecodesAndFindsMaximalInvalidParts) {
  for (const DecodeCase& c : kDecodeCases) {
    const CodePoint point = DecodeUtf8(c.text);
    EXPECT_EQ(point.value, c.value) << c.name;
    EXPECT_EQ(point.bytes, c.bytes) << c.name;
  }
}

TEST(UnicodeTest, EncodingAndDecodingAreInverse) {
  for (int32_t point = 0; point <= 0x10FFFF; point += point < 0x3000 ? 1 : 97) {
    if (point >= 0xD800 && point < 0xE000) continue;
    std::string text;
    AppendUtf8(point, &text);
    const CodePoint decoded = DecodeUtf8(text);
    ASSERT_EQ(decoded.value, point);
    ASSERT_EQ(decoded.bytes, text.size());
  }
}

TEST(UnicodeTest, KnowsAllWhiteSpaceAndNothingElse) {
  int found = 0;
  for (int32_t point = 0; point < 0x20000; ++point) {
    if (point >= 0xD800 && point < 0xE000) continue;
    std::string text;
    AppendUtf8(point, &text);
    const size_t bytes = WhiteSpaceBytes(text + "x");
    found += bytes > 0;
    ASSERT_TRUE(bytes == 0 || bytes == text.size()) << point;
  }
  EXPECT_EQ(found, 25);  // property White_Space of Unicode
  EXPECT_EQ(WhiteSpaceBytes(""), 0u);
  EXPECT_EQ(WhiteSpaceBytes("\xE2\x80"), 0u);
}

TEST(UnicodeTest, FindsTheFirstInvalidPart) {
  EXPECT_EQ(FindInvalidUtf8(""), kNone);
  EXPECT_EQ(FindInvalidUtf8("caf\xC3\xA9"), kNone);
  EXPECT_EQ(FindInvalidUtf8("caf\xE9 \xFF"), 3u);
}

TEST(UnicodeTest, ReplacesEveryInvalidPartByOneMark) {
  std::string out = "<";
  EXPECT_EQ(AppendReplacingInvalid("a\xF0\x9F\x98z\xFF\xFF", &out), 3u);
  EXPECT_EQ(out, "<a\xEF\xBF\xBDz\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(UnicodeTest, FoldsCaseCodePointByCodePoint) {
  EXPECT_EQ(Lowercase("ABC xyz 1"), "abc xyz 1");
  EXPECT_EQ(Lowercase("\xC3\x89 \xD0\x96 \xCE\xA3"),
            "\xC3\xA9 \xD0\xB6 \xCF\x83");
  EXPECT_EQ(Lowercase("A\xFF\xC3"), "a\xFF\xC3");
  EXPECT_EQ(Lowercase("\xC3\x9F"), "\xC3\x9F");  // sharp s has no simple fold
}

TEST(UnicodeTest, WhiteSpaceIsFoundWhereverItStands) {
  for (const char* const space :
       {" ", "\t", "\n", "\v", "\f", "\r", "\xC2\xA0", "\xE3\x80\x80"}) {
    for (size_t before = 0; before <= 20; ++before) {
      // Neither U+00E9 nor a control character is white space.
      std::string text = std::string(before, 'a') + "\xC3\xA9\x01";
      const size_t place = text.size();
      EXPECT_EQ(FindWhiteSpace(text), place);
      text += space;
      EXPECT_EQ(FindWhiteSpace(text), place);
      text += std::string(20, 'b');
      EXPECT_EQ(FindWhiteSpace(text), place) << before;
    }
  }
}

TEST(UnicodeTest, DecomposesCharactersIntoLettersAndMarks) {
  EXPECT_THAT(Decompose(""), testing::IsEmpty());
  EXPECT_THAT(Decompose("a\u00e9"), testing::ElementsAre('a', 'e', 0x301));
  // Marks are put in the order of their classes.
  EXPECT_THAT(Decompose("q\u0307\u0323"),
              testing::ElementsAre('q', 0x323, 0x307));
  EXPECT_THAT(Decompose("\uac01"),  // Hangul
              testing::ElementsAre(0x1100, 0x1161, 0x11a8));
}

TEST(UnicodeTest, NoCharacterDecomposesIntoMoreThanTwoPartsAByte) {
  for (int32_t point = 0; point < 0x110000; ++point) {
    if (point >= 0xD800 && point < 0xE000) continue;
    std::string text;
    AppendUtf8(point, &text);
    ASSERT_FALSE(Decompose(text).empty()) << point;
  }
}

TEST(UnicodeTest, TellsCategories) {
  EXPECT_TRUE(IsNumber('7') && IsNumber(0xBD) && IsNumber(0x2164));
  EXPECT_FALSE(IsNumber('a') || IsDigit(0xBD));
  EXPECT_TRUE(IsPunctuation('_') && IsPunctuation(0x2019));
  EXPECT_FALSE(IsPunctuation('$') || IsPunctuation('a'));
  EXPECT_TRUE(IsNonspacingMark(0x301));
  EXPECT_FALSE(IsNonspacingMark(0x903));  // takes its place: Mc
  EXPECT_TRUE(IsSpaceSeparator(' ') && IsSpaceSeparator(0x3000));
  EXPECT_FALSE(IsSpaceSeparator('\t') || IsSpaceSeparator(0x2028));
  EXPECT_TRUE(IsControlOrUnassigned('\t') && IsControlOrUnassigned(0xAD) &&
              IsControlOrUnassigned(0xE000) && IsControlOrUnassigned(0x378));
  EXPECT_FALSE(IsControlOrUnassigned(' ') || IsControlOrUnassigned('a'));
}

}  // namespace
}  // namespace firth
