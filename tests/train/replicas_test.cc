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
#include "support/thread_ranks.h"
#include "support/trainings.h"
#include "train/replicas/narrow_rows.h"
#include "train/replicas/replica_exchange.h"
#include "train/replicas/row_deltas.h"
#include "train/replicas/row_turns.h"

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
  static constexpr size_t kCols = 3;
  static constexpr size_t kRows[] = {0, 1, 2, 3};

  static SharedMatrix TableOf(float value) {
    PaddedMatrix matrix(4, kCols);
    for (size_t row = 0; row < 4; ++row) {
      std::fill_n(matrix.Row(row), kCols, value);
    }
    return SharedMatrix(std::move(matrix));
  }
  static std::vector<float> BothOf(std::vector<float> one,
                                   const std::vector<float>& other) {
    one.insert(one.end(), other.begin(), other.end());
    return one;
  }
  static void Move(SharedMatrix& table, size_t row, float by) {
    for (size_t i = 0; i < kCols; ++i) table.Quiet().Row(row)[i] += by;
  }
};

TEST_F(ReplicaTableTest, ARowMovesByWhatBecomesOfTheMovesOfAllRanks) {
  SharedMatrix here = TableOf(1);
  SharedMatrix there = TableOf(1);
  ReplicaTable ours(here, /*saturates=*/true);
  ReplicaTable theirs(there, /*saturates=*/true);
  Move(here, 0, 2);
  Move(there, 0, 2);
  Move(there, 1, 8);  // which they alone do
  std::vector<float> of_here;
  std::vector<float> of_there;
  EXPECT_TRUE(ours.Collect(kRows, SentNumbers::kFloat32, &of_here));
  EXPECT_TRUE(theirs.Collect(kRows, SentNumbers::kFloat32, &of_there));
  Move(here, 0, 0.5f);  // while they talk
  std::vector<float> steps(4 * kCols);
  AddUpMoves(BothOf(of_here, of_there), 2, ours, kRows, steps.data());
  ours.Apply(kRows, of_here, steps);
  theirs.Apply(kRows, of_there, steps);
  EXPECT_EQ(here.Quiet().Row(0)[2], 1 + 2 + 0.5f);
  EXPECT_EQ(there.Quiet().Row(0)[2], 1 + 2);
  EXPECT_EQ(here.Quiet().Row(1)[0], 1 + 8);
  EXPECT_EQ(there.Quiet().Row(1)[0], 1 + 8);
  EXPECT_EQ(here.Quiet().Row(3)[0], 1);
  // What was moved meanwhile is told next.
  ours.Collect(kRows, SentNumbers::kFloat32, &of_here);
  EXPECT_EQ(of_here[0], 0.5f);
  EXPECT_EQ(of_here[kCols], 0);
  ours.Settle();
  EXPECT_EQ(here.Quiet().Row(0)[2], 1 + 2);
}

TEST(NarrowRowsTest, RowsOfAnyWidthComeBack) {
  for (const size_t cols : {1u, 2u, 7u, 100u}) {
    std::vector<float> rows;
    for (size_t i = 0; i < 3 * cols; ++i) {
      rows.push_back(RoundToBfloat16(0.37f * static_cast<float>(i) - 5));
    }
    std::vector<float> narrow;
    std::vector<float> wide;
    NarrowRows(rows, cols, &narrow);
    EXPECT_EQ(narrow.size(), 3 * ((cols + 1) / 2));
    WidenRows(narrow, cols, &wide);
    EXPECT_EQ(wide, rows) << cols;
  }
}

TEST(NarrowRowsTest, ANumberBecomesTheNearestOne) {
  constexpr float kStep = 0x1p-7f;  // from 1 on
  EXPECT_EQ(RoundToBfloat16(1 + 0.4f * kStep), 1);
  EXPECT_EQ(RoundToBfloat16(1 + 0.6f * kStep), 1 + kStep);
  EXPECT_EQ(RoundToBfloat16(1 + 0.5f * kStep), 1);
  EXPECT_EQ(RoundToBfloat16(-1 - 1.5f * kStep), -1 - 2 * kStep);
  EXPECT_EQ(RoundToBfloat16(0), 0);
}

