// Training by replicas: what ranks do with what each has moved.

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "firth/train.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/shared_trainings.h"
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

TEST(RowsOfExchangeTest, FrequentWordsAreExchangedOftenAndRareOnesSeldom) {
  constexpr size_t kWords = 10000;
  const RowTurns words{.first = 100, .count = kWords};
  constexpr int kExchanges = 16;
  std::vector<int> times(kWords);
  for (uint64_t k = 0; k < kExchanges; ++k) {
    size_t rows = 0;
    for (const RowRange& range : RowsOfExchange(k, kWords, words)) {
      rows += range.end - range.begin;
      for (size_t row = range.begin; row < range.end; ++row) ++times[row - 100];
    }
    EXPECT_GE(rows, 2048u + 2 * 1024);
    EXPECT_LE(rows, 2048u + 3 * 1024);
  }
  for (size_t word = 0; word < kWords; ++word) {
    const int every = word < 2048 ? 1 : word < 4096 ? 2 : word < 8192 ? 4 : 8;
    EXPECT_EQ(times[word], kExchanges / every) << word;
  }
}

TEST(RowsOfExchangeTest, OtherRowsAreExchangedAsOftenAsWords) {
  constexpr size_t kWords = 4096;  // of which an exchange has three quarters
  const RowTurns nodes{.count = kWords - 1, .order = RowTurns::kFrequentLast};
  EXPECT_THAT(RowsOfExchange(0, kWords, nodes),
              ElementsAre(RowRange{2047, 4095}, RowRange{1023, 2047}));
  EXPECT_THAT(RowsOfExchange(1, kWords, nodes),
              ElementsAre(RowRange{2047, 4095}, RowRange{0, 1023}));
  const RowTurns n_grams{.first = 50, .count = 100, .order = RowTurns::kAny};
  EXPECT_THAT(RowsOfExchange(0, kWords, n_grams),
              ElementsAre(RowRange{50, 125}));
  EXPECT_THAT(RowsOfExchange(1, kWords, n_grams),
              ElementsAre(RowRange{125, 150}, RowRange{50, 100}));
  EXPECT_THAT(RowsOfExchange(2, kWords, n_grams),
              ElementsAre(RowRange{100, 150}, RowRange{50, 75}));
  EXPECT_THAT(RowsOfExchange(3, 10, n_grams), ElementsAre(RowRange{50, 150}));
  const RowTurns biases{.count = 1, .order = RowTurns::kAll};
  EXPECT_THAT(RowsOfExchange(7, kWords, biases), ElementsAre(RowRange{0, 1}));
}

class ReplicaTableTest : public testing::Test {
 protected:
  static constexpr size_t kRows = 4;
  static constexpr size_t kCols = 3;

  static SharedMatrix TableOf(float value) {
    PaddedMatrix matrix(kRows, kCols);
    for (size_t row = 0; row < kRows; ++row) {
      std::fill_n(matrix.Row(row), kCols, value);
    }
    return SharedMatrix(std::move(matrix));
  }
  static void Move(SharedMatrix& table, size_t row, float by) {
    for (size_t i = 0; i < kCols; ++i) table.Quiet().Row(row)[i] += by;
  }
  static std::vector<float> MoveOf(const ReplicaTable& table, size_t row) {
    std::vector<float> move(table.sent_cols());
    EXPECT_TRUE(table.Collect(row, move.data()));
    return move;
  }

  // Two ranks exchange all rows; each adds up half of them.
  void Exchange(
      ReplicaTable& ours, ReplicaTable& theirs,
      const std::function<void()>& meanwhile = [] {}) {
    const size_t cols = ours.sent_cols();
    std::vector<float> moves(2 * kRows * cols);  // [ranks, rows, cols]
    float* const of_theirs = &moves[kRows * cols];
    for (size_t row = 0; row < kRows; ++row) {
      EXPECT_TRUE(ours.Collect(row, &moves[row * cols]));
      EXPECT_TRUE(theirs.Collect(row, &of_theirs[row * cols]));
    }
    meanwhile();
    std::vector<float> step(cols);
    for (size_t row = 0; row < kRows; ++row) {
      const float* const move = &moves[row * cols];
      (row < 2 ? ours : theirs).AddUp(row, move, 2, kRows * cols, step.data());
      ours.Apply(row, move, step.data());
      theirs.Apply(row, &of_theirs[row * cols], step.data());
    }
  }
};

