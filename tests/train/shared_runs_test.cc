// Trainings of several ranks that start from vectors, are measured, broken off
// and go on.

#include <atomic>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "firth/checkpoint.h"
#include "firth/corpus.h"
#include "firth/train.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "support/shared_trainings.h"
#include "support/temp_files.h"
#include "support/thread_ranks.h"
#include "support/trainings.h"
#include "train/replicas/text_rest.h"

namespace firth {

inline bool operator==(const StreamPiece& a, const StreamPiece& b) {
  return a.begin == b.begin && a.end == b.end;
}

namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr size_t kWords = 6000;

TrainOptions ByColumns() {
  TrainOptions options = SmallOptions();
  options.dim = 40;
  options.distributed = ColumnsOptions{.batch = 1};
  return options;
}

TrainOptions ByReplicas() {
  TrainOptions options = ByColumns();
  options.distributed = ReplicasOptions{};
  return options;
}

TrainOptions Alone() {
  TrainOptions options = ByColumns();
  options.distributed = NotDistributed{};
  return options;
}

class SharedRunsTest : public testing::Test {
 protected:
  // Trains to the end and forgets the last checkpoint.
  void Save(int ranks, const TrainOptions& options, bool in_background = false,
            const Validation& validation = {}) {
    SharedTraining saving{.checkpointing = Often(saved_.path()),
                          .validation = validation};
    saving.checkpointing.in_background = in_background;
    const auto models = TrainShared(ranks, path_, options, saving);
    ASSERT_TRUE(models[0].ok()) << models[0].status();
    EXPECT_GE(models[0]->report.checkpoints, 2u);
    RemoveNewest(saved_);
  }
  void RemoveAll() {
    for (const auto& file : std::filesystem::directory_iterator(saved_.path()))
      std::filesystem::remove(file.path());
  }
  absl::StatusOr<TrainedModel> Resume(int ranks, const TrainOptions& options,
                                      const Validation& validation = {}) {
    return TrainShared(ranks, path_, options,
                       {.checkpointing = Often(saved_.path(), true),
                        .validation = validation})[0];
  }
  absl::StatusOr<TrainedModel> Whole(int ranks, const TrainOptions& options,
                                     const SharedTraining& training = {}) {
    return TrainShared(ranks, path_, options, training)[0];
  }

