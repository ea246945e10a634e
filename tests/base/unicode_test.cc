#include "base/unicode.h"

#include <string>

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

}  // namespace
}  // namespace firth
