#include "firth/parallel_text.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/temp_files.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ParallelTextTest : public testing::Test {
 protected:
  TempFolder folder;
};

TEST_F(ParallelTextTest, ReadsTwoFilesLineByLine) {
  ParallelTextOptions options;
  options.inputs = {folder.Write("a.de", "Ein  Hund\n\nEine\tKatze\n"),
                    folder.Write("b.de", "x\n")};
  options.targets = {folder.Write("a.en", "a dog\nempty\na cat\n"),
                     folder.Write("b.en", "y")};
  options.tokens.lowercase = true;
  LeftOutPairs left_out;
  const auto pairs = ReadParallelText(options, nullptr, &left_out);
  ASSERT_EQ(pairs.status(), absl::OkStatus());
  ASSERT_EQ(pairs->size(), 3u);
  EXPECT_THAT((*pairs)[0].source, ElementsAre("ein", "hund"));
  EXPECT_THAT((*pairs)[0].target, ElementsAre("a", "dog"));
  EXPECT_THAT((*pairs)[1].source, ElementsAre("eine", "katze"));
  EXPECT_THAT((*pairs)[2].target, ElementsAre("y"));
  EXPECT_EQ(left_out.empty, 1u);
  EXPECT_EQ(left_out.first_empty, options.inputs[0] + ":2");
  EXPECT_EQ(left_out.too_long, 0u);
}

TEST_F(ParallelTextTest, ReadsColumnsWithLabelsAsCharacters) {
  ParallelTextOptions options;
  options.inputs = {folder.Write("t.tsv", "Öl\tÖle n\tN;PL\nab\tcd\t\n")};
  options.label_column = 3;
  options.prefix = "form:";
  options.tokens.units = TextUnits::kCharacters;
  const auto pairs = ReadParallelText(options);
  ASSERT_EQ(pairs.status(), absl::OkStatus());
  EXPECT_THAT((*pairs)[0].source,
              ElementsAre("form:", "<N>", "<PL>", "Ö", "l"));
  EXPECT_THAT((*pairs)[0].target, ElementsAre("Ö", "l", "e", " ", "n"));
  EXPECT_THAT((*pairs)[1].source, ElementsAre("form:", "a", "b"));
  EXPECT_EQ(TextOf(options.tokens, (*pairs)[0].target), "Öle n");
}

TEST_F(ParallelTextTest, LabelsAreNoMarks) {
  ParallelTextOptions options;
  options.inputs = {folder.Write("t.tsv", "a\tb\tS;/S;UNK;PL\n")};
  options.label_column = 3;
  const auto pairs = ReadParallelText(options);
  ASSERT_EQ(pairs.status(), absl::OkStatus());
  EXPECT_THAT((*pairs)[0].source,
              ElementsAre("<<S>>", "<</S>>", "<<UNK>>", "<PL>", "a"));
  options.label_column = 2;
  EXPECT_THAT(ReadParallelText(options).status().message(),
              HasSubstr("label-column: expected another column"));
}

TEST_F(ParallelTextTest, KeepsALineForALine) {
  ParallelTextOptions options;
  options.inputs = {folder.Write("t.txt", "a b c\n\nd\n")};
  options.with_targets = false;
  options.keep_all = true;
  options.max_tokens = 2;
  auto reader = ParallelTextReader::Open(options);
  ASSERT_EQ(reader.status(), absl::OkStatus());
  std::vector<TextPair> all;
  for (;;) {
    const auto some = reader->Next(2);
    ASSERT_EQ(some.status(), absl::OkStatus());
    if (some->empty()) break;
    all.insert(all.end(), some->begin(), some->end());
  }
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].left_out,
            options.inputs[0] + ":1: expected at most 2 tokens, found 3");
  EXPECT_THAT(all[0].source, IsEmpty());
  EXPECT_THAT(all[1].source, IsEmpty());
  EXPECT_EQ(all[1].left_out, "");
  EXPECT_THAT(all[2].source, ElementsAre("d"));
  EXPECT_EQ(reader->left_out().too_long, 1u);
}

TEST_F(ParallelTextTest, FilesOfDifferentLengthsAreAnErrorWithTheLine) {
  ParallelTextOptions options;
  options.inputs = {folder.Write("a", "x\ny\nz\n")};
  options.targets = {folder.Write("b", "x\ny\n")};
  const absl::Status longer = ReadParallelText(options).status();
  EXPECT_EQ(
      longer.message(),
      absl::StrCat(options.inputs[0], ":3: this line has no partner, since ",
                   options.targets[0],
                   " has only 2 lines; both files must have the same "
                   "number of lines"));
  std::swap(options.inputs, options.targets);
  EXPECT_THAT(ReadParallelText(options).status().message(),
              HasSubstr(absl::StrCat(options.targets[0], ":3: this line")));
}

TEST_F(ParallelTextTest, ReportsAMissingColumn) {
  ParallelTextOptions options;
  options.inputs = {folder.Write("t.tsv", "a\tb\nonly one\n")};
  EXPECT_EQ(ReadParallelText(options).status().message(),
            options.inputs[0] +
                ":2: expected at least 2 columns separated by tabs, found 1 in "
                "\"only one\"");
}

TEST_F(ParallelTextTest, RefusesOptionsThatCannotBe) {
  ParallelTextOptions options;
  EXPECT_THAT(ReadParallelText(options).status().message(),
              HasSubstr("at least one input"));
  options.inputs = {"a", "b"};
  options.targets = {"c"};
  EXPECT_THAT(ReadParallelText(options).status().message(),
              HasSubstr("one file of targets for each of the 2 inputs"));
  options.targets.clear();
  options.target_column = 1;
  EXPECT_THAT(ReadParallelText(options).status().message(),
              HasSubstr("different columns"));
  options.target_column = 2;
  options.inputs = {folder.Write("empty", "\t\n\n")};
  options.max_tokens = 0;
  EXPECT_THAT(ReadParallelText(options).status().message(),
              HasSubstr("max-tokens: expected 1 to 65536"));
}

TEST_F(ParallelTextTest, ATextWithoutPairsIsAnError) {
  ParallelTextOptions options;
  options.inputs = {folder.Write("t", "\tx\ny\t\n")};
  EXPECT_EQ(ReadParallelText(options).status().message(),
            options.inputs[0] +
                ": the input contains no pairs with tokens on both sides");
}

}  // namespace
}  // namespace firth