  TempFolder folder_;
  TempFolder saved_;
  std::string path_ = folder_.Write("text", TextOfTopics(kWords));
};

TEST_F(SharedRunsTest, ColumnsGoOnToTheSameBytes) {
  const auto whole = Whole(2, ByColumns());
  for (const bool in_background : {false, true}) {
    const TempFolder other;
    Save(2, ByColumns(), in_background);
    const auto resumed = Resume(2, ByColumns());
    ASSERT_TRUE(resumed.ok()) << resumed.status();
    EXPECT_GT(resumed->report.resumed_words, 0u);
    ExpectSameModel(*whole, *resumed);
    RemoveAll();
  }
}

TEST_F(SharedRunsTest, ColumnsGoOnWithAnotherNumberOfRanks) {
  const auto whole = Whole(0, Alone());
  Save(2, ByColumns());
  const auto resumed = Resume(3, ByColumns());
  ASSERT_TRUE(resumed.ok()) << resumed.status();
  EXPECT_GT(resumed->report.resumed_words, 0u);
  EXPECT_LT(
      GreatestDifference(whole->vectors.table(), resumed->vectors.table()),
      1e-5);
  EXPECT_LT(GreatestDifference(whole->output, resumed->output), 1e-5);
}

TEST_F(SharedRunsTest, OneReplicaGoesOnToTheSameBytes) {
  const auto whole = Whole(0, Alone());
  Save(1, ByReplicas());
  const auto resumed = Resume(1, ByReplicas());
  ASSERT_TRUE(resumed.ok()) << resumed.status();
  EXPECT_GT(resumed->report.resumed_words, 0u);
  ExpectSameModel(*whole, *resumed);
}

TEST_F(SharedRunsTest, ReplicasGoOnWithAnyNumberOfThem) {
  path_ = folder_.Write("text", TextOfTopics(30000));
  for (const int before : {1, 3}) {
    for (const int after : {1, 2, 3, 4}) {
      SCOPED_TRACE(absl::StrCat(before, " ranks, then ", after));
      RemoveAll();
      Save(before, ByReplicas());
      const auto resumed = Resume(after, ByReplicas());
      ASSERT_TRUE(resumed.ok()) << resumed.status();
      EXPECT_GT(resumed->report.resumed_words, 0u);
      EXPECT_EQ(resumed->report.words, 90000u);
      ASSERT_EQ(resumed->report.epochs.size(), 3u);
      EXPECT_LT(resumed->report.epochs[2].loss, resumed->report.epochs[0].loss);
      EXPECT_GT(CosineOf(resumed->vectors, "t2w3", "t2w5"),
                CosineOf(resumed->vectors, "t2w3", "t1w5") + 0.2);
    }
  }
}

TEST_F(SharedRunsTest, AnotherTextIsRefused) {
  Save(2, ByReplicas());
  // The same words as often, in another order.
  std::string text = TextOfTopics(kWords);
  const size_t line = text.find('\n') + 1;
  path_ = folder_.Write("text", text.substr(line) + text.substr(0, line));
  EXPECT_THAT(Resume(3, ByReplicas()).status().message(),
              HasSubstr("text changed (its checksum was "));
}

TEST_F(SharedRunsTest, WhatWasTrainedInAnotherWayIsRefusedWithItsName) {
  struct {
    TrainOptions saved;
    TrainOptions resumed;
    const char* difference;
  } cases[] = {{Alone(), ByReplicas(),
                "distributed was \"none\" and is now \"replicas\""},
               {ByColumns(), ByReplicas(),
                "distributed was \"columns\" and is now \"replicas\""},
               {ByReplicas(), Alone(),
                "distributed was \"replicas\" and is now \"none\""},
               {ByReplicas(), ByColumns(),
                "distributed was \"replicas\" and is now \"columns\""}};
  const auto ranks = [](const TrainOptions& options) {
    return std::holds_alternative<NotDistributed>(options.distributed) ? 0 : 2;
  };
  for (const auto& [saved, resumed, difference] : cases) {
    Save(ranks(saved), saved);
    const absl::Status status = Resume(ranks(resumed), resumed).status();
    EXPECT_THAT(std::string(status.message()),
                EndsWith(absl::StrCat("another training run: ", difference)));
    RemoveAll();
  }
}

TEST_F(SharedRunsTest, ColumnsGoOnWithWhatOneProcessSavedAndItWithTheirs) {
  const auto whole = Whole(0, Alone());
  Save(0, Alone());
  const auto columns = Resume(2, ByColumns());
  ASSERT_TRUE(columns.ok()) << columns.status();
  EXPECT_GT(columns->report.resumed_words, 0u);
  RemoveAll();
  Save(2, ByColumns());
  const auto alone = Resume(0, Alone());
  ASSERT_TRUE(alone.ok()) << alone.status();
  EXPECT_GT(alone->report.resumed_words, 0u);
  for (const auto* const resumed : {&columns, &alone}) {
    EXPECT_LT(
        GreatestDifference(whole->vectors.table(), (*resumed)->vectors.table()),
        1e-5);
  }
}

TEST_F(SharedRunsTest, ValuesThatAreNotFiniteSendAllRanksBackOnce) {
  for (TrainOptions options : {ByColumns(), ByReplicas()}) {
    options.learning_rate = 1e9;
    const TempFolder saved;
    const SharedTraining training{.checkpointing = Often(saved.path())};
    for (const auto& model : TrainShared(2, path_, options, training)) {
      EXPECT_EQ(model.status().code(), absl::StatusCode::kOutOfRange)
          << model.status();
    }
  }
}

TEST_F(SharedRunsTest, RanksStartFromVectorsAsOneProcessDoes) {
  const std::string start =
      folder_.Write("start", TextOfTopics(300) + "only\n");
  const auto initial = TrainShared(0, start, Alone())[0];
  ASSERT_TRUE(initial.ok());
  const SharedTraining training{
      .initial = {.vectors = &initial->vectors, .keep_others = true}};
  const auto alone = Whole(0, Alone(), training);
  const auto columns = Whole(2, ByColumns(), training);
  ASSERT_TRUE(alone.ok() && columns.ok()) << columns.status();
  EXPECT_EQ(alone->report.initial.others, 1u);
  EXPECT_EQ(columns->report.initial.others, 1u);
  EXPECT_LT(
      GreatestDifference(alone->vectors.table(), columns->vectors.table()),
      1e-5);
  // Checkpoints of a training by columns record no other words, since these
  // have vectors of all columns.
  SharedTraining saving = training;
  saving.checkpointing = Often(saved_.path());
  ASSERT_TRUE(Whole(2, ByColumns(), saving).ok());
  ASSERT_FALSE(std::filesystem::is_empty(saved_.path()));
  for (const auto& file : std::filesystem::directory_iterator(saved_.path())) {
    EXPECT_THAT(ReadWholeFile(file.path()),
                HasSubstr(R"(\"init-others\":false)"));
  }
  TrainOptions still = ByReplicas();
  still.learning_rate = 1e-9;
  const auto replicas = Whole(2, still, training);
  ASSERT_TRUE(replicas.ok()) << replicas.status();
  EXPECT_EQ(*replicas->vectors.Find("only"), *initial->vectors.Find("only"));
  const auto given = *initial->vectors.Find("t1w1");
  EXPECT_NEAR((*replicas->vectors.Find("t1w1"))[39], given[39], 1e-5);
}

TEST_F(SharedRunsTest, AModelIsUpdatedByRanksAsByOneProcess) {
  const auto model = Whole(0, Alone());
  ASSERT_TRUE(model.ok());
  const SharedTraining training{
      .initial = {.vectors = &model->vectors, .output = model->output}};
  const auto alone = Whole(0, Alone(), training);
  const auto columns = Whole(3, ByColumns(), training);
  ASSERT_TRUE(alone.ok() && columns.ok()) << columns.status();
  EXPECT_LT(
      GreatestDifference(alone->vectors.table(), columns->vectors.table()),
      1e-5);
  EXPECT_LT(GreatestDifference(alone->output, columns->output), 1e-5);
  // Half of the evidence is new, so that a row stays half of the way back.
  TrainOptions frozen = ByReplicas();
  frozen.learning_rate = 1e-9;
  const auto replicas = Whole(2, frozen, training);
  ASSERT_TRUE(replicas.ok()) << replicas.status();
  EXPECT_LT(
      GreatestDifference(model->vectors.table(), replicas->vectors.table()),
      1e-5);
}

TEST_F(SharedRunsTest, FrozenVectorsAreRefusedByColumnsAndStayInReplicas) {
  const auto model = Whole(0, Alone());
  ASSERT_TRUE(model.ok());
  const SharedTraining training{
      .initial = {.vectors = &model->vectors, .freeze = true}};
  EXPECT_EQ(Whole(2, ByColumns(), training).status().message(),
            "distributed: columns cannot be combined with freeze-init");
  const auto replicas = Whole(2, ByReplicas(), training);
  ASSERT_TRUE(replicas.ok()) << replicas.status();
  EXPECT_EQ(
      GreatestDifference(model->vectors.table(), replicas->vectors.table()), 0);
}

TEST_F(SharedRunsTest, VectorsThatDifferAreRefused) {
  const auto one = Whole(0, Alone());
  TrainOptions seed = Alone();
  seed.seed = 2;
  const auto two = Whole(0, seed);
  std::vector<absl::Status> statuses(2);
  RunRanks(2, [&](Ranks& ranks) {
    Hooks hooks;
    hooks.ranks = &ranks;
    CorpusOptions reading;
    reading.inputs = {path_};
    const auto corpus = ReadCorpus(reading, {.min_count = 1}, hooks);
    statuses[static_cast<size_t>(ranks.rank())] =
        Train(*corpus, ByReplicas(), hooks,
              {.vectors = &(ranks.rank() == 0 ? one : two)->vectors})
            .status();
  });
  EXPECT_THAT(
      statuses[1].message(),
      HasSubstr("checksum of the vectors to start from differs between ranks"));
}

TEST_F(SharedRunsTest, TheHeldOutLossIsThatOfOneProcess) {
  TrainOptions options = Alone();
  CorpusOptions reading;
  reading.inputs = {path_};
  const auto corpus = ReadCorpus(reading, {.min_count = 1});
  reading.inputs = {folder_.Write("held-out", TextOfTopics(2000))};
  const auto text = ReadCorpus(reading, corpus->vocabulary);
  ASSERT_TRUE(text.ok()) << text.status();
  SharedTraining training;
  training.validation.text = &*text;
  const auto alone = Whole(0, options, training);
  const auto columns = Whole(2, ByColumns(), training);
  ASSERT_TRUE(alone.ok() && columns.ok()) << columns.status();
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(*columns->report.epochs[i].held_out_loss,
                *alone->report.epochs[i].held_out_loss, 1e-5);
  }
  // As good as untrained.
  options.learning_rate = 1e-9;
  TrainOptions shared = ByReplicas();
  shared.learning_rate = 1e-9;
  EXPECT_NEAR(*Whole(3, shared, training)->report.epochs[0].held_out_loss,
              *Whole(0, options, training)->report.epochs[0].held_out_loss,
              1e-5);
}

