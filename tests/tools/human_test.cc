#include "tools/cli/human.h"

#include <string>

#include "gtest/gtest.h"

namespace firth::tools {
namespace {

// Widths by Unicode Standard Annex 11 and the general category of marks.
TEST(DisplayWidthTest, CountsColumns) {
  struct Case {
    const char* name;
    std::string text;
    size_t columns;
  };
  const Case cases[] = {
      {"nothing", "", 0},
      {"ASCII", "word", 4},
      {"two bytes a character", "\u00e9t\u00e9", 3},
      {"wide", "\u65e5\u672c\u8a9e", 6},
      {"fullwidth form", "\uff21", 2},
      {"halfwidth form", "\uff71", 1},
      {"Hangul", "\ud55c", 2},
      {"combining acute", "e\u0301", 1},
      {"Thai vowel sign", "\u0e01\u0e34", 1},
      {"joiner", "a\u200db", 2},
      {"invalid bytes", "a\xff\xe6\x97", 4},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(DisplayWidth(c.text), c.columns) << c.name;
  }
}

TEST(TextTableTest, AlignsByColumnsAndNotByBytes) {
  TextTable table("lr");
  table.AddRow({"\u65e5\u672c", "1"});
  table.AddRow({"e\u0301", "10"});
  EXPECT_EQ(table.ToString(), "\u65e5\u672c   1\ne\u0301     10\n");
}

}  // namespace
}  // namespace firth::tools
