// Training by replicas: what ranks do with what each has moved.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/rng.h"
#include "firth/corpus.h"
#include "firth/train.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/temp_files.h"
#include "support/thread_ranks.h"
#include "support/trainings.h"
#include "train/replicas/replica_exchange.h"
#include "train/replicas/row_deltas.h"

namespace firth {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(WordsOfExchangeTest, FrequentWordsAreExchangedOftenAndRareOnesSeldom) {
  std::vector<uint64_t> words;
  for (uint64_t k = 1; k <= 8; ++k) words.push_back(WordsOfExchange(k, 5000));
  EXPECT_THAT(words,
              ElementsAre(1024, 2048, 1024, 4096, 1024, 2048, 1024, 5000));
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

std::string TextOfTopics(size_t words) {
  Rng rng(5);
  std::string text;
  for (size_t i = 0; i < words; ++i) {
    const uint32_t topic = i / 50 % 4;
    absl::StrAppend(&text, "t", topic, "w", rng.Below(1 + rng.Below(40)),
                    i % 10 == 9 ? "\n" : " ");
  }
  return text;
}

double CosineOf(const WordVectors& vectors, const char* a, const char* b) {
  const auto row = [&](const char* word) {
    return vectors.table().Row(Index(*vectors.vocabulary().Find(word)));
  };
  double product = 0;
  double squares[2] = {0, 0};
  for (size_t i = 0; i < vectors.dim(); ++i) {
    product += double{row(a)[i]} * row(b)[i];
    squares[0] += double{row(a)[i]} * row(a)[i];
    squares[1] += double{row(b)[i]} * row(b)[i];
  }
  return product / std::sqrt(squares[0] * squares[1]);
}

class ReplicasTest : public testing::Test {
 protected:
  std::vector<absl::StatusOr<TrainedModel>> TrainWith(
      int ranks, const TrainOptions& options) {
    std::vector<absl::StatusOr<TrainedModel>> models(
        static_cast<size_t>(ranks), absl::UnknownError("not called"));
    RunRanks(ranks, [&](Ranks& own) {
      Hooks hooks;
      hooks.ranks = &own;
      CorpusOptions reading;
      reading.inputs = {path_};
      reading.threads = 1;
      const auto corpus = ReadCorpus(reading, {.min_count = 1}, hooks);
      ASSERT_TRUE(corpus.ok()) << corpus.status();
      models[static_cast<size_t>(own.rank())] = Train(*corpus, options, hooks);
    });
    return models;
  }

  static TrainOptions ByReplicas() {
    TrainOptions options = SmallOptions();
    options.distributed = ReplicasOptions{};
    return options;
  }

  TempFolder folder_;
  std::string path_ = folder_.Write("text", TextOfTopics(30000));
};

TEST_F(ReplicasTest, LearnTogetherWhatStandsInAllShares) {
  for (const ArchitectureOptions& architecture :
       Alternatives<ArchitectureOptions>()) {
    TrainOptions options = ByReplicas();
    options.architecture = architecture;
    options.threads = 2;
    const auto models = TrainWith(3, options);
    ASSERT_TRUE(models[0].ok()) << models[0].status();
    const TrainReport& report = models[0]->report;
    EXPECT_EQ(report.words, 90000u);
    EXPECT_EQ(report.ranks, 3);
    ASSERT_EQ(report.epochs.size(), 3u);
    EXPECT_LT(report.epochs[2].loss, report.epochs[0].loss);
    EXPECT_GT(CosineOf(models[0]->vectors, "t2w3", "t2w5"),
              CosineOf(models[0]->vectors, "t2w3", "t1w5") + 0.2);
    EXPECT_EQ(models[1]->vectors.vocabulary().size(), 0u);
    EXPECT_EQ(models[1]->report.epochs[2].loss, report.epochs[2].loss);
  }
}

TEST_F(ReplicasTest, ARankWithoutTextGoesAlong) {
  path_ = folder_.Write("text", "a b c d e f g h\n");
  TrainOptions options = ByReplicas();
  const auto models = TrainWith(3, options);
  ASSERT_TRUE(models[0].ok()) << models[0].status();
  EXPECT_EQ(models[0]->report.words, 24u);
}

TEST_F(ReplicasTest, AValueThatIsNotFiniteStopsAllRanksAndNamesTheFirst) {
  TrainOptions options = ByReplicas();
  options.learning_rate = 1e9;
  for (const auto& model : TrainWith(2, options)) {
    EXPECT_EQ(model.status().code(), absl::StatusCode::kOutOfRange);
    EXPECT_THAT(model.status().message(), HasSubstr(" of 2 on a thread: "));
  }
}

TEST_F(ReplicasTest, WhatIsNotExchangedIsRefused) {
  TrainOptions options = ByReplicas();
  options.objective = HierarchicalSoftmaxOptions{};
  EXPECT_EQ(TrainWith(2, options)[1].status().message(),
            "distributed replicas: expected loss ns, found other");
}

}  // namespace
}  // namespace firth
