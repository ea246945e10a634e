// What --resume takes for the training that it goes on with.

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

TEST_F(ResumeTest, AnotherTextIsToldInWords) {
  const Outcome other = Resume({"--input", File("other", TwoTopicText(201))});
  EXPECT_EQ(other.code, 1);
  EXPECT_THAT(other.err, HasSubstr("text changed (its checksum was \""));
}

}  // namespace
}  // namespace firth
