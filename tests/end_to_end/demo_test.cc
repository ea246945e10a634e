// The demo: what it shows is right, and the same each time.

#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/run_program.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class DemoTest : public ProgramTest {};

TEST_F(DemoTest, SolvesItsOwnAnalogies) {
  const Outcome demo =
      RunFirth({"demo", "--words", "1500000", "--output", Path("demo.bin")});
  ASSERT_EQ(demo.code, 0) << demo.err;
  EXPECT_THAT(demo.out, HasSubstr("france is to paris as japan is to: tokyo"));
  const size_t total = demo.out.find("\ntotal ");
  ASSERT_NE(total, std::string::npos);
  const size_t percent = demo.out.find('%', total);
  EXPECT_GE(std::stod(demo.out.substr(percent - 5, 5)), 90.0) << demo.out;
  EXPECT_EQ(RunFirth({"info", Path("demo.bin")}).code, 0);

  // The last thing it shows: cosines of four occurrences of a word, the first
  // two of one sense and the others of another.
  const size_t senses =
      demo.out.find("These vectors have only one vector for \"bank\"");
  ASSERT_NE(senses, std::string::npos) << demo.out;
  std::vector<std::vector<double>> cosines;
  for (const absl::string_view line :
       absl::StrSplit(demo.out.substr(senses), '\n')) {
    if (cosines.size() == 4) break;
    if (!absl::StartsWith(line, absl::StrCat("  ", cosines.size() + 1, " "))) {
      continue;
    }
    std::vector<double>& row = cosines.emplace_back();
    for (const absl::string_view field : absl::StrSplit(
             line.substr(line.size() - 24), ' ', absl::SkipEmpty())) {
      row.push_back(std::stod(std::string(field)));
    }
    ASSERT_EQ(row.size(), 4) << line;
  }
  ASSERT_EQ(cosines.size(), 4) << demo.out;
  const double within = (cosines[0][1] + cosines[2][3]) / 2;
  const double across =
      (cosines[0][2] + cosines[0][3] + cosines[1][2] + cosines[1][3]) / 4;
  EXPECT_LT(across, within - 0.1) << demo.out;
  EXPECT_THAT(demo.out, HasSubstr("Sentences 1 and 2 are similar"));
  EXPECT_THAT(demo.out,
              HasSubstr(ProgramPath() + " explore " + Path("demo.bin")));
  EXPECT_THAT(demo.out, HasSubstr(ProgramPath() + " train --input YOUR.txt"));
}

// All of it but the seconds.
std::string DemoStory(const char* threads) {
  const Outcome demo =
      RunFirth({"demo", "--words", "200000", "--threads", threads});
  EXPECT_EQ(demo.code, 0) << demo.err;
  std::string story;
  for (const absl::string_view line : absl::StrSplit(demo.out, '\n')) {
    if (!absl::StrContains(line, "words/s") &&
        !absl::StrContains(line, " in ")) {
      absl::StrAppend(&story, line, "\n");
    }
  }
  return story;
}

TEST_F(DemoTest, TellsTheSameStoryEachTime) {
  const std::string one = DemoStory("1");
  EXPECT_THAT(one, HasSubstr("words    1,961 different"));
  EXPECT_EQ(DemoStory("2"), one);
}

// Their corpora lack a word or two of those that the demo shows.
TEST_F(DemoTest, EverySmallCorpusIsEnough) {
  for (const char* seed : {"1", "2", "3", "4", "5", "6", "7", "8"}) {
    const Outcome demo = RunFirth({"demo", "--words", "20000", "--seed", seed});
    EXPECT_EQ(demo.code, 0) << seed << ": " << demo.err;
    EXPECT_THAT(demo.out, HasSubstr("Now with your own text")) << seed;
  }
}

TEST_F(DemoTest, PrintsItsCorpus) {
  const std::vector<std::string> arguments = {"demo", "--words", "100000",
                                              "--print"};
  const auto print = [&](const char* what) {
    std::vector<std::string> all = arguments;
    all.emplace_back(what);
    return RunFirth(all);
  };
  const Outcome plain = print("corpus");
  const Outcome tagged = print("tagged");
  EXPECT_EQ(plain.code, 0);
  EXPECT_EQ(tagged.code, 0);
  EXPECT_EQ(plain.err, "");
  const std::vector<std::string> words =
      absl::StrSplit(plain.out, absl::ByAnyChar(" \n"), absl::SkipEmpty());
  const std::vector<std::string> pairs =
      absl::StrSplit(tagged.out, absl::ByAnyChar(" \n"), absl::SkipEmpty());
  EXPECT_GE(words.size(), 100000);
  ASSERT_EQ(words.size(), pairs.size());
  std::set<std::string> tags_of_bank;
  for (size_t i = 0; i < words.size(); ++i) {
    ASSERT_TRUE(absl::StartsWith(pairs[i], words[i] + "/")) << pairs[i];
    if (words[i] == "bank") tags_of_bank.insert(pairs[i]);
  }
  EXPECT_THAT(tags_of_bank, ElementsAre("bank/cash", "bank/noun.own"));
}

}  // namespace
}  // namespace firth
