#include "tools/cli/json.h"

#include <optional>
#include <string>

#include "gtest/gtest.h"

namespace firth::tools {
namespace {

TEST(HexTest, TwoDigitsOfEitherCaseAreAByte) {
  EXPECT_EQ(HexToBytes(""), "");
  EXPECT_EQ(HexToBytes("00ff7F"), std::string("\0\xff\x7f", 3));
}

TEST(HexTest, WhatIsNotHexIsNothing) {
  for (const char* text :
       {"f", "fff", "0g", "g0", "-1", "+1", " 1", "1 ", "0x"}) {
    EXPECT_EQ(HexToBytes(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace firth::tools
