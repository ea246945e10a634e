// The run, and its checkpoints, with a learner that only counts.

#include "run/run.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/json.h"
#include "firth/train.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "support/temp_files.h"
#include "support/trainings.h"

namespace firth {
namespace {

using testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A learner that only counts its steps. The test sets the quality that it
// reports after each step.
class Counter : public Learner {
 public:
  explicit Counter(std::vector<double> goodness)
      : Learner("a counter", TableFor<TrainOptions>()),
        goodness_(std::move(goodness)) {}

  nlohmann::json Identity() const override { return {{"epochs", total()}}; }
  absl::StatusOr<bool> Advance(RunControl&) override {
    ++value_;
    return true;
  }
  bool done() const override { return position() == total(); }
  uint64_t position() const override { return static_cast<uint64_t>(value_); }
  uint64_t total() const override { return goodness_.size(); }
  absl::StatusOr<std::string> Measure() override {
    if (!on_measure().ok()) return on_measure();
    scores_.emplace_back(goodness_[position() - 1]);
    return "";
  }
  std::vector<std::optional<double>> Scores() const override { return scores_; }
  std::vector<NamedTensor> Learned() override {
    on_copy();
    return {{"value", &value_, 1, 1, 1}};
  }
  void AddConstants(CheckedWriter*) const override { on_write(); }
  nlohmann::json State() const override { return nlohmann::json::object(); }
  absl::Status SetState(const nlohmann::json&) override {
    return absl::OkStatus();
  }
  void SetRateFactor(double) override {}

  float value() const { return value_; }

  std::function<absl::Status()> on_measure = [] { return absl::OkStatus(); };
  std::function<void()> on_copy = [] {};
  std::function<void()> on_write = [] {};

 private:
  const std::vector<double> goodness_;
  std::vector<std::optional<double>> scores_;
  float value_ = 0;
};

class Warnings : public ProgressSink {
 public:
  void OnWarning(absl::string_view message) override {
    all.emplace_back(message);
  }
  std::vector<std::string> all;
};

Checkpointing InBackground(const TempFolder& folder) {
  Checkpointing checkpointing = Often(folder.path());
  checkpointing.in_background = true;
  return checkpointing;
}

absl::StatusOr<RunReport> Drive(Counter& counter, const Hooks& hooks,
                                const Checkpointing& checkpointing) {
  RunOptions options;
  options.hooks = hooks;
  options.checkpointing = checkpointing;
  return Run(counter, options).Drive();
}

TEST(RunTest, TheBestIsTheFirstOfTheGreatest) {
  EXPECT_EQ(BestOf({}), 0u);
  EXPECT_EQ(BestOf({std::nullopt}), 0u);
  EXPECT_EQ(BestOf({-2, -1, -1, std::nullopt, -3}), 2u);
}

TEST(RunTest, WhatIsNoNumberIsNeverTheBest) {
  EXPECT_EQ(BestOf({kNan}), 0u);
  EXPECT_EQ(BestOf({-5, kNan, -6, -kInfinity}), 1u);
  EXPECT_EQ(BestOf({kNan, -5, -4}), 3u);
}

TEST(RunTest, OnlyTheUsersInterruptIsNoError) {
  std::atomic<bool> stop{false};
  for (const bool interrupted : {false, true}) {
    Counter counter({1, 2, 3, 4});
    counter.on_measure = [&] {
      stop = interrupted;
      return absl::CancelledError("stopped");
    };
    const auto report = Drive(counter, {nullptr, &stop}, {});
    EXPECT_EQ(absl::IsCancelled(report.status()), !interrupted);
    EXPECT_EQ(counter.value(), 1);
  }
}

TEST(RunTest, WantOfMemoryWhileWritingIsAWarning) {
  const TempFolder folder;
  Warnings warnings;
  Counter counter({1, 2});
  counter.on_write = [] { throw std::bad_alloc(); };
  EXPECT_EQ(Drive(counter, {&warnings, nullptr}, InBackground(folder)).status(),
            absl::OkStatus());
  ASSERT_FALSE(warnings.all.empty());
  for (const std::string& warning : warnings.all) {
    EXPECT_THAT(warning,
                HasSubstr("not enough memory to write this checkpoint"));
  }
}

TEST(RunTest, TheBestOutlivesAWriterThatFails) {
  const TempFolder folder;
  Counter counter({3, 1, 2});
  counter.on_write = [] { throw std::bad_alloc(); };
  const auto report = Drive(counter, {}, InBackground(folder));
  ASSERT_EQ(report.status(), absl::OkStatus());
  EXPECT_EQ(report->checkpoints, 0u);
  EXPECT_EQ(report->best, 1u);
  EXPECT_EQ(counter.value(), 1);
}

// Each copy takes so long that the one after it may only follow in seconds.
// A file that is replaced by its like can only be lost.
TEST(RunTest, WhatWasResumedIsNotSavedAgain) {
  const TempFolder folder;
  const std::atomic<bool> stop{true};
  Checkpointing checkpointing = Often(folder.path());
  for (const uint64_t at_begin_and_end : {2u, 1u}) {
    Counter counter({1, 2});
    const auto report = Drive(counter, {nullptr, &stop}, checkpointing);
    ASSERT_EQ(report.status(), absl::OkStatus());
    EXPECT_EQ(counter.value(), 0);
    EXPECT_EQ(report->checkpoints, at_begin_and_end);
    checkpointing.resume = true;
  }
}

TEST(CheckpointsTest, OnlyTheFirstCopyDoesNotPutOffTheNext) {
  const TempFolder folder;
  Counter counter({1, 2, 3, 4});
  counter.on_copy = [] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  };
  Checkpoints checkpoints(InBackground(folder), 0, counter, {});
  class : public RunControl {
    bool ShouldPause() const override { return false; }
    void Tell(const Standing&) override {}
    void EndEpoch(const EpochProgress&) override {}
  } control;
  for (const bool is_due : {true, false}) {
    checkpoints.Save({});
    while (checkpoints.IsWriting()) std::this_thread::yield();
    ASSERT_TRUE(counter.Advance(control).ok());
    EXPECT_EQ(checkpoints.IsDue(), is_due);
  }
}

TEST(CheckpointsTest, OfNoneThatIsWholeTheNewestsFaultIsTold) {
  const TempFolder folder;
  EXPECT_EQ(NewestCheckpoint(folder.path()).status().code(),
            absl::StatusCode::kNotFound);
  folder.Write("checkpoint-0-1.safetensors", "the older");
  const std::string newest = folder.Write("checkpoint-0-2.safetensors", "");
  const absl::Status status = NewestCheckpoint(folder.path()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()), HasSubstr(newest));
}

TEST(JsonTest, EveryNumberComesBack) {
  for (const double number : {0.0, -1.5, 1e300, kInfinity, -kInfinity}) {
    EXPECT_EQ(NumberOfJson(ParseJson(DumpJson(JsonOfNumber(number)))), number);
  }
  EXPECT_TRUE(
      std::isnan(NumberOfJson(ParseJson(DumpJson(JsonOfNumber(kNan))))));
}

TEST(JsonTest, ACountIsAWholeNumberInItsRange) {
  const nlohmann::json json = ParseJson("[3, 4, -1, 1.5, 1e300, \"2\", null]");
  EXPECT_EQ(CountAt(json, 0, 3), 3u);
  for (size_t i = 1; i < 8; ++i) {
    EXPECT_THROW(CountAt(json, i, 3), nlohmann::json::exception) << i;
  }
}

}  // namespace
}  // namespace firth