TEST_F(ReplicaTableTest, ARowMovesByWhatBecomesOfTheMovesOfAllRanks) {
  SharedMatrix here = TableOf(1);
  SharedMatrix there = TableOf(1);
  ReplicaTable ours(here, SentNumbers::kFloat32, /*saturates=*/true);
  ReplicaTable theirs(there, SentNumbers::kFloat32, /*saturates=*/true);
  Move(here, 0, 2);
  Move(there, 0, 2);
  Move(there, 1, 8);  // which they alone do
  Exchange(ours, theirs, [&] { Move(here, 0, 0.5f); });
  EXPECT_EQ(here.Quiet().Row(0)[2], 1 + 2 + 0.5f);
  EXPECT_EQ(there.Quiet().Row(0)[2], 1 + 2);
  EXPECT_EQ(here.Quiet().Row(1)[0], 1 + 8);
  EXPECT_EQ(there.Quiet().Row(1)[0], 1 + 8);
  EXPECT_EQ(here.Quiet().Row(3)[0], 1);
  // What was moved meanwhile is told next.
  EXPECT_THAT(MoveOf(ours, 0), Each(0.5f));
  EXPECT_THAT(MoveOf(ours, 1), Each(0));
  ours.Settle();
  EXPECT_EQ(here.Quiet().Row(0)[2], 1 + 2);
}

// The moves of one rank, sent and added up alone, become steps: what is sent of
// a number is the nearest one.
TEST_F(ReplicaTableTest, ANumberIsSentAsTheNearestOne) {
  constexpr float kStep = 0x1p-7f;  // from 1 on
  const std::vector<std::pair<float, float>> moves_and_steps = {
      {1 + 0.4f * kStep, 1},
      {1 + 0.6f * kStep, 1 + kStep},
      {1 + 0.5f * kStep, 1},
      {-1 - 1.5f * kStep, -1 - 2 * kStep},
      {0, 0}};
  for (const size_t cols : {1u, 2u, 7u, 67u, 100u}) {
    SharedMatrix table{PaddedMatrix(2, cols)};
    ReplicaTable replica(table, SentNumbers::kBfloat16);
    ASSERT_EQ(replica.sent_cols(), (cols + 1) / 2);
    for (size_t i = 0; i < cols; ++i) {
      table.Quiet().Row(1)[i] = moves_and_steps[i % 5].first;
    }
    const std::vector<float> move = MoveOf(replica, 1);
    std::vector<float> step(move.size());
    replica.AddUp(1, move.data(), 1, move.size(), step.data());
    replica.Apply(1, move.data(), step.data());
    // The row has kept what rounding took away, until all have the same.
    for (size_t i = 0; i < cols; ++i) {
      EXPECT_EQ(table.Quiet().Row(1)[i], moves_and_steps[i % 5].first);
    }
    replica.Settle();
    for (size_t i = 0; i < cols; ++i) {
      EXPECT_EQ(table.Quiet().Row(1)[i], moves_and_steps[i % 5].second) << cols;
    }
  }
}

