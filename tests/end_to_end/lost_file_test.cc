// A model that another process makes shorter while it is mapped.

#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/run_program.h"

namespace firth {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class LostFileTest : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    if (IsSkipped()) return;
    model_ = Path("model.safetensors");
    const Outcome trained =
        RunFirth({"train", "--input", File("a.txt", TwoTopicText(200)),
                  "--output", model_, "--dim", "500", "-q"});
    ASSERT_EQ(trained.code, 0) << trained.err;
    ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  }

  void ExpectFileIsNamed(const Outcome& outcome) const {
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.err, StartsWith("firth: " + model_ +
                                        ": the file can no longer be "));
  }

  std::string model_;
};

TEST_F(LostFileTest, QuestionsEndWithItsName) {
  RunningFirth firth({"nn", model_}, {.input_path = Path("pipe")});
  {
    const PipeWriter pipe(Path("pipe"));
    pipe.Write("cat\n");
    ASSERT_TRUE(firth.WaitForOutput()) << firth.ErrorsSoFar();
    std::filesystem::resize_file(model_, 0);
    pipe.Write("dog\n");
  }
  ExpectFileIsNamed(firth.Wait());
}

TEST_F(LostFileTest, TrainingsThatStartFromItEndWithItsName) {
  for (const char* start : {"--update", "--init"}) {
    SCOPED_TRACE(start);
    const std::string copy = Path("copy");
    std::filesystem::copy_file(model_, copy);
    RunningFirth firth({"train", start, model_, "--input", Path("pipe"),
                        "--output", Path("new.safetensors"), "--dim", "500",
                        "-q"});
    {
      const PipeWriter pipe(Path("pipe"));
      std::filesystem::resize_file(model_, 0);
      pipe.Write(TwoTopicText(200));
    }
    ExpectFileIsNamed(firth.Wait());
    EXPECT_FALSE(std::filesystem::exists(Path("new.safetensors")));
    std::filesystem::rename(copy, model_);
  }
}

TEST_F(LostFileTest, OtherBusErrorsEndTheProgramAsUsual) {
  RunningFirth firth({"nn", model_}, {.input_path = Path("pipe")});
  const PipeWriter pipe(Path("pipe"));
  pipe.Write("cat\n");
  ASSERT_TRUE(firth.WaitForOutput()) << firth.ErrorsSoFar();
  firth.Signal(SIGBUS);
  EXPECT_EQ(firth.Wait().code, 128 + SIGBUS);
}

}  // namespace
}  // namespace firth
