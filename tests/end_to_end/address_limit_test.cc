// Limits on the address space (ulimit -v), from hardly any to enough: every
// command ends, with what was asked for or a message.

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/run_program.h"

namespace firth {
namespace {

using testing::AnyOf;

constexpr uint64_t kMegabyte = 1000 * 1000;
// The loader's exit code, where it cannot map the libraries.
constexpr int kNotLoaded = 127;

class AddressLimitTest : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    if (IsSkipped()) return;
    // AddressSanitizer reserves more than any machine has.
    if (Run({"--version"}, 4000).code != 0) {
      GTEST_SKIP() << "does not start in 4 GB of addresses";
    }
    text_ = File("a.txt", TwoTopicText(200));
    model_ = Path("model.safetensors");
    ASSERT_EQ(Run({"train", "--input", text_, "--output", model_}, 4000).code,
              0);
  }

  Outcome Run(const std::vector<std::string>& arguments,
              uint64_t megabytes) const {
    RunningFirth firth(arguments, {.address_limit = megabytes * kMegabyte});
    return firth.Wait();
  }

  std::string text_;
  std::string model_;
};

TEST_F(AddressLimitTest, EveryCommandEnds) {
  const std::vector<std::string> small_lm = {"lm",
                                             "train",
                                             "-q",
                                             "--input",
                                             text_,
                                             "-o",
                                             Path("s.safetensors"),
                                             "--dim",
                                             "8",
                                             "--units",
                                             "64",
                                             "--head",
                                             "softmax",
                                             "--epochs",
                                             "0.1"};
  ASSERT_EQ(Run(small_lm, 4000).code, 0);
  const std::string tagged = File("tagged.txt", "the/D cat/N\na/D dog/N\n");
  const std::vector<std::string> commands[] = {
      {"embed", Path("s.safetensors"), "-i", text_, "-o", Path("e.npy"), "-q"},
      {"tag", "train", "-q", "-i", tagged, "--form", "slashes", "-o",
       Path("t.safetensors"), "--contextualizer", Path("s.safetensors"),
       "--units", "64", "--epochs", "1"},
      {"--version"},
      {"nn", model_, "cat"},
      {"train", "-q", "--input", text_, "--output", Path("v.bin")},
      // These multiply matrices, the second one in two threads at a time.
      {"train", "-q", "--input", text_, "--output", Path("v.bin"), "--loss",
       "softmax", "--epochs", "1"},
      {"lm", "train", "-q", "--input", text_, "-o", Path("lm.safetensors"),
       "--dim", "8", "--units", "64", "--head", "softmax", "--epochs", "0.5"}};
  for (const auto& command : commands) {
    EXPECT_EQ(Run(command, 4000).code, 0) << command[0];
    for (uint64_t megabytes = 60; megabytes <= 460; megabytes += 40) {
      SCOPED_TRACE(command[0] + " in " + std::to_string(megabytes) + " MB");
      const Outcome outcome = Run(command, megabytes);
      EXPECT_THAT(outcome.code, AnyOf(0, 1, kNotLoaded)) << outcome.err;
      EXPECT_TRUE(outcome.code == 0 || !outcome.err.empty());
    }
  }
}

// What multiplies no matrix needs no room for a BLAS.
TEST_F(AddressLimitTest, QuestionsNeedLittle) {
  EXPECT_EQ(Run({"nn", model_, "cat"}, 120).code, 0);
}

}  // namespace
}  // namespace firth