// However often they are exchanged, moves are not lost to rounding.
TEST_F(ReplicaTableTest, WhatRoundingTakesAwayIsSentTheNextTime) {
  SharedMatrix here = TableOf(1);
  ReplicaTable ours(here);
  SharedMatrix there = TableOf(1);
  ReplicaTable theirs(there);
  const auto exchange = [&] {
    std::vector<float> of_here;
    std::vector<float> of_there;
    ours.Collect(kRows, SentNumbers::kBfloat16, &of_here);
    theirs.Collect(kRows, SentNumbers::kBfloat16, &of_there);
    const std::vector<float> moves = BothOf(of_here, of_there);
    for (const float move : moves) EXPECT_EQ(move, RoundToBfloat16(move));
    std::vector<float> steps(4 * kCols);
    AddUpMoves(moves, 2, ours, kRows, steps.data());
    // One rank has the first rows to add up, the other the last.
    constexpr size_t kFirst = 2 * kCols;
    const auto all = absl::MakeSpan(steps);
    RoundSteps(all.first(kFirst), absl::MakeSpan(of_here).first(kFirst));
    RoundSteps(all.subspan(kFirst), absl::MakeSpan(of_there).subspan(kFirst));
    ours.Apply(kRows, of_here, steps);
    theirs.Apply(kRows, of_there, steps);
  };
  for (int i = 0; i < 100; ++i) {
    Move(here, 0, 0.0101f);
    Move(there, 3, -0.0203f);
    exchange();
  }
  for (int i = 0; i < 3; ++i) exchange();  // what is left
  for (SharedMatrix* const table : {&here, &there}) {
    EXPECT_NEAR(table->Quiet().Row(0)[1], 1 + 1.01, 1e-5);
    EXPECT_NEAR(table->Quiet().Row(3)[2], 1 - 2.03, 1e-5);
    EXPECT_EQ(table->Quiet().Row(1)[0], 1);
  }
}

TEST_F(ReplicaTableTest, ARestartTakesTheTableAsItIs) {
  SharedMatrix table = TableOf(1);
  ReplicaTable replica(table);
  Move(table, 0, 2);
  replica.Restart();
  std::vector<float> moves;
  replica.Collect(kRows, SentNumbers::kFloat32, &moves);
  EXPECT_THAT(moves, Each(0));
}

// Moves that are orthogonal are added up. Of equal ones as much counts as one
// rank would have gone: nearly the sum where they are short beside the row.
TEST(AddUpMovesTest, TheShareOfASumIsOneToOneOfTheRanks) {
  for (size_t cols = 4; cols <= 67; ++cols) {
    for (const float length : {0.01f, 1e6f}) {
      PaddedMatrix rows_before(4, cols);
      for (size_t row = 1; row < 4; ++row) {
        std::fill_n(rows_before.Row(row), cols, length);
      }
      SharedMatrix shared(std::move(rows_before));
      const ReplicaTable table(shared);
      std::vector<float> moves(size_t{9} * cols);  // [ranks, rows, cols]
      for (size_t rank = 0; rank < 3; ++rank) {
        float* const rows = &moves[rank * 3 * cols];
        rows[rank == 2 ? cols - 1 : rank] = 1;  // orthogonal
        std::fill_n(rows + cols, cols, 2.0f);   // equal
        rows[2 * cols] = rank == 2 ? -1 : 1;    // against one another
      }
      std::vector<float> steps(3 * cols);
      AddUpMoves(moves, 3, table, {1, 2, 3}, steps.data());
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
  SharedMatrix table = TableOf(0);
  ReplicaTable replica(table);
  Move(table, 2, NAN);
  std::vector<float> values;
  EXPECT_FALSE(replica.Collect(kRows, SentNumbers::kFloat32, &values));
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
// learnt of it, while another thread was between reading and writing it.
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

// Moves of one rank are those of all; equal ones, though short, count once in
// biases and weights of positions, and more than twice in a word's row.
TEST(ReplicaExchangeTest, BiasesAndWeightsOfPositionsAreThoseOfAllRanks) {
  RunRanks(3, [](Ranks& ranks) {
    ModelShape shape;
    shape.vocab_size = shape.output_rows = 8;
    shape.dim = 4;
    shape.output_bias = -1;
    shape.position_weights = {1, 2};
    EmbeddingModel model(shape, 1);
    TrainMonitor monitor({0.1, 0, 100}, 100);
    auto channel = ranks.Another();
    ASSERT_EQ(channel.status(), absl::OkStatus());
    ReplicaExchange exchange(model, monitor, shape.vocab_size, 1,
                             SentNumbers::kFloat32, *std::move(channel));
    float* const bias = model.output_bias().Quiet().Row(0);
    float* const position = model.position_weights().Quiet().Row(1);
    float* const word = model.input().Quiet().Row(2);
    const float before = word[0];
    exchange.Begin();
    bias[ranks.rank()] += 0.125f;
    for (size_t i = 0; i < shape.dim; ++i) {
      position[i] += 0.125f;
      word[i] *= 1.125f;
    }
    exchange.EndWorkers(/*failed=*/false);
    EXPECT_EQ(exchange.Run(), absl::OkStatus());
    for (size_t r = 0; r < 3; ++r) EXPECT_EQ(bias[r], -0.875f);
    EXPECT_EQ(bias[3], -1);
    EXPECT_FLOAT_EQ(position[0], 2.125f);
    const float times = std::expm1(-0.75f) / std::expm1(-0.25f);
    EXPECT_NEAR(word[0], (1 + times * 0.125f) * before, 1e-6);
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