TEST_F(SharedRunsTest, TheFirstRankScoresForAllAndTheBestIsKept) {
  for (const TrainOptions& options : {ByColumns(), ByReplicas()}) {
    std::atomic<int> calls = 0;
    SharedTraining training;
    training.validation.score =
        [&](const WordVectors& vectors) -> absl::StatusOr<double> {
      EXPECT_EQ(vectors.dim(), 40u);
      return -++calls;
    };
    training.validation.patience = 1;
    const auto models = TrainShared(2, path_, options, training);
    ASSERT_TRUE(models[0].ok()) << models[0].status();
    EXPECT_EQ(calls, 2);
    for (const auto& model : models) {
      EXPECT_EQ(model->report.best_epoch, 1u);
      EXPECT_TRUE(model->report.stopped_early);
      EXPECT_EQ(model->report.epochs[1].score, -2);
    }
  }
}

TEST_F(SharedRunsTest, AScoreThatFailsFailsOnAllRanks) {
  SharedTraining training;
  training.validation.score = [](const WordVectors&) -> absl::StatusOr<double> {
    return absl::NotFoundError("no questions");
  };
  for (const auto& model : TrainShared(2, path_, ByReplicas(), training)) {
    EXPECT_THAT(model.status().message(), HasSubstr("no questions"));
  }
}