// However often they are exchanged, moves are not lost to rounding.
TEST_F(ReplicaTableTest, WhatRoundingTakesAwayIsSentTheNextTime) {
  SharedMatrix here = TableOf(1);
  ReplicaTable ours(here, SentNumbers::kBfloat16);
  SharedMatrix there = TableOf(1);
  ReplicaTable theirs(there, SentNumbers::kBfloat16);
  for (int i = 0; i < 100; ++i) {
    Move(here, 0, 0.0101f);
    Move(there, 3, -0.0203f);
    Exchange(ours, theirs);
  }
  for (int i = 0; i < 3; ++i) Exchange(ours, theirs);  // what is left
  for (SharedMatrix* const table : {&here, &there}) {
    EXPECT_NEAR(table->Quiet().Row(0)[1], 1 + 1.01, 1e-5);
    EXPECT_NEAR(table->Quiet().Row(3)[2], 1 - 2.03, 1e-5);
    EXPECT_EQ(table->Quiet().Row(1)[0], 1);
  }
}

TEST_F(ReplicaTableTest, ARestartTakesTheTableAsItIs) {
  SharedMatrix table = TableOf(1);
  ReplicaTable replica(table, SentNumbers::kFloat32);
  Move(table, 0, 2);
  replica.Restart();
  EXPECT_THAT(MoveOf(replica, 0), Each(0));
}

// Moves that are orthogonal are added up. Of equal ones as much counts as one
// rank would have gone: nearly the sum where they are short beside the row.
TEST_F(ReplicaTableTest, TheShareOfASumIsOneToOneOfTheRanks) {
  for (size_t cols = 4; cols <= 67; ++cols) {
    for (const float length : {0.01f, 1e6f}) {
      PaddedMatrix rows_before(4, cols);
      for (size_t row = 1; row < 4; ++row) {
        std::fill_n(rows_before.Row(row), cols, length);
      }
      SharedMatrix shared(std::move(rows_before));
      ReplicaTable table(shared, SentNumbers::kFloat32);
      std::vector<float> moves(size_t{9} * cols);  // [ranks, rows, cols]
      for (size_t rank = 0; rank < 3; ++rank) {
        float* const rows = &moves[rank * 3 * cols];
        rows[rank == 2 ? cols - 1 : rank] = 1;  // orthogonal
        std::fill_n(rows + cols, cols, 2.0f);   // equal
        rows[2 * cols] = rank == 2 ? -1 : 1;    // against one another
      }
      std::vector<float> steps(3 * cols);
      for (size_t i = 0; i < 3; ++i) {
        table.AddUp(1 + i, &moves[i * cols], 3, 3 * cols, &steps[i * cols]);
      }
      EXPECT_EQ(steps[0], 1) << cols;
      EXPECT_EQ(steps[cols - 1], 1) << cols;
      for (size_t i = 0; i < cols; ++i) {
        EXPECT_NEAR(steps[cols + i], length < 1 ? 2 : 6, 1e-4);
      }
      EXPECT_EQ(steps[2 * cols], 1) << cols;
    }
  }
}

TEST(ShareOfSumTest, IsTheLargerOfTwo) {
  // Two equal moves, each half as long as the row: s = 1.
  const float half_of_row = ShareOfSum(false, 2, 2, 4, 4);
  EXPECT_NEAR(half_of_row, (1 - std::exp(-2)) / (2 * (1 - std::exp(-1))), 1e-6);
  EXPECT_EQ(ShareOfSum(true, 2, 2, 4, 4), 0.5f);
  EXPECT_NEAR(ShareOfSum(false, 2, 2, 4, 1e12f), 1, 1e-5);
  EXPECT_EQ(ShareOfSum(true, 2, 2, 4, 1e12f), 0.5f);
  // The row was zero: no move is short.
  EXPECT_EQ(ShareOfSum(false, 2, 2, 4, 0), 0.5f);
  // They go apart, or have not moved.
  EXPECT_EQ(ShareOfSum(false, 2, 4, 2, 4), 1);
  EXPECT_EQ(ShareOfSum(false, 2, 0, 0, 4), 1);
  EXPECT_EQ(ShareOfSum(false, 2, 0, 0, 0), 1);
}

