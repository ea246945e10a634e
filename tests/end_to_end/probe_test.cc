// firth probe as a user runs it.

#include <string>
#include <vector>

#include "end_to_end/contextual_program.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "support/run_program.h"

namespace firth {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

using ProbeProgramTest = ContextualProgramTest;

TEST_F(ProbeProgramTest, ProbesPrintATable) {
  const Outcome outcome = RunFirth(
      {"probe", "--vectors", Vectors(), "--contextualizer", TinyLm(), "--train",
       Tagged("train", 60, 1), "--test", Tagged("test", 20, 2)});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const char* row : {"most frequent tag", "static ", "layer 0", "layer 2",
                          "mix", "static + layer 1"}) {
    EXPECT_THAT(outcome.out, HasSubstr(row));
  }
}

TEST_F(ProbeProgramTest, SensesOfAllWordsAreProbed) {
  const std::string known =
      File("known",
           "<contextfile>\n<s snum=1>\n<wf cmd=ignore>the</wf>\n"
           "<wf cmd=done lemma=cat wnsn=1 lexsn=1:05:00::>cat</wf>\n</s>\n"
           "<s snum=2><wf lemma=cat wnsn=2 lexsn=1:18:01::>cat</wf></s>\n");
  const std::string asked =
      File("asked.data.xml",
           "<?xml version=\"1.0\" ?>\n<corpus><text><sentence id=\"s\">\n"
           "<wf lemma=\"the\" pos=\"DET\">the</wf>\n"
           "<instance id=\"s.0\" lemma=\"cat\" pos=\"NOUN\">cat</instance>\n"
           "<instance id=\"s.1\" lemma=\"dog\" pos=\"NOUN\">dog</instance>\n"
           "</sentence></text></corpus>\n");
  File("asked.gold.key.txt", "s.0 cat%1:05:00::\ns.1 dog%1:05:00::\n");
  const std::vector<std::string> probe = {
      "probe", "--contextualizer", TinyLm(), "--known",
      known,   "--senses",         asked,    "--json"};
  const Outcome outcome = RunFirth(probe);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json report = json::parse(outcome.out);
  EXPECT_EQ(report["known"], 2);
  EXPECT_EQ(report["texts"][0]["asked"], 2);
  const json first = report["texts"][0]["scores"][0];
  EXPECT_EQ(first["features"], "most frequent sense");
  EXPECT_EQ(first["precision"], 1);
  EXPECT_EQ(first["recall"], 0.5);
  EXPECT_EQ(report["texts"][0]["scores"].size(), 5u);
  std::vector<std::string> with_first = probe;
  with_first.insert(
      with_first.end(),
      {"--first-senses", File("index.sense", "dog%1:05:00:: 02084071 1 42\n")});
  EXPECT_EQ(
      json::parse(RunFirth(with_first).out)["texts"][0]["scores"][0]["f1"], 1);
  File("asked.gold.key.txt", "s.0 cat%1:05:00::\n");
  const Outcome lacking = RunFirth(probe);
  EXPECT_EQ(lacking.code, 1);
  EXPECT_THAT(
      lacking.err,
      AllOf(HasSubstr("asked.data.xml:5: expected an instance whose id"),
            HasSubstr("asked.gold.key.txt")));
}

TEST_F(ProbeProgramTest, WhatIsWrongIsSaid) {
  const std::string columns = File("bad", "a B\nb\n");
  ExpectFailures({
      {"nothing to probe",
       {"probe", "--vectors", "v"},
       2,
       "give --train FILE and --test FILE, or --senses FILE"},
      {"senses of another form",
       {"probe", "--vectors", Vectors(), "--senses", columns},
       1,
       columns + ":1: expected a sense, the position"},
  });
}

}  // namespace
}  // namespace firth
