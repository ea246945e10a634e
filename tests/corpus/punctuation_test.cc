#include "corpus/text_cleaner.h"

#include <string>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace firth {
namespace {

struct PunctuationCase {
  const char* name;
  absl::string_view text;
  absl::string_view parted;
};

// By the rules of annex 29: letters with an apostrophe or a point between them
// stay together (WB6, WB7), so do digits with a point or a comma (WB11, WB12),
// letters with digits (WB9, WB10), what an underscore joins (WB13a), and marks
// with what they stand on (WB4); all else is by itself (WB999).
constexpr PunctuationCase kPunctuation[] = {
    {"nothing", "", ""},
    {"white space", " \t\n\u3000", ""},
    {"plain words", " two  words\n", "two words"},
    {"ends of sentences", "Hello, world! (Really?)",
     "Hello , world ! ( Really ? )"},
    {"apostrophes", "don't 'tis dogs' l\u2019eau",
     "don't ' tis dogs ' l\u2019eau"},
    {"numbers", "3.14, 1,000. 50% $5", "3.14 , 1,000 . 50 % $ 5"},
    {"words that hold others", "a.b e.g. snake_case mp3 well-known",
     "a.b e.g . snake_case mp3 well - known"},
    {"marks one by one", "...?!", ". . . ? !"},
    {"an accent of its own", "e\u0301t\u00e9!", "e\u0301t\u00e9 !"},
    {"Greek and Cyrillic", "\u03b1\u03b2\u037e \u0434\u0430\u2026",
     "\u03b1\u03b2 \u037e \u0434\u0430 \u2026"},
    {"an emoji with a tone", "ok\U0001F44D\U0001F3FD!",
     "ok \U0001F44D\U0001F3FD !"},
    {"Thai, by its dictionary",
     "\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35\u0e42\u0e25\u0e01",
     "\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35 \u0e42\u0e25\u0e01"},
    {"NUL stays", absl::string_view("a\0b.", 4),
     absl::string_view("a \0 b .", 7)},
};

TEST(PunctuationTest, IsPartedFromWordsAsAnnex29Says) {
  ASSERT_EQ(LoadWordBoundaries(), absl::OkStatus());
  for (const PunctuationCase& test : kPunctuation) {
    std::string parted = "what was there";
    SplitPunctuation(test.text, &parted);
    EXPECT_EQ(parted, test.parted) << test.name;
  }
}

TEST(PunctuationTest, NoByteIsLostOfWhatIsNotUtf8) {
  ASSERT_EQ(LoadWordBoundaries(), absl::OkStatus());
  std::string parted;
  for (int first = 128; first < 256; ++first) {
    for (int second = 128; second < 256; ++second) {
      const std::string text{'a', static_cast<char>(first),
                             static_cast<char>(second), '!'};
      parted.clear();
      AppendParted(text, &parted);
      std::erase(parted, ' ');
      ASSERT_EQ(parted, text) << first << " " << second;
    }
  }
}

TEST(PunctuationTest, WhatIsPartedStaysAsItIs) {
  ASSERT_EQ(LoadWordBoundaries(), absl::OkStatus());
  std::string once, twice;
  SplitPunctuation("Mr. O'Neil's 5.5\" disks -- e.g. here: http://a.b/c?d=e",
                   &once);
  SplitPunctuation(once, &twice);
  EXPECT_EQ(once, twice);
}

}  // namespace
}  // namespace firth
