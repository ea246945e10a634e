#include "tools/cli/foreign_names.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/commands.h"

namespace firth::tools {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// What `command` says of options; empty: they are not those of others.
std::string Answer(const std::string& command,
                   const std::vector<std::string>& arguments) {
  const std::vector<std::string> words = absl::StrSplit(command, ' ');
  const auto found = FindCommand(words);
  EXPECT_TRUE(found.ok()) << command;
  const OptionSet options = DeclareOptions(found->command.get());
  return std::string(RefuseForeignOptions(arguments, options).message());
}

TEST(ForeignNamesTest, EveryOptionOfOthersIsOneOfOursOrIsToldToBeMissing) {
  for (const ForeignOption& row : ForeignOptions()) {
    SCOPED_TRACE(row.name);
    bool answered = false;
    for (const auto& command : AllCommands()) {
      const OptionSet options = DeclareOptions(command.get());
      if (!row.option.empty() && options.Find(row.option) == nullptr) continue;
      const std::string typed = absl::StrCat("-", row.name);
      const absl::Status status = RefuseForeignOptions({typed}, options);
      answered |= absl::StrContains(
          status.message(),
          row.option.empty() ? absl::StrCat(typed, ": ", row.note)
                             : absl::StrCat("in Firth it is --", row.option));
    }
    EXPECT_TRUE(answered);
  }
}

struct OptionCase {
  std::string command;
  std::vector<std::string> arguments;
  std::string answer;
};

const OptionCase kOptionCases[] = {
    {"train", {"--lr", "0.1"}, "--lr: in Firth it is --learning-rate 0.1"},
    {"train", {"--size=300"}, "--size: in Firth it is --dim 300"},
    {"train", {"--iter"}, "--iter: in Firth it is --epochs N"},
    {"train", {"--workers", "8"}, "in Firth it is --threads 8"},
    {"train", {"--sg", "1"}, "in Firth it is --arch skipgram"},
    {"train", {"--sg=0"}, "in Firth it is --arch cbow"},
    {"train", {"--sg"}, "in Firth it is --arch skipgram|cbow"},
    {"train", {"--hs", "1"}, "in Firth it is --loss hs"},
    {"train", {"-cbow", "0"}, "-cbow: in Firth it is --arch skipgram"},
    {"train", {"-minCount", "2"}, "-minCount: in Firth it is --min-count 2"},
    {"train", {"--min_count", "2"}, "in Firth it is --min-count 2"},
    {"train", {"-input", "c.txt"}, "-input: in Firth it is --input c.txt"},
    {"train", {"-output", "v"}, "-output: in Firth it is --output v"},
    {"train", {"-wordNgrams", "2"}, "-wordNgrams: Firth does not have it"},
    {"train", {"-verbose", "0"}, "in Firth it is --quiet, which"},
    {"nn", {"v.bin", "king", "-k", "5"}, "-k: in Firth it is --top 5"},
    {"nn", {"v.bin", "--topn", "5"}, "--topn: in Firth it is --top 5"},
    {"convert", {"a", "b", "-binary", "1"}, "in Firth it is --to bin"},
    {"lm train", {"--lr", "1"}, "in Firth it is --learning-rate 1"},
    {"train", {"-label", "__label__"}, "\"firth classify train\""},
    {"train", {"-autotune-duration", "9"}, "\"firth classify tune\" searches"},
    {"classify train", {"-wordNgrams", "2"}, "in Firth it is --word-ngrams 2"},
    {"classify train", {"-lr", ".5"}, "in Firth it is --learning-rate .5"},
    {"classify train", {"-loss", "ova"}, "in Firth it is --loss ova"},
    {"classify train",
     {"-label", "__x__"},
     "in Firth it is --label-prefix __x__"},
    {"classify train",
     {"-pretrainedVectors", "v"},
     "in Firth it is --vectors v"},
    {"classify train", {"-minn", "3"}, "-minn: in Firth it is --min-n 3"},
    {"classify tune",
     {"-autotune-validation", "v"},
     "in Firth it is --valid v"},
    {"classify tune",
     {"-autotune-modelsize", "2M"},
     "in Firth it is --max-size 2M"},
    {"classify tune", {"-autotune-metric", "f1"}, "--metric micro-f1"},
    {"classify quantize",
     {"-retrain"},
     "in Firth it is --input FILE, the texts"},
};

TEST(ForeignNamesTest, OptionsComeWithTheirValues) {
  for (const OptionCase& asked : kOptionCases) {
    EXPECT_THAT(Answer(asked.command, asked.arguments),
                HasSubstr(asked.answer));
  }
}

TEST(ForeignNamesTest, AllOptionsAreAnsweredAtOnce) {
  EXPECT_EQ(Answer("train", {"-input", "c.txt", "-size", "5", "-o", "v.bin"}),
            "unknown option -input: in Firth it is --input c.txt\n       "
            "unknown option -size: in Firth it is --dim 5");
}

TEST(ForeignNamesTest, WhatIsNoOptionOfOthersIsLeftToTheParser) {
  EXPECT_THAT(Answer("train", {"-icorpus.txt", "-ov.bin", "-q", "-"}),
              IsEmpty());
  EXPECT_THAT(Answer("train", {"--learning-rate", "-1", "-5"}), IsEmpty());
  EXPECT_THAT(Answer("train", {"--epohcs", "3"}), IsEmpty());
  EXPECT_THAT(Answer("nn", {"v.bin", "--", "-size"}), IsEmpty());
  // Of a command that has nothing of the kind.
  EXPECT_THAT(Answer("info", {"--lr", "1"}), IsEmpty());
}

TEST(ForeignNamesTest, OurOwnOptionsAreNotRefused) {
  for (const auto& command : AllCommands()) {
    const OptionSet options = DeclareOptions(command.get());
    for (const OptionSection& section : options.sections()) {
      for (const Option& option : section.options) {
        EXPECT_TRUE(RefuseForeignOptions({"--" + option.name}, options).ok());
        if (option.letter == 0) continue;
        EXPECT_TRUE(RefuseForeignOptions({{'-', option.letter}}, options).ok());
      }
    }
  }
}

TEST(ForeignNamesTest, EveryCommandOfOthersIsOneOfOursOrIsToldToBeMissing) {
  for (const ForeignCommand& row : ForeignCommands()) {
    SCOPED_TRACE(row.name);
    const std::string name(row.name);
    const auto unknown = FindCommand({name});
    ASSERT_FALSE(unknown.ok());
    EXPECT_THAT(std::string(unknown.status().message()),
                StartsWith(absl::StrCat(
                    "unknown command \"", name, "\": ",
                    row.here.empty()
                        ? absl::StrCat("Firth does not have it: ", row.note)
                        : absl::StrCat("in Firth it is \"firth ", row.here))));
    if (row.here.empty()) continue;
    const std::vector<std::string> words = absl::StrSplit(row.here, ' ');
    const auto found = FindCommand(words);
    ASSERT_TRUE(found.ok());
    const OptionSet options = DeclareOptions(found->command.get());
    for (const std::string& word : words) {
      if (!absl::StartsWith(word, "--")) continue;
      EXPECT_NE(options.Find(word.substr(2)), nullptr) << word;
    }
  }
}

TEST(ForeignNamesTest, CommandsAreFoundInAnySpelling) {
  for (const char* typed : {"most_similar", "most-similar", "mostSimilar"}) {
    EXPECT_THAT(AnswerForeignCommand(typed), HasSubstr("\"firth nn "));
  }
  EXPECT_THAT(AnswerForeignCommand("doc2vec"), HasSubstr("does not have"));
  EXPECT_THAT(AnswerForeignCommand("trian"), IsEmpty());
}

}  // namespace
}  // namespace firth::tools
