// Files of facts about words, right and wrong.

#include "tools/serve/word_labels.h"

#include <cmath>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace firth::tools {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsNan;

TEST(WordLabelsTest, ColumnsAreNumbersOrCategories) {
  const auto labels = ParseWordLabels(
      "word\tpart\tyear\tnote\r\nking\tnoun\t1900\t\r\n\nrun\tverb\t\t\n"
      "queen\tnoun\t-2.5\t\n",
      "f.tsv");
  ASSERT_TRUE(labels.ok()) << labels.status();
  EXPECT_THAT(labels->words, ElementsAre("king", "run", "queen"));
  ASSERT_EQ(labels->columns.size(), 3u);
  EXPECT_EQ(labels->columns[0].name, "part");
  EXPECT_THAT(labels->columns[0].categories, ElementsAre("noun", "verb"));
  EXPECT_THAT(labels->columns[0].values, ElementsAre(0, 1, 0));
  EXPECT_TRUE(labels->columns[1].is_number());
  EXPECT_THAT(labels->columns[1].values, ElementsAre(1900, IsNan(), -2.5));
  EXPECT_THAT(labels->columns[2].values,
              ElementsAre(IsNan(), IsNan(), IsNan()));
}

TEST(WordLabelsTest, UsualMarksOfMissingValuesAreMissing) {
  const auto labels = ParseWordLabels(
      "w\tyear\tpart\na\tn/a\tnoun\nb\tNA\t-\nc\tNaN\tnone\nd\tNULL\t?\n"
      "e\t\tNone \nf\t1900\tnothing\n",
      "f.tsv");
  ASSERT_TRUE(labels.ok()) << labels.status();
  EXPECT_TRUE(labels->columns[0].is_number());
  EXPECT_THAT(labels->columns[0].values,
              ElementsAre(IsNan(), IsNan(), IsNan(), IsNan(), IsNan(), 1900));
  EXPECT_THAT(labels->columns[1].categories, ElementsAre("noun", "nothing"));
  EXPECT_THAT(labels->notices, testing::IsEmpty());
}

TEST(WordLabelsTest, AColumnThatIsAlmostANumberIsNoticed) {
  const auto labels = ParseWordLabels(
      "w\tyear\tpart\tnone\n\na\t1900\tx\t\nb\tc. 1950\t7\t\nc\t2000\ty\t\n"
      "d\t1e99\tz\t\ne\t1910\t\t\n",
      "f.tsv");
  ASSERT_TRUE(labels.ok()) << labels.status();
  EXPECT_FALSE(labels->columns[0].is_number());
  EXPECT_THAT(
      labels->notices,
      ElementsAre("f.tsv: the column \"year\" is shown as categories, although "
                  "3 of 5 values are numbers, because line 4 has \"c. 1950\"; "
                  "leave a missing value empty, or write NA",
                  "f.tsv: the column \"none\" has no value"));
}

TEST(WordLabelsTest, AreGivenForTheWordsOfAMap) {
  const auto labels = ParseWordLabels("w\tx\nking\ta\nqueen\tb\n", "f.tsv");
  ASSERT_TRUE(labels.ok()) << labels.status();
  size_t found = 0;
  const auto columns = LabelsOf(*labels, {"queen", "river", "king"}, &found);
  EXPECT_EQ(found, 2u);
  ASSERT_EQ(columns.size(), 1u);
  EXPECT_THAT(columns[0].values, ElementsAre(1, IsNan(), 0));
}

TEST(WordLabelsTest, RepeatedWordsCanBeCounted) {
  uint64_t repeated = 7;
  const auto labels =
      ParseWordLabels("w\tx\na\t1\nb\t2\na\t3\n", "f.tsv", &repeated);
  ASSERT_TRUE(labels.ok()) << labels.status();
  EXPECT_EQ(repeated, 1u);
  EXPECT_THAT(labels->words, ElementsAre("a", "b"));
  EXPECT_THAT(labels->columns[0].values, ElementsAre(1, 2));
}

TEST(WordLabelsTest, ErrorsNameTheLine) {
  struct Case {
    std::string text;
    std::string message;
  };
  std::string many = "w\tx\n";
  for (int i = 0; i < 10'001; ++i) absl::StrAppend(&many, i, "\tv", i, "\n");
  for (const Case& c :
       {Case{"", "f.tsv: expected a line with the names"},
        Case{"w\tx\n", "found only the names"},
        Case{"w\n", "f.tsv:1: expected the names of 2 to 65 columns"},
        Case{"w\tx\tx\na\t1\t2\n", "found \"x\" in columns 2 and 3"},
        Case{"w\ty\t \na\t1\t2\n", "f.tsv:1: the name of column 3 is empty"},
        Case{"w\tx\ty\na\t\tNA\nb\tnull\t\n",
             "f.tsv: expected values after the words, found none"},
        Case{"w\tx\na\n", "f.tsv:2: expected 2 columns, found 1"},
        Case{"w\tx\na\t1\na\t2\n",
             "f.tsv:3: the word \"a\" is already in "
             "line 2"},
        Case{"w\tx\na\t\xff\n", "f.tsv:2: the line is not valid UTF-8"},
        Case{absl::StrCat("w\tx\na\t", std::string(1001, 'v'), "\n"),
             "f.tsv:2: expected values of at most 1000 bytes, found 1001"},
        Case{many, "f.tsv: the column \"x\" has 10001 different values"}}) {
    const auto labels = ParseWordLabels(c.text, "f.tsv");
    ASSERT_FALSE(labels.ok()) << c.message;
    EXPECT_THAT(labels.status().message(), HasSubstr(c.message));
  }
}

}  // namespace
}  // namespace firth::tools
