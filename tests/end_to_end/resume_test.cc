// What --resume takes for the training that it goes on with.

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/run_program.h"

namespace firth {
namespace {

using testing::HasSubstr;

class ResumeTest : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    if (IsSkipped()) return;
    const Outcome trained =
        RunFirth({"train", "--input", File("text", TwoTopicText(200)),
                  "--output", Path("v.bin"), "--dim", "8", "--threads", "1",
                  "--epochs", "1", "--checkpoint", Path("saved")});
    ASSERT_EQ(trained.code, 0) << trained.err;
  }

  Outcome Resume(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {"train", "--resume", Path("saved")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunFirth(arguments);
  }
};

TEST_F(ResumeTest, AnOptionMayBeGivenAsItWasAnyway) {
  const Outcome other =
      Resume({"--dim", "8", "--window", "6", "--arch", "cbow"});
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.err, HasSubstr("--arch was not given and is now \"cbow\"; "
                                   "--window was not given and is now 6"));
  const Outcome same = Resume({"--dim", "8", "--window", "5", "--sample",
                               "0.0001", "--arch", "skipgram"});
  EXPECT_EQ(same.code, 0) << same.err;
}

TEST_F(ResumeTest, TheTextMayBeNamedAgain) {
  const std::vector<std::string> training = {
      "sentences",   "train",
      "--input",     File("text", TwoTopicText(200)),
      "--output",    Path("s.safetensors"),
      "--min-count", "1",
      "--dim",       "8",
      "--epochs",    "2"};
  std::vector<std::string> first = training, second = training;
  first.insert(first.end(), {"--checkpoint", Path("sentences")});
  second.insert(second.end(), {"--resume", Path("sentences")});
  const Outcome trained = RunFirth(first);
  ASSERT_EQ(trained.code, 0) << trained.err;
  const Outcome resumed = RunFirth(second);
  EXPECT_EQ(resumed.code, 0) << resumed.err;
}

TEST_F(ResumeTest, AnotherTextIsToldInWords) {
  const Outcome other = Resume({"--input", File("other", TwoTopicText(201))});
  EXPECT_EQ(other.code, 1);
  EXPECT_THAT(other.err, HasSubstr("text changed (its checksum was \""));
}

// An older checkpoint would be used instead of one that is not whole.
TEST_F(ResumeTest, ACheckpointThatCannotBeMappedIsNotSkipped) {
  constexpr uint64_t kLimit = 4'000'000'000;
  RunningFirth starts({"--version"}, {.address_limit = kLimit});
  // AddressSanitizer reserves more than any machine has.
  if (starts.Wait().code != 0) GTEST_SKIP() << "does not start in 4 GB";
  const std::string newest =
      Path("saved/checkpoint-0-999999999999999.safetensors");
  std::ofstream(newest).close();
  std::filesystem::resize_file(newest, uint64_t{1} << 40);  // without content
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"train", "--resume", Path("saved")},
        std::vector<std::string>{"info", Path("saved")}}) {
    RunningFirth program(arguments, {.address_limit = kLimit});
    const Outcome outcome = program.Wait();
    EXPECT_EQ(outcome.code, 1) << arguments[0];
    EXPECT_THAT(outcome.err, HasSubstr(newest + ": cannot map"));
  }
}

}  // namespace
}  // namespace firth