TEST_F(ReplicaTableTest, AValueThatIsNotFiniteIsFound) {
  for (const SentNumbers send :
       {SentNumbers::kFloat32, SentNumbers::kBfloat16}) {
    SharedMatrix table = TableOf(0);
    ReplicaTable replica(table, send);
    Move(table, 2, NAN);
    std::vector<float> move(kCols);
    EXPECT_FALSE(replica.Collect(2, move.data()));
    EXPECT_TRUE(replica.Collect(1, move.data()));
  }
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

// Of frequent words of two topics: a single row may have lost what one rank
// learned of it, while another thread was between reading and writing it.
double MeanCosine(const WordVectors& vectors, const std::string& topic,
                  const std::string& other) {
  double sum = 0;
  for (const char* a : {"w0", "w1", "w2", "w3", "w4"}) {
    for (const char* b : {"w5", "w6", "w7", "w8", "w9"}) {
      sum += CosineOf(vectors, (topic + a).c_str(), (other + b).c_str());
    }
  }
  return sum / 25;
}

TEST_F(ReplicasTest, LearnTogetherWhatStandsInAllShares) {
  for (const Variant& variant : AllVariants()) {
    SCOPED_TRACE(variant.name);
    TrainOptions options = OptionsOf(variant);
    options.learning_rate = DefaultLearningRate(options);
    options.distributed = ReplicasOptions{};
    options.threads = 2;
    const auto models = TrainShared(3, path_, options);
    ASSERT_TRUE(models[0].ok()) << models[0].status();
    const TrainReport& report = models[0]->report;
    EXPECT_EQ(report.words + 3 * report.held_out_words, 90000u);
    EXPECT_EQ(report.ranks, 3);
    ASSERT_EQ(report.epochs.size(), 3u);
    EXPECT_LT(report.epochs[2].loss, report.epochs[0].loss);
    EXPECT_GT(MeanCosine(models[0]->vectors, "t2", "t2"),
              MeanCosine(models[0]->vectors, "t2", "t1") + 0.1);
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

TEST_F(ReplicasTest, BfloatsLearnNearlyTheSame) {
  TrainOptions options = ByReplicas();
  const auto whole = TrainShared(2, path_, options);
  options.distributed = ReplicasOptions{.send = SentNumbers::kBfloat16};
  const auto narrow = TrainShared(2, path_, options);
  ASSERT_TRUE(narrow[0].ok()) << narrow[0].status();
  EXPECT_NEAR(narrow[0]->report.epochs[2].loss, whole[0]->report.epochs[2].loss,
              0.05);
  EXPECT_GT(MeanCosine(narrow[0]->vectors, "t2", "t2"),
            MeanCosine(narrow[0]->vectors, "t2", "t1") + 0.1);
}

// Three ranks begin with the same model. train() moves that of each, and
// check() looks at it after they have exchanged.
class ReplicaExchangeTest : public testing::Test {
 protected:
  static ModelShape ShapeOf(size_t words, size_t dim) {
    ModelShape shape;
    shape.vocab_size = shape.output_rows = words;
    shape.dim = dim;
    return shape;
  }
  static void Exchange(
      const ModelShape& shape,
      const std::function<void(size_t rank, EmbeddingModel& model)>& train,
      const std::function<void(size_t rank, const absl::Status& status,
                               EmbeddingModel& model)>& check) {
    RunRanks(3, [&](Ranks& ranks) {
      const auto rank = static_cast<size_t>(ranks.rank());
      EmbeddingModel model(shape, 1);
      TrainMonitor monitor(LearningRateSchedule(0.1, 0, 100));
      auto channel = ranks.Another();
      ASSERT_EQ(channel.status(), absl::OkStatus());
      ReplicaExchange exchange(model, monitor, shape.vocab_size, 1,
                               SentNumbers::kFloat32, *std::move(channel));
      exchange.Begin();
      train(rank, model);
      exchange.EndWorkers(/*failed=*/false);
      const absl::Status status = exchange.Run();
      check(rank, status, model);
    });
  }
};

// Moves of one rank are those of all; equal ones, though short, count once in
// biases and weights of positions, and more than twice in a word's row.
TEST_F(ReplicaExchangeTest, BiasesAndWeightsOfPositionsAreThoseOfAllRanks) {
  ModelShape shape = ShapeOf(8, 4);
  shape.output_bias = -1;
  shape.position_weights = {1, 2};
  const float before = EmbeddingModel(shape, 1).input().Quiet().Row(2)[0];
  Exchange(
      shape,
      [&](size_t rank, EmbeddingModel& model) {
        model.output_bias().Quiet().Row(0)[rank] += 0.125f;
        for (size_t i = 0; i < shape.dim; ++i) {
          model.position_weights().Quiet().Row(1)[i] += 0.125f;
          model.input().Quiet().Row(2)[i] *= 1.125f;
        }
      },
      [&](size_t, const absl::Status& status, EmbeddingModel& model) {
        EXPECT_EQ(status, absl::OkStatus());
        const float* const bias = model.output_bias().Quiet().Row(0);
        for (size_t r = 0; r < 3; ++r) EXPECT_EQ(bias[r], -0.875f);
        EXPECT_EQ(bias[3], -1);
        EXPECT_FLOAT_EQ(model.position_weights().Quiet().Row(1)[0], 2.125f);
        const float times = std::expm1(-0.75f) / std::expm1(-0.25f);
        EXPECT_NEAR(model.input().Quiet().Row(2)[0],
                    (1 + times * 0.125f) * before, 1e-6);
      });
}

// More than is sent at once, in both tables.
TEST_F(ReplicaExchangeTest, AllRowsOfLargeTablesAreExchanged) {
  const ModelShape shape = ShapeOf(40000, 64);
  const auto mover = [](size_t row) { return row % 3; };
  Exchange(
      shape,
      [&](size_t rank, EmbeddingModel& model) {
        for (size_t row = 0; row < shape.vocab_size; ++row) {
          if (mover(row) != rank) continue;
          model.input().Quiet().Row(row)[63] = static_cast<float>(row);
          model.output().Quiet().Row(row)[0] = -static_cast<float>(row);
        }
      },
      [&](size_t, const absl::Status& status, EmbeddingModel& model) {
        EXPECT_EQ(status, absl::OkStatus());
        for (size_t row = 0; row < shape.vocab_size; ++row) {
          const auto value = static_cast<float>(row);
          ASSERT_NEAR(model.input().Quiet().Row(row)[63], value,
                      1e-6 * value + 1e-6);
          ASSERT_EQ(model.output().Quiet().Row(row)[0], -value);
        }
      });
}

TEST_F(ReplicaExchangeTest, AValueThatIsNotFiniteStaysWhereItIs) {
  Exchange(
      ShapeOf(8, 4),
      [](size_t rank, EmbeddingModel& model) {
        model.output().Quiet().Row(3)[1] = rank == 1 ? NAN : 5;
      },
      [](size_t rank, const absl::Status& status, EmbeddingModel& model) {
        EXPECT_EQ(status.code(), rank == 1 ? absl::StatusCode::kOutOfRange
                                           : absl::StatusCode::kOk);
        EXPECT_EQ(model.output().Quiet().Row(3)[1], 0);
      });
}

TEST_F(ReplicasTest, NceLearnsItsNormalizerTogether) {
  TrainOptions options = ByReplicas();
  options.objective = NceOptions{};
  const auto models = TrainShared(3, path_, options);
  ASSERT_TRUE(models[0].ok()) << models[0].status();
  // When ranks exchange is left to time, and so is how near it comes to 0.
  EXPECT_NEAR(models[0]->report.epochs[2].normalization.mean_ln_z, 0, 5);
  EXPECT_EQ(models[0]->report.held_out_words, models[2]->report.held_out_words);
}

}  // namespace
}  // namespace firth
