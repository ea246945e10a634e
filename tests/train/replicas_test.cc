// Training by replicas: what ranks do with what each has moved.

#include <algorithm>
#include <cmath>
#include <string>
#include <variant>
#include <vector>

#include "firth/train.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/shared_trainings.h"
#include "support/temp_files.h"
#include "support/trainings.h"
#include "train/replicas/replica_exchange.h"
#include "train/replicas/row_deltas.h"

namespace firth {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

TEST(WordsOfExchangeTest, FrequentWordsAreExchangedOftenAndRareOnesSeldom) {
  std::vector<uint64_t> words;
  for (uint64_t k = 1; k <= 8; ++k) words.push_back(WordsOfExchange(k, 5000));
  EXPECT_THAT(words,
              ElementsAre(1024, 2048, 1024, 4096, 1024, 2048, 1024, 5000));
}

TEST(TakeRowsTest, RowsAreExchangedAsOftenAsWords) {
  ExchangedRows words{.first = 100, .count = 50};
  EXPECT_THAT(TakeRows(20, 50, &words), ElementsAre(Pair(100, 120)));
  EXPECT_THAT(TakeRows(20, 50, &words), ElementsAre(Pair(100, 120)));
  ExchangedRows nodes{.count = 49, .order = ExchangedRows::kFrequentLast};
  EXPECT_THAT(TakeRows(20, 50, &nodes), ElementsAre(Pair(29, 49)));
  EXPECT_THAT(TakeRows(50, 50, &nodes), ElementsAre(Pair(0, 49)));
  ExchangedRows n_grams{
      .first = 50, .count = 100, .order = ExchangedRows::kAny};
  EXPECT_THAT(TakeRows(20, 50, &n_grams), ElementsAre(Pair(50, 90)));
  EXPECT_THAT(TakeRows(40, 50, &n_grams),
              ElementsAre(Pair(90, 150), Pair(50, 70)));
  EXPECT_THAT(TakeRows(50, 50, &n_grams),
              ElementsAre(Pair(70, 150), Pair(50, 70)));
  ExchangedRows none{.order = ExchangedRows::kAny};
  EXPECT_THAT(TakeRows(50, 50, &none), ElementsAre());
}

class ReplicaTableTest : public testing::Test {
 protected:
  static constexpr size_t kCols = 3;

  static SharedMatrix TableOf(float value) {
    PaddedMatrix matrix(4, kCols);
    for (size_t row = 0; row < 4; ++row) {
      std::fill_n(matrix.Row(row), kCols, value);
    }
    return SharedMatrix(std::move(matrix));
  }
  static void Move(SharedMatrix& table, size_t row, float by) {
    for (size_t i = 0; i < kCols; ++i) table.Quiet().Row(row)[i] += by;
  }
};

TEST_F(ReplicaTableTest, ARowMovesByWhatBecomesOfTheMovesOfAllRanks) {
  SharedMatrix here = TableOf(1);
  SharedMatrix there = TableOf(1);
  ReplicaTable ours(here);
  ReplicaTable theirs(there);
  Move(here, 0, 2);
  Move(there, 0, 2);
  Move(there, 1, 8);  // which they alone do
  std::vector<float> moves;
  EXPECT_TRUE(ours.Collect(0, 4, &moves));
  EXPECT_TRUE(theirs.Collect(0, 4, &moves));
  Move(here, 0, 0.5f);  // while they talk
  std::vector<float> steps(4 * kCols);
  AddUpMoves(moves, 2, kCols, steps.data());
  ours.Apply(0, 4, steps);
  theirs.Apply(0, 4, steps);
  EXPECT_EQ(here.Quiet().Row(0)[2], 1 + 2 + 0.5f);
  EXPECT_EQ(there.Quiet().Row(0)[2], 1 + 2);
  EXPECT_EQ(here.Quiet().Row(1)[0], 1 + 8);
  EXPECT_EQ(there.Quiet().Row(1)[0], 1 + 8);
  EXPECT_EQ(here.Quiet().Row(3)[0], 1);
  // What was moved meanwhile is told next.
  moves.clear();
  ours.Collect(0, 4, &moves);
  EXPECT_EQ(moves[0], 0.5f);
  EXPECT_EQ(moves[kCols], 0);
  ours.Settle();
  EXPECT_EQ(here.Quiet().Row(0)[2], 1 + 2);
}

TEST_F(ReplicaTableTest, ARestartTakesTheTableAsItIs) {
  SharedMatrix table = TableOf(1);
  ReplicaTable replica(table);
  Move(table, 0, 2);
  replica.Restart();
  std::vector<float> moves;
  replica.Collect(0, 4, &moves);
  EXPECT_THAT(moves, Each(0));
}

// Moves that are orthogonal are added up, equal ones are counted once.
TEST(AddUpMovesTest, TheShareOfASumIsOneToOneOfTheRanks) {
  for (size_t cols = 4; cols <= 67; ++cols) {
    std::vector<float> moves(3 * 3 * cols);  // [ranks, rows, cols]
    for (size_t rank = 0; rank < 3; ++rank) {
      float* const rows = &moves[rank * 3 * cols];
      rows[rank == 2 ? cols - 1 : rank] = 1;  // orthogonal
      std::fill_n(rows + cols, cols, 2.0f);   // equal
      rows[2 * cols] = rank == 2 ? -1 : 1;    // against one another
    }
    std::vector<float> steps(3 * cols);
    AddUpMoves(moves, 3, cols, steps.data());
    EXPECT_EQ(steps[0], 1) << cols;
    EXPECT_EQ(steps[cols - 1], 1) << cols;
    for (size_t i = 0; i < cols; ++i) EXPECT_NEAR(steps[cols + i], 2, 1e-6);
    EXPECT_EQ(steps[2 * cols], 1) << cols;
  }
}

TEST(AddUpMovesTest, TheShareIsThatOfTheSquares) {
  EXPECT_EQ(ShareOfSum(2, 4), 0.5f);
  EXPECT_EQ(ShareOfSum(4, 2), 1);
  EXPECT_EQ(ShareOfSum(0, 0), 1);
}

TEST_F(ReplicaTableTest, AValueThatIsNotFiniteIsFound) {
  SharedMatrix table = TableOf(0);
  ReplicaTable replica(table);
  Move(table, 2, NAN);
  std::vector<float> values;
  EXPECT_FALSE(replica.Collect(0, 4, &values));
}

class ReplicasTest : public testing::Test {
 protected:
  static TrainOptions ByReplicas() {
    TrainOptions options = SmallOptions();
    options.distributed = ReplicasOptions{};
    return options;
  }

