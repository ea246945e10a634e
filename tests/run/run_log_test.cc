#include "firth/run_log.h"

#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "support/temp_files.h"

namespace firth {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

struct Heard : ProgressSink {
  void OnTrain(const TrainProgress& progress) override {
    epochs.push_back(progress.epoch);
  }
  void OnEpoch(const EpochProgress& epoch) override {
    losses.push_back(epoch.loss);
  }
  void OnWarning(absl::string_view message) override {
    warnings.emplace_back(message);
  }
  std::vector<int> epochs;
  std::vector<double> losses;
  std::vector<std::string> warnings;
};

TrainProgress At(uint64_t words, double loss) {
  TrainProgress progress;
  progress.fraction = static_cast<double>(words) / 1000;
  progress.epoch = 2;
  progress.loss = loss;
  progress.learning_rate = 0.025;
  progress.words_per_second = 12345.6;
  return progress;
}

std::vector<json> LinesOf(const std::string& path) {
  std::vector<json> lines;
  const std::string text = ReadWholeFile(path);
  EXPECT_TRUE(text.empty() || text.back() == '\n') << text;
  for (const absl::string_view line :
       absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    lines.push_back(json::parse(line, nullptr, false));
    EXPECT_TRUE(lines.back().is_object()) << line;
  }
  return lines;
}

TEST(RunLogTest, TheFirstAndTheLastReportAreLinesAndAllGoOn) {
  const TempFolder folder;
  Heard heard;
  {
    const auto log = RunLog::Open(folder.File("log"), false, &heard);
    ASSERT_TRUE(log.ok()) << log.status();
    (*log)->SetTotal(1000);
    (*log)->OnTrain(At(100, 2.5));
    // Within the same second.
    (*log)->OnTrain(At(200, 2.0));
    (*log)->OnTrain(At(500, 1.0));
    (*log)->OnEpoch({2, 1.5});
    (*log)->Finish(R"({"words_trained": 1000})");
  }
  EXPECT_THAT(heard.epochs, ElementsAre(2, 2, 2));
  EXPECT_THAT(heard.losses, ElementsAre(1.5));
  const std::vector<json> lines = LinesOf(folder.File("log"));
  ASSERT_THAT(lines, SizeIs(3));
  EXPECT_EQ(lines[0]["words"], 100);
  EXPECT_EQ(lines[0]["total"], 1000);
  EXPECT_EQ(lines[0]["progress"], 0.1);
  EXPECT_EQ(lines[0]["epoch"], 2);
  EXPECT_EQ(lines[0]["loss"], 2.5);
  EXPECT_EQ(lines[0]["learning_rate"], 0.025);
  EXPECT_EQ(lines[0]["words_per_second"], 12346);
  EXPECT_GE(lines[0]["t"], 0);
  EXPECT_EQ(lines[1]["words"], 500);
  // 100 words at 2 and 300 at 1.
  EXPECT_EQ(lines[1]["loss"], 1.25);
  EXPECT_EQ(lines[2]["done"], true);
  EXPECT_EQ(lines[2]["words_trained"], 1000);
}

TEST(RunLogTest, ALossThatIsNoNumberIsNull) {
  const TempFolder folder;
  const auto log = RunLog::Open(folder.File("log"), false, nullptr);
  ASSERT_TRUE(log.ok()) << log.status();
  (*log)->OnTrain(At(100, 0));
  EXPECT_TRUE(LinesOf(folder.File("log"))[0]["loss"].is_null());
}

struct AppendCase {
  const char* name;
  const char* before;
  const char* kept;
};
class RunLogAppendTest : public testing::TestWithParam<AppendCase> {};
INSTANTIATE_TEST_SUITE_P(
    Files, RunLogAppendTest,
    testing::Values(AppendCase{"Whole", "{\"t\":1}\n{\"t\":2}\n",
                               "{\"t\":1}\n{\"t\":2}\n"},
                    AppendCase{"HalfLine", "{\"t\":1}\n{\"t\":", "{\"t\":1}\n"},
                    AppendCase{"OnlyHalfLine", "{\"t\":", ""},
                    AppendCase{"Empty", "", ""}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_P(RunLogAppendTest, WholeLinesStay) {
  const TempFolder folder;
  const std::string path = folder.Write("log", GetParam().before);
  const auto log = RunLog::Open(path, /*append=*/true, nullptr);
  ASSERT_TRUE(log.ok()) << log.status();
  EXPECT_EQ(ReadWholeFile(path), GetParam().kept);
  (*log)->OnTrain(At(100, 2.5));
  EXPECT_THAT(ReadWholeFile(path),
              testing::StartsWith(std::string(GetParam().kept) + "{\"t\":0"));
}

TEST(RunLogTest, TheFirstLineReplacesAnOldLog) {
  const TempFolder folder;
  const std::string path = folder.Write("log", "{\"t\":1}\n");
  const auto log = RunLog::Open(path, /*append=*/false, nullptr);
  ASSERT_TRUE(log.ok()) << log.status();
  EXPECT_EQ(ReadWholeFile(path), "{\"t\":1}\n");
  (*log)->Finish("{}");
  EXPECT_EQ(ReadWholeFile(path), "{\"done\":true}\n");
}

TEST(RunLogTest, HalfALineOfManyBlocksIsCut) {
  const TempFolder folder;
  const std::string path =
      folder.Write("log", "{\"t\":1}\n" + std::string(20'000, 'x'));
  ASSERT_TRUE(RunLog::Open(path, /*append=*/true, nullptr).ok());
  EXPECT_EQ(ReadWholeFile(path), "{\"t\":1}\n");
}

TEST(RunLogTest, AFullDiskIsWarnedOfOnce) {
  Heard heard;
  const auto log = RunLog::Open("/dev/full", false, &heard);
  ASSERT_TRUE(log.ok()) << log.status();
  (*log)->OnTrain(At(100, 2.5));
  (*log)->Finish("{}");
  EXPECT_THAT(heard.warnings, SizeIs(1));
  EXPECT_THAT(heard.warnings[0], HasSubstr("/dev/full"));
}

TEST(RunLogTest, AFileThatCannotBeOpenedIsAnError) {
  const TempFolder folder;
  const auto log = RunLog::Open(folder.File("no/log"), false, nullptr);
  EXPECT_EQ(log.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(log.status().message()), HasSubstr("no/log"));
}

}  // namespace
}  // namespace firth
