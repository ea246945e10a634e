#include "base/spelling.h"

#include <utf8proc.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "base/rng.h"
#include "base/unicode.h"
#include "gtest/gtest.h"

namespace firth {
namespace {

std::string Normalized(absl::string_view text, Normalization form) {
  std::string out;
  AppendNormalized(text, form, &out);
  return out;
}

// What utf8proc makes of a whole text at once.
std::string Oracle(const std::string& text, Normalization form) {
  const auto* const bytes =
      reinterpret_cast<const utf8proc_uint8_t*>(text.c_str());
  utf8proc_uint8_t* const made =
      form == Normalization::kNfc ? utf8proc_NFC(bytes) : utf8proc_NFKC(bytes);
  const std::string result(reinterpret_cast<const char*>(made));
  std::free(made);
  return result;
}

struct Form {
  const char* name;
  const char* text;
  const char* nfc;
  const char* nfkc;
};

constexpr Form kForms[] = {
    {"ASCII", "Plain text", "Plain text", "Plain text"},
    {"accent", "cafe\u0301", "caf\u00E9", "caf\u00E9"},
    {"order of marks", "q\u0307\u0323", "q\u0323\u0307", "q\u0323\u0307"},
    {"Hangul", "\u1112\u1161\u11AB", "\uD55C", "\uD55C"},
    {"dakuten", "\u304B\u3099", "\u304C", "\u304C"},
    {"Kelvin", "\u212A", "K", "K"},
    {"ligature", "\uFB01n", "\uFB01n", "fin"},
    {"full width", "\uFF21\uFF11", "\uFF21\uFF11", "A1"},
    {"mark after a space", "a \u0301", "a \u0301", "a \u0301"},
    {"invalid bytes stay",
     "e\u0301\xFF"
     "e\u0301\xC3",
     "\u00E9\xFF\u00E9\xC3", "\u00E9\xFF\u00E9\xC3"},
    {"bold", "\U0001D400", "\U0001D400", "A"},
};

TEST(SpellingTest, EachFormIsThatOfUnicode) {
  for (const Form& form : kForms) {
    EXPECT_EQ(Normalized(form.text, Normalization::kNone), form.text);
    EXPECT_EQ(Normalized(form.text, Normalization::kNfc), form.nfc)
        << form.name;
    EXPECT_EQ(Normalized(form.text, Normalization::kNfkc), form.nfkc)
        << form.name;
  }
}

// All assigned code points, alone and between others with which they may
// compose: also shows that those which are copied unseen are stable.
TEST(SpellingTest, EveryCodePointIsThatOfUtf8proc) {
  for (const Normalization form : {Normalization::kNfc, Normalization::kNfkc}) {
    for (int32_t point = 1; point < 0x30000; ++point) {
      if (point >= 0xD800 && point <= 0xDFFF) continue;
      std::string text = "e";
      AppendUtf8(point, &text);
      text += "\u0301 \u1112";
      AppendUtf8(point, &text);
      ASSERT_EQ(Normalized(text, form), Oracle(text, form))
          << std::hex << point;
    }
  }
}

TEST(SpellingTest, TextsOfRandomCodePointsAreThoseOfUtf8proc) {
  Rng rng(7);
  const int32_t kBegins[] = {0x20, 0xC0, 0x300, 0x1100, 0x3040, 0xAC00, 0xF900};
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (int i = 0; i < 30; ++i) {
      AppendUtf8(kBegins[rng.Below(7)] + static_cast<int32_t>(rng.Below(96)),
                 &text);
    }
    for (const Normalization form :
         {Normalization::kNfc, Normalization::kNfkc}) {
      ASSERT_EQ(Normalized(text, form), Oracle(text, form));
    }
  }
}

std::string Spelled(absl::string_view text, const Spelling& spelling) {
  std::string out;
  AppendSpelled(text, spelling, &out);
  return out;
}

TEST(SpellingTest, BothFormsOfACapitalBecomeOneSmallLetter) {
  const Spelling lower = {true, Normalization::kNfc};
  EXPECT_EQ(Spelled("E\u0301", lower), "\u00E9");
  EXPECT_EQ(Spelled("\u00C9", lower), "\u00E9");
  EXPECT_EQ(Spelled("J\u030C", lower), "\u01F0");
  EXPECT_EQ(Spelled("I\u0307", lower), Spelled("\u0130", lower));
  EXPECT_EQ(Spelled("\u2116", {true, Normalization::kNfkc}), "no");
  EXPECT_EQ(Spelled("AB", {true, Normalization::kNfc}), "ab");
  EXPECT_EQ(Spelled("A\u0301", {}), "A\u0301");
}

TEST(SpellingTest, TextThatCannotChangeIsKnown) {
  EXPECT_FALSE(MayRespell({}, "\u00C9"));
  EXPECT_FALSE(MayRespell({true, Normalization::kNfc}, "small"));
  EXPECT_TRUE(MayRespell({true, Normalization::kNone}, "Small"));
  EXPECT_TRUE(MayRespell({false, Normalization::kNfc}, "e\u0301"));
}

}  // namespace
}  // namespace firth