TEST_F(SharedRunsTest, TheBestGoesOnInColumns) {
  int calls = 0;
  Validation validation;
  validation.score = [&](const WordVectors&) -> absl::StatusOr<double> {
    return -(calls++ % 3);
  };
  const auto whole = Whole(2, ByColumns(), {.validation = validation});
  Save(2, ByColumns(), false, validation);
  calls = 2;
  const auto resumed = Resume(2, ByColumns(), validation);
  ASSERT_TRUE(resumed.ok()) << resumed.status();
  EXPECT_EQ(resumed->report.best_epoch, 1u);
  ExpectSameModel(*whole, *resumed);
}

TEST(TextRestTest, AShareTakesWhatIsLeftOfItAlone) {
  const TextRest all = {{10, 20}, {30, 40}};
  EXPECT_THAT(RestInShare(all, 15, 20),
              ElementsAre(StreamPiece{0, 5}, StreamPiece{15, 20}));
  EXPECT_THAT(RestInShare(all, 20, 10), IsEmpty());
}

TEST(TextRestTest, PiecesThatAreNotOfTheTextAreRefused) {
  const TextRest all = {{10, 20}, {30, 40}};
  EXPECT_THAT(*RestOfJson(JsonOfRest(all), 40), ElementsAre(all[0], all[1]));
  for (const char* bad :
       {"[[10,20],[30,41]]", "[[10,20],[19,30]]", "[[3,3]]"}) {
    EXPECT_EQ(RestOfJson(nlohmann::json::parse(bad), 40).status().code(),
              absl::StatusCode::kDataLoss)
        << bad;
  }
}

}  // namespace
}  // namespace firth
