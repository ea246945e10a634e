// firth align as a user runs it.

#include <filesystem>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "support/run_program.h"

namespace firth {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

class AlignTest : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    if (IsSkipped()) return;
    // The target is the source turned by a right angle.
    source_ =
        File("s.txt", "4 2\nhund 3 0\nkatze 0 2\n1914 1 1\nallein -1 0.5\n");
    target_ = File("t.txt", "4 2\ncat -5 0\n1914 -1 1\ndog 0 1\nalone 1 1\n");
    pairs_ = File("pairs.txt", "# de en\nhund dog\n1914\t1914\nkuh cow\n");
    test_ = File("test.txt", "katze cat\nkatze tomcat\npferd horse\n");
  }

  std::string source_, target_, pairs_, test_;
};

TEST_F(AlignTest, WritesTheSourceInTheSpaceOfTheTarget) {
  const Outcome outcome =
      RunFirth({"align", source_, target_, "--dictionary", pairs_, "--output",
                Path("out.txt"), "--map", Path("w.npy")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(
      outcome.err,
      AllOf(HasSubstr("learning from 2 pairs of " + pairs_ +
                      "; pairs left out because a word has no vector: 1"),
            HasSubstr("out.txt: 4 words of 2 dimensions, text")));
  const json nearest = json::parse(
      RunFirth({"similarity", Path("out.txt"), "hund", "katze", "--json"}).out);
  EXPECT_NEAR(nearest.at("similarity").get<double>(), 0, 1e-5);
  std::istringstream lines(ReadWholeFile(Path("out.txt")));
  std::string line, word;
  float x, y;
  std::getline(lines, line);
  EXPECT_EQ(line, "4 2");
  ASSERT_TRUE(lines >> word >> x >> y);
  EXPECT_EQ(word, "hund");
  EXPECT_NEAR(x, 0, 1e-5);
  EXPECT_NEAR(y, 3, 1e-5);
  EXPECT_EQ(ReadWholeFile(Path("w.npy")).substr(1, 5), "NUMPY");
}

TEST_F(AlignTest, PrecisionAndCoverageAreTold) {
  for (const std::string retrieval : {"csls", "cosine"}) {
    const Outcome table =
        RunFirth({"align", source_, target_, "--dictionary", pairs_,
                  "--test-dictionary", test_, "--retrieval", retrieval});
    EXPECT_EQ(table.code, 0) << table.err;
    EXPECT_THAT(table.out,
                AllOf(HasSubstr(test_ + "\ntranslation  correct  asked"),
                      HasSubstr("@1                 1      1     100.0%"),
                      HasSubstr("asked 1 of 2 words (50.0%); 2 of 3 pairs not "
                                "covered")));
  }
  const json answer =
      json::parse(RunFirth({"align", source_, target_, "--dictionary", pairs_,
                            "--test-dictionary", test_, test_, "--json"})
                      .out);
  EXPECT_EQ(answer.at("dictionary"), pairs_);
  EXPECT_EQ(answer.at("pairs"), json({2}));
  EXPECT_EQ(answer.at("total_pairs"), 3);
  ASSERT_EQ(answer.at("tests").size(), 2u);
  EXPECT_EQ(answer.at("tests")[1].at("precision").at("1"), 1.0);
  EXPECT_EQ(answer.at("tests")[1].at("asked"), 1);
  EXPECT_EQ(answer.at("tests")[1].at("total_pairs"), 3);
}

TEST_F(AlignTest, WithoutADictionarySpellingsAreOne) {
  for (const std::vector<std::string>& given :
       {std::vector<std::string>{}, {"--dictionary", "identical"}}) {
    std::vector<std::string> arguments = {
        "align", source_,          target_, "--test-dictionary",
        test_,   "--refine-words", "0",     "--refine",
        "2",     "--neighbors",    "1",     "--json"};
    arguments.insert(arguments.end(), given.begin(), given.end());
    const Outcome outcome = RunFirth(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(outcome.err,
                AllOf(HasSubstr("learning from 1 word spelled the same"),
                      HasSubstr("too few pairs to determine a rotation"),
                      HasSubstr("refinement 2: ")));
    EXPECT_EQ(json::parse(outcome.out).at("pairs")[0], 1);
  }
}

TEST_F(AlignTest, NothingCoveredHasNoPrecision) {
  const std::string test = File("none.txt", "pferd horse\n");
  const std::vector<std::string> arguments = {"align", source_, target_,
                                              "--test-dictionary", test};
  EXPECT_THAT(RunFirth(arguments).out,
              HasSubstr("asked 0 of 1 word (0.0%); 1 of 1 pair not covered"));
  std::vector<std::string> as_json = arguments;
  as_json.emplace_back("--json");
  EXPECT_TRUE(json::parse(RunFirth(as_json).out)
                  .at("tests")[0]
                  .at("precision")
                  .at("1")
                  .is_null());
}

struct BadCase {
  std::string name;
  std::vector<std::string> arguments;  // after SOURCE and TARGET
  std::string message;
  int code = 1;
};

TEST_F(AlignTest, WhatIsWrongIsNamedAndNothingIsWritten) {
  const std::string wide = File("wide.txt", "1 3\nhund 1 2 3\n");
  const std::string strange = File("strange.txt", "1 2\nnichts 1 2\n");
  const std::string zero = File("zero.txt", "1 2\n1914 0 0\n");
  const std::string bad = File("bad.txt", "hund dog\nkatze\n");
  const std::string out = Path("out.txt");
  const std::string folder = Path("folder");
  std::filesystem::create_directory(folder);
  const BadCase kCases[] = {
      {"other dimension",
       {wide, "-o", out},
       "s.txt: the vectors must have 3 dimensions, as in " + wide +
           ", found 2"},
      {"malformed dictionary",
       {source_, "-o", out, "--dictionary", bad},
       "bad.txt:2: expected a word and its translation, found 1 columns"},
      {"malformed test",
       {source_, "-o", out, "--test-dictionary", bad},
       "bad.txt:2: expected a word and its translation"},
      {"no common words",
       {strange, "-o", out},
       "identical: no pair of words has nonzero vectors in both models"},
      {"zero vectors",
       {zero, "-o", out},
       "identical: no pair of words has nonzero vectors"},
      {"missing dictionary",
       {source_, "-o", out, "--dictionary", Path("none")},
       "none: cannot open"},
      {"a folder for a dictionary",
       {source_, "-o", out, "--dictionary", folder},
       "folder"},
      {"no folder for the output",
       {source_, "-o", Path("no/out.txt")},
       "no/out.txt"},
      {"unknown format", {source_, "-o", Path("out.xyz")}, "out.xyz", 2},
      {"nothing to do", {source_}, "give --output FILE", 2},
      {"format of nothing",
       {source_, "--map", Path("w.npy"), "--to", "text"},
       "--to requires --output FILE",
       2},
      {"restrict of nothing",
       {source_, "-o", out, "--restrict", "5"},
       "--restrict requires --test-dictionary FILE",
       2},
      {"refine-words of nothing",
       {source_, "-o", out, "--refine-words", "5"},
       "--refine-words requires --refine 1 or more",
       2},
      {"a map that moves",
       {source_, "--map", Path("w.npy"), "--center"},
       "--map cannot be combined with --center",
       2},
      {"no neighbours",
       {source_, "-o", out, "--neighbors", "0"},
       "--neighbors: expected a whole number, 1 to 1000, found \"0\"",
       2},
  };
  for (const BadCase& c : kCases) {
    SCOPED_TRACE(c.name);
    // The first argument is SOURCE; TARGET is the usual source.
    std::vector<std::string> arguments = {"align", c.arguments[0], source_};
    if (c.arguments[0] == source_) arguments[2] = target_;
    arguments.insert(arguments.end(), c.arguments.begin() + 1,
                     c.arguments.end());
    const Outcome outcome = RunFirth(arguments);
    EXPECT_EQ(outcome.code, c.code) << outcome.err;
    EXPECT_THAT(outcome.out, IsEmpty());
    EXPECT_THAT(outcome.err, HasSubstr(c.message));
    EXPECT_FALSE(std::filesystem::exists(out));
  }
}

}  // namespace
}  // namespace firth
