#include "corpus/text_cleaner.h"

#include <string>

#include "base/rng.h"
#include "base/unicode.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace firth {
namespace {

using testing::HasSubstr;

TextBlock MakeBlock(absl::string_view text) {
  TextBlock block;
  block.bytes.assign(text.begin(), text.end());
  block.bytes.resize(text.size() + kTextPadding);
  block.size = text.size();
  block.file = std::make_shared<const std::string>("text.txt");
  return block;
}

struct Case {
  const char* name;
  Utf8Policy policy;
  bool lowercase;
  const char* text;
  const char* cleaned;
  uint64_t invalid;
  Normalization normalize = Normalization::kNone;
};

constexpr Case kCases[] = {
    {"ascii", Utf8Policy::kError, false, "Plain text", "Plain text", 0},
    {"valid", Utf8Policy::kError, false,
     "caf\xC3\xA9 \xE6\x97\xA5 \xF0\x9F\x98\x80",
     "caf\xC3\xA9 \xE6\x97\xA5 \xF0\x9F\x98\x80", 0},
    {"kept", Utf8Policy::kKeep, false, "a\xFF b\xE2\x80", "a\xFF b\xE2\x80", 2},
    {"replaced", Utf8Policy::kReplace, false, "a\xFF b\xE2\x80 \xC0\xAF",
     "a\xEF\xBF\xBD b\xEF\xBF\xBD \xEF\xBF\xBD\xEF\xBF\xBD", 4},
    {"lower ascii", Utf8Policy::kKeep, true, "AZ[@`az", "az[@`az", 0},
    {"lower", Utf8Policy::kKeep, true, "\xC3\x89T\xC3\x89 \xD0\x96 A\xFF",
     "\xC3\xA9t\xC3\xA9 \xD0\xB6 a\xFF", 1},
    {"grows", Utf8Policy::kKeep, true, "\xC8\xBA", "\xE2\xB1\xA5", 0},
    {"composed", Utf8Policy::kKeep, false, "Cafe\u0301\xFF \uFB01n",
     "Caf\u00E9\xFF \uFB01n", 1, Normalization::kNfc},
    {"compatible", Utf8Policy::kKeep, false, "Cafe\u0301 \uFB01n",
     "Caf\u00E9 fin", 0, Normalization::kNfkc},
    // There is no composed J with caron, but a small one.
    {"composed when lower", Utf8Policy::kReplace, true, "J\u030C \xFF \u2116",
     "\u01F0 \uFFFD no", 1, Normalization::kNfkc},
};

TEST(CleanTextTest, FollowsPolicyAndCase) {
  for (const Case& c : kCases) {
    TextBlock block = MakeBlock(c.text);
    uint64_t invalid = 99;
    const absl::Status status =
        CleanText(c.policy, {c.lowercase, c.normalize}, &block, &invalid);
    ASSERT_TRUE(status.ok()) << c.name << ": " << status;
    EXPECT_EQ(block.text(), c.cleaned) << c.name;
    EXPECT_EQ(invalid, c.invalid) << c.name;
    EXPECT_EQ(block.bytes[block.size], '\0') << c.name;
  }
}

TEST(CleanTextTest, NamesThePlaceOfInvalidBytes) {
  TextBlock block = MakeBlock("fine\nalso fine\nbad \xE9t\xE9\n");
  block.first_line = 10;
  block.line_offset = 1000;
  uint64_t invalid;
  const absl::Status status =
      CleanText(Utf8Policy::kError, {}, &block, &invalid);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(),
            "text.txt:12: expected valid UTF-8, found 0xE9 at byte 5 of the "
            "line");
}

TEST(CleanTextTest, CountsBytesOfALineFromItsStart) {
  TextBlock block = MakeBlock("abc \xFF\n");
  block.line_offset = 1000;
  uint64_t invalid;
  EXPECT_THAT(
      CleanText(Utf8Policy::kError, {}, &block, &invalid).message(),
      HasSubstr("text.txt:1: expected valid UTF-8, found 0xFF at byte 1005"));
}

TEST(CleanTextTest, CountsWhatReplacingReplaces) {
  constexpr absl::string_view kBytes =
      "abcdefgh\x80\xBF\xC2\xDF\xE0\xA0\xE1\xEC\xED\x9F\xEE\xF0\x90\xF4\x8F"
      "\xFF";
  Rng rng(2);
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (uint32_t size = rng.Below(60); size > 0; --size) {
      text += kBytes[rng.Below(kBytes.size())];
    }
    std::string replaced;
    const size_t expected = AppendReplacingInvalid(text, &replaced);
    TextBlock block = MakeBlock(text);
    uint64_t invalid;
    ASSERT_TRUE(CleanText(Utf8Policy::kKeep, {}, &block, &invalid).ok());
    ASSERT_EQ(invalid, expected) << round;
    ASSERT_TRUE(CleanText(Utf8Policy::kReplace, {}, &block, &invalid).ok());
    ASSERT_EQ(block.text(), replaced) << round;
  }
}

TEST(PartPunctuationTest, LinesAndWhiteSpaceStay) {
  ASSERT_EQ(LoadWordBoundaries(), absl::OkStatus());
  TextBlock block = MakeBlock(
      "Hi,  you!\n\n(a)\t\xE3\x80\x80"
      "b,\n!");
  PartPunctuation(&block);
  EXPECT_EQ(block.text(),
            "Hi ,  you !\n\n( a )\t\xE3\x80\x80"
            "b ,\n!");
  EXPECT_EQ(block.bytes[block.size], '\0');
}

TEST(PartPunctuationTest, WordsBecomeSeveralAndSentencesEndWhereTheyDid) {
  ASSERT_EQ(LoadWordBoundaries(), absl::OkStatus());
  TextBlock block = MakeBlock("Hi,\nyou\n\n \na b!\n\n");
  block.word_ends = {3, 7, 8, 10, 15, 16};
  PartPunctuation(&block);
  EXPECT_EQ(block.text(), "Hi\n,\nyou\n\n \na\nb\n!\n\n");
  EXPECT_THAT(block.word_ends,
              testing::ElementsAre(2, 4, 8, 9, 11, 13, 15, 17, 18));
}

}  // namespace
}  // namespace firth