  TempFolder folder_;
  std::string path_ = folder_.Write("text", TextOfTopics(30000));
};

TEST_F(ReplicasTest, LearnTogetherWhatStandsInAllShares) {
  for (const Variant& variant : AllVariants()) {
    if (std::holds_alternative<NceOptions>(variant.objective)) continue;
    if (variant.name.find("position") != std::string::npos) continue;
    SCOPED_TRACE(variant.name);
    TrainOptions options = OptionsOf(variant);
    options.distributed = ReplicasOptions{};
    options.threads = 2;
    const auto models = TrainShared(3, path_, options);
    ASSERT_TRUE(models[0].ok()) << models[0].status();
    const TrainReport& report = models[0]->report;
    EXPECT_EQ(report.words, 90000u);
    EXPECT_EQ(report.ranks, 3);
    ASSERT_EQ(report.epochs.size(), 3u);
    EXPECT_LT(report.epochs[2].loss, report.epochs[0].loss);
    EXPECT_GT(CosineOf(models[0]->vectors, "t2w3", "t2w5"),
              CosineOf(models[0]->vectors, "t2w3", "t1w5") + 0.1);
    EXPECT_EQ(models[1]->vectors.vocabulary().size(), 0u);
    EXPECT_EQ(models[1]->report.epochs[2].loss, report.epochs[2].loss);
  }
}

TEST_F(ReplicasTest, ARankWithoutTextGoesAlong) {
  path_ = folder_.Write("text", "a b c d e f g h\n");
  TrainOptions options = ByReplicas();
  const auto models = TrainShared(3, path_, options);
  ASSERT_TRUE(models[0].ok()) << models[0].status();
  EXPECT_EQ(models[0]->report.words, 24u);
}

TEST_F(ReplicasTest, AValueThatIsNotFiniteStopsAllRanksAndNamesTheFirst) {
  TrainOptions options = ByReplicas();
  options.learning_rate = 1e9;
  for (const auto& model : TrainShared(2, path_, options)) {
    EXPECT_EQ(model.status().code(), absl::StatusCode::kOutOfRange);
    EXPECT_THAT(model.status().message(), HasSubstr(" of 2 on a thread: "));
  }
}

TEST_F(ReplicasTest, WhatIsNotExchangedIsRefused) {
  TrainOptions options = ByReplicas();
  options.objective = NceOptions{};
  EXPECT_EQ(
      TrainShared(2, path_, options)[1].status().message(),
      "distributed replicas: expected loss ns, hs or softmax, found other");
}

}  // namespace
}  // namespace firth
