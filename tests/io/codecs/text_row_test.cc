#include "io/codecs/text_row.h"

#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
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

// A row has a faster way for plain decimals: whatever stands between the
// spaces, values are those of ParseFloat, and bad ones stay errors.
TEST(ParseTextRowTest, ValuesAreThoseOfParseFloat) {
  Rng rng(9);
  for (int i = 0; i < 3000; ++i) {
    std::vector<std::string> fields;
    std::string line = "word";
    for (int k = 0; k < 30; ++k) {
      const float value = 20 * rng.NextFloat() - 10;
      const int decimals = static_cast<int>(rng.Next() % 14);
      fields.push_back(absl::StrFormat("%.*f", decimals, value));
      absl::StrAppend(&line, " ", fields.back());
    }
    std::vector<float> values(fields.size());
    const auto word = ParseTextRow(line, values.size(), values.data());
    ASSERT_TRUE(word.ok()) << line << word.status();
    EXPECT_EQ(*word, "word");
    for (size_t k = 0; k < fields.size(); ++k) {
      EXPECT_EQ(std::bit_cast<uint32_t>(values[k]), ParsedBits(fields[k]))
          << fields[k];
    }
  }
}

TEST(ParseTextRowTest, TheOnlyTabSeparatesAWordThatEndsInANumber) {
  float values[2];
  for (const std::string word : {"room 5", "1 2 3", "a  -3.5e7 nan"}) {
    const std::string line = absl::StrCat(word, "\t0.5 -2 \r");
    const auto row = ParseTextRow(line, 2, values);
    ASSERT_TRUE(row.ok()) << row.status();
    EXPECT_EQ(*row, word);
    EXPECT_EQ(values[0], 0.5f);
    EXPECT_EQ(values[1], -2.0f);
  }
  for (const char* line :
       {"a 5 0.5 -2", "a\t5 0.5 -2", "a 5\t0.5\t-2", "a\t5\t0.5\t-2",
        "a\t5\t0.5 -2", "a 5 0.5\t-2", "a 5 \t0.5 -2"}) {
    EXPECT_THAT(std::string(ParseTextRow(line, 2, values).status().message()),
                testing::HasSubstr("expected 2 values, found 3"))
        << line;
  }
}

TEST(ParseTextRowTest, SpacesBeforeTheWordAreNotPartOfIt) {
  float values[2];
  for (const char* line : {" a 1 2", "   a  1 2 ", "\ta\t1\t2", " a b 1 2"}) {
    const auto row = ParseTextRow(line, 2, values);
    ASSERT_TRUE(row.ok()) << row.status();
    EXPECT_EQ(*row, line[3] == 'b' ? "a b" : "a") << line;
    EXPECT_EQ(values[0], 1.0f);
    EXPECT_EQ(values[1], 2.0f);
  }
}

TEST(ParseTextRowTest, FindsAWrongByteAnywhereInAValue) {
  const std::string rest(40, '1');
  for (const std::string number : {"-0.123456", "0.1", "-1.123456789012"}) {
    for (size_t at = 0; at < number.size(); ++at) {
      for (int byte = 0; byte < 256; ++byte) {
        std::string field = number;
        field[at] = static_cast<char>(byte);
        float values[2], expected;
        const char* const end = field.data() + field.size();
        const bool good = ParseFloat(field.data(), end, &expected) == end;
        if (byte == ' ' || byte == '\t') continue;
        const auto word =
            ParseTextRow(absl::StrCat("a ", field, " ", rest), 2, values);
        ASSERT_EQ(word.ok(), good) << field;
        if (!good || std::isnan(expected)) continue;
        EXPECT_EQ(values[0], expected) << field;
      }
    }
  }
}

// Digits are read eight at a time: every number of them, with every byte after
// them, and with and without room for eight.
TEST(ParseFloatTest, StopsAtTheFirstByteThatIsNoDigit) {
  for (size_t count = 1; count <= 14; ++count) {
    const std::string number = "-3." + std::string("98765432109876", count);
    for (int byte = 0; byte < 256; ++byte) {
      if (std::isdigit(byte) || byte == 'e' || byte == 'E') continue;
      for (const char* tail : {"", "1234567890"}) {
        const std::string text =
            absl::StrCat(number, std::string(1, static_cast<char>(byte)), tail);
        float value = 0;
        EXPECT_EQ(ParseFloat(text.data(), text.data() + text.size(), &value),
                  text.data() + number.size());
        EXPECT_EQ(value, std::strtof(number.c_str(), nullptr));
      }
    }
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
