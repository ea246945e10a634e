#include "io/text_row.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "absl/strings/str_format.h"
#include "base/rng.h"
#include "gtest/gtest.h"

namespace firth {
namespace {

uint32_t ParsedBits(const std::string& text) {
  float value = 0;
  const char* const end = text.data() + text.size();
  EXPECT_EQ(ParseFloat(text.data(), end, &value), end) << text;
  return std::bit_cast<uint32_t>(value);
}

TEST(ParseFloatTest, RoundsAsTheCLibraryDoes) {
  Rng rng(7);
  for (int i = 0; i < 100000; ++i) {
    const auto value = std::bit_cast<float>(static_cast<uint32_t>(rng.Next()));
    if (!std::isfinite(value)) continue;
    for (const std::string& text :
         {absl::StrFormat("%.9g", value), absl::StrFormat("%.5g", value),
          absl::StrFormat("%.12f", std::fmod(value, 10.0f))}) {
      EXPECT_EQ(ParsedBits(text),
                std::bit_cast<uint32_t>(std::strtof(text.c_str(), nullptr)))
          << text;
    }
  }
}

// The middle between two floats, as near to it as 15 digits come: rounding to
// double first would land on the middle exactly.
TEST(ParseFloatTest, RoundsRightNearTheMiddleOfTwoFloats) {
  for (const std::string text :
       {"16777217", "16777219", "16777217.0000001", "16777218.9999999",
        "0.50000002980232", "0.500000029802322", "1.00000005960464",
        "1.00000005960465", "8388608.50000000", "8388609.5"}) {
    EXPECT_EQ(ParsedBits(text),
              std::bit_cast<uint32_t>(std::strtof(text.c_str(), nullptr)))
        << text;
  }
}

TEST(ParseFloatTest, ReadsBackWhatToCharsWrites) {
  Rng rng(8);
  for (int i = 0; i < 100000; ++i) {
    const auto value = std::bit_cast<float>(static_cast<uint32_t>(rng.Next()));
    if (!std::isfinite(value)) continue;
    char chars[32];
    const auto end = std::to_chars(chars, chars + sizeof(chars), value).ptr;
    EXPECT_EQ(ParsedBits(std::string(chars, end)),
              std::bit_cast<uint32_t>(value));
  }
}

TEST(ParseFloatTest, WhatIsNoNumberGivesNull) {
  float value;
  for (const std::string text : {"", ".", "-", "+", "e5", "x", "--1", "- 1"}) {
    EXPECT_EQ(ParseFloat(text.data(), text.data() + text.size(), &value),
              nullptr)
        << text;
  }
}

TEST(CountValuesTest, CountsNumbersFromTheRightButNotTheWord) {
  EXPECT_EQ(CountValues("a 1 2 3"), 3u);
  EXPECT_EQ(CountValues("1 2 3 \r"), 2u);
  EXPECT_EQ(CountValues("a 1 b 2 3"), 2u);
  EXPECT_EQ(CountValues("1"), 0u);
  EXPECT_EQ(CountValues("word"), 0u);
  EXPECT_EQ(CountValues(""), 0u);
}

}  // namespace
}  // namespace firth
