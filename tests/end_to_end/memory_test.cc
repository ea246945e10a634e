// Memory: what `firth train` says that it will take, and what it takes; texts
// that must not fill it.

#include <cmath>
#include <filesystem>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "support/run_program.h"

namespace firth {
namespace {

using testing::HasSubstr;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
#else
constexpr bool kSanitized = false;
#endif

class MemoryTest : public ProgramTest {
 protected:
  void SetUp() override {
    if (kSanitized) GTEST_SKIP() << "sanitizers take memory of their own";
    ProgramTest::SetUp();
  }
};

// 30,000 words, five times each.
std::string ManyWords() {
  constexpr uint32_t kWords = 30000;
  Rng rng(5);
  std::string text;
  for (uint32_t i = 0; i < 5 * kWords; ++i) {
    // A step that shares no factor with their number meets all of them.
    text += "word" + std::to_string(i * 7919ull % kWords);
    text += rng.Below(20) == 0 ? '\n' : ' ';
  }
  return text;
}

// The bytes that it says it will have in all.
double Estimate(const std::string& messages) {
  std::smatch match;
  const std::regex said("peak ([0-9.]+) (k|M|G)B,");
  if (!std::regex_search(messages, match, said)) return 0;
  return std::stod(match[1]) * std::pow(1000, match[2] == "k"   ? 1
                                              : match[2] == "M" ? 2
                                                                : 3);
}

struct Setting {
  std::string name;
  std::vector<std::string> options;
};

const Setting kSettings[] = {
    {"skip-gram", {}},
    {"CBOW", {"--arch", "cbow"}},
    {"hierarchical softmax", {"--loss", "hs"}},
    {"NCE", {"--loss", "nce"}},
    {"directional", {"--directional"}},
    {"n-grams", {"--subword-index", "buckets", "--buckets", "50000"}},
    {"views", {"--views", "2,5"}},
    {"one thread", {"--threads", "1"}},
    {"eight threads", {"--threads", "8"}},
};

// Tolerance of the estimate: a fraction of the peak, and the size of the pages
// of the program and its libraries that the kernel may keep or drop.
constexpr double kShare = 0.06;
constexpr double kProcess = 4e6;

// Enough for all threads to be at work at the same time once, on cores that
// others use, too.
constexpr char kEpochs[] = "8";

class SaidMemoryTest : public MemoryTest {
 protected:
  void ExpectEstimateHolds(const std::string& text,
                           const std::vector<std::string>& options) const {
    const std::string report = Path("report.json");
    std::vector<std::string> arguments = {
        "train",    "--input", text,       "--output", Path("v.safetensors"),
        "--report", report,    "--epochs", kEpochs,    "--min-count",
        "1"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Outcome outcome = RunFirth(arguments);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const double peak =
        nlohmann::json::parse(ReadWholeFile(report)).at("peak_memory_bytes");
    const double estimate = Estimate(outcome.err);
    EXPECT_NEAR(estimate, peak, kShare * peak + kProcess) << outcome.err;
  }
};

TEST_F(SaidMemoryTest, IsThePeakOfTheTraining) {
  const std::string text = File("many.txt", ManyWords());
  for (const Setting& setting : kSettings) {
    SCOPED_TRACE(setting.name);
    ExpectEstimateHolds(text, setting.options);
  }
  SCOPED_TRACE("checkpoints");
  ExpectEstimateHolds(
      text, {"--checkpoint", Path("saved"), "--checkpoint-every", "30%"});
}

// A word of 400 MB, of which the file system keeps nothing, in 300 MB of
// addresses.
TEST_F(MemoryTest, AnEndlessWordIsNotHeld) {
  // It begins as a text does: else it would be refused as none.
  std::string words;
  for (int i = 0; i < 10000; ++i) words += "cat dog cat dog\n";
  const std::string text = File("endless.txt", words);
  std::filesystem::resize_file(text, 400'000'000);
  const ProgramOptions limited = {.address_limit = 300'000'000};
  const Outcome vocab = RunFirth(
      {"vocab", "--input", text, "--min-count", "1", "--json"}, limited);
  EXPECT_EQ(vocab.code, 0) << vocab.err;
  EXPECT_THAT(vocab.err,
              HasSubstr("dropped  1 token longer than --max-word-bytes"));
  const nlohmann::json account = nlohmann::json::parse(vocab.out).at("corpus");
  EXPECT_EQ(account.at("tokens"), 40001);
  EXPECT_EQ(account.at("words_kept"), 40000);
  EXPECT_EQ(account.at("dropped_too_long"), 1);
}

// Nothing of it is kept, and the line before it is answered.
TEST_F(MemoryTest, ALineWithoutEndIsLeftOut) {
  const std::string endless = File("endless.txt", "cat dog\n");
  std::filesystem::resize_file(endless, 400'000'000);
  const std::string model = Path("v.bin");
  ASSERT_EQ(RunFirth({"train", "-q", "--input", File("a.txt", TwoTopicText(50)),
                      "--output", model, "--dim", "8"})
                .code,
            0);
  // A question that cannot be answered makes the exit code 1.
  for (const auto& [command, code] :
       {std::pair("nn", 1), std::pair("sentence-vectors", 0)}) {
    const Outcome outcome =
        RunFirth({command, model},
                 {.input_path = endless, .address_limit = 300'000'000});
    EXPECT_EQ(outcome.code, code) << command;
    EXPECT_THAT(outcome.err,
                HasSubstr("standard input:2: expected a line of at most "
                          "16777216 bytes"));
  }
}

// Words that differ all take what they are given, and little more than the
// program itself.
TEST_F(MemoryTest, CountingObeysASmallLimit) {
  std::string text;
  Rng rng(1);
  for (int i = 0; i < 1'000'000; ++i) {
    text += std::to_string(rng.Below(1u << 31)) + (i % 20 == 19 ? '\n' : ' ');
  }
  RunningFirth firth({"vocab", "--input", File("numbers.txt", text),
                      "--min-count", "1", "--memory", "8M", "--threads", "2"});
  const Outcome outcome = firth.Wait();
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_LT(outcome.peak_bytes, 50'000'000);
}

}  // namespace
}  // namespace firth
