#include "gtest/gtest.h"
#include "tools/cli/prompt.h"

namespace firth::tools {
namespace {

TEST(CompletionListTest, FillsLinesAndCountsTheRest) {
  const Completions found{5, "", {"abcd", "\u65e5\u672c", "e"}};
  EXPECT_EQ(CompletionList(found, 10), "abcd  \u65e5\u672c\ne\n... 2 more\n");
  EXPECT_EQ(CompletionList(found, 80), "abcd  \u65e5\u672c  e  ... 2 more\n");
  EXPECT_EQ(CompletionList({1, "", {"longer than that"}}, 3),
            "longer than that\n");
}

}  // namespace
}  // namespace firth::tools
