// Training by columns: what ranks learn together is what one process learns.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "corpus/token_stream.h"
#include "distributed/divided_table.h"
#include "firth/corpus.h"
#include "firth/train.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/shared_trainings.h"
#include "support/temp_files.h"
#include "support/thread_ranks.h"
#include "support/trainings.h"
#include "train/columns/train_columns.h"
#include "vocab/subsampler.h"

namespace firth {
namespace {

using ::testing::HasSubstr;

TEST(TableFileTest, MoreThanTheDiskHasIsRefused) {
  EXPECT_TRUE(TableFile::Reserve(0, 4).ok());
  EXPECT_TRUE(TableFile::Reserve(10, 4).ok());
  const absl::Status status = TableFile::Reserve(size_t{1} << 48, 16).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(status.message(), HasSubstr("a temporary file"));
}

TEST(TableFileTest, CanBeWrittenAgain) {
  absl::StatusOr<TableFile> file = TableFile::Reserve(2, 3);
  ASSERT_TRUE(file.ok()) << file.status();
  for (const float value : {1.0f, 2.0f}) {
    ASSERT_TRUE(file->Rewind().ok());
    PaddedMatrix rows(2, 3);
    rows.Row(1)[2] = value;
    ASSERT_TRUE(file->Append(rows).ok());
    const absl::StatusOr<FloatTable> table = file->Table(2, 3);
    ASSERT_TRUE(table.ok()) << table.status();
    EXPECT_EQ(table->Row(1)[2], value);
  }
}

TrainOptions ByColumns(int batch) {
  TrainOptions options = SmallOptions();
  options.dim = 40;
  options.distributed = ColumnsOptions{.batch = batch};
  return options;
}

class ColumnsTest : public testing::Test {
 protected:
  static constexpr size_t kWords = 4000;
  TempFolder folder_;
  std::string path_ = folder_.Write("text", TextOfTopics(kWords));
};

TEST_F(ColumnsTest, OneRankIsPlainTraining) {
  TrainOptions plain = ByColumns(1);
  plain.distributed = NotDistributed{};
  const auto alone = TrainShared(0, path_, plain);
  const auto one = TrainShared(1, path_, ByColumns(256));
  ASSERT_TRUE(alone[0].ok() && one[0].ok()) << one[0].status();
  EXPECT_EQ(
      GreatestDifference(alone[0]->vectors.table(), one[0]->vectors.table()),
      0);
  EXPECT_EQ(GreatestDifference(alone[0]->output, one[0]->output), 0);
}

TEST_F(ColumnsTest, SeveralRanksLearnWhatOneProcessLearns) {
  for (const int shared_windows : {1, 2}) {
    for (const bool directional : {false, true}) {
      TrainOptions options = ByColumns(1);
      options.window = 9;  // more words than one step takes
      options.architecture = SkipGramOptions{.shared_windows = shared_windows,
                                             .directional = directional};
      TrainOptions plain = options;
      plain.distributed = NotDistributed{};
      const auto alone = TrainShared(0, path_, plain);
      ASSERT_TRUE(alone[0].ok());
      for (const int ranks : {2, 4}) {
        SCOPED_TRACE(absl::StrCat(ranks, " ranks"));
        const auto models = TrainShared(ranks, path_, options);
        ASSERT_TRUE(models[0].ok()) << models[0].status();
        EXPECT_EQ(models[0]->report.words, 3u * kWords);
        EXPECT_LT(GreatestDifference(alone[0]->vectors.table(),
                                     models[0]->vectors.table()),
                  1e-5);
        EXPECT_LT(GreatestDifference(alone[0]->output, models[0]->output),
                  1e-5);
        EXPECT_NEAR(models[0]->report.epochs[2].loss,
                    alone[0]->report.epochs[2].loss, 1e-6);
        EXPECT_EQ(models[1]->vectors.vocabulary().size(), 0u);
      }
    }
  }
}

TEST_F(ColumnsTest, BatchesLearnNearlyTheSame) {
  const auto single = TrainShared(2, path_, ByColumns(1));
  for (const int batch : {2, 7, 8}) {
    SCOPED_TRACE(absl::StrCat("batch ", batch));
    const auto batches = TrainShared(2, path_, ByColumns(batch));
    ASSERT_TRUE(single[0].ok() && batches[0].ok());
    EXPECT_EQ(batches[0]->report.epochs[2].examples,
              single[0]->report.epochs[2].examples);
    EXPECT_NEAR(batches[0]->report.epochs[2].loss,
                single[0]->report.epochs[2].loss, 0.05);
  }
}

// Were the windows of an exchange neighbours, a word's steps would be those of
// all windows that it is in.
TEST_F(ColumnsTest, BatchesLearnNearlyTheSameWithManyNegativesInWideWindows) {
  TrainOptions options = ByColumns(1);
  options.window = 10;
  options.objective = NegativeSamplingOptions{.negatives = 15};
  options.learning_rate = 0.05;
  const auto single = TrainShared(2, path_, options);
  options.distributed = ColumnsOptions{.batch = 24};
  const auto batches = TrainShared(2, path_, options);
  ASSERT_TRUE(single[0].ok() && batches[0].ok()) << batches[0].status();
  EXPECT_NEAR(batches[0]->report.epochs[2].loss,
              single[0]->report.epochs[2].loss, 0.05);
}

TEST_F(ColumnsTest, BatchesAreAsLargeAsTheMostFrequentWordAllows) {
  const auto batch_of = [](const std::vector<uint64_t>& counts, int batch) {
    return ColumnBatch(ByColumns(batch), counts, Subsampler(counts, 0));
  };
  // A window steps each of four words for .25 centers and 5 x .25 noise words.
  EXPECT_EQ(batch_of({7, 7, 7, 7}, 0), 66);
  EXPECT_EQ(batch_of({7, 7, 7, 7}, 1000), 1000);
  EXPECT_EQ(batch_of(std::vector<uint64_t>(10000, 7), 0), 512);
  // 16 / 18 of the centers and 8 / 10 of the noise.
  EXPECT_EQ(batch_of({0, 16, 1, 1}, 0), 20);
}

TEST_F(ColumnsTest, MoreWindowsThanAPieceOfTextHasAreExchangedAtItsEnd) {
  const auto single = TrainShared(2, path_, ByColumns(1));
  TrainOptions options = ByColumns(65536);
  options.learning_rate = 1e-6;  // they step all at once
  const auto batches = TrainShared(2, path_, options);
  ASSERT_TRUE(batches[0].ok()) << batches[0].status();
  EXPECT_EQ(batches[0]->report.epochs[2].examples,
            single[0]->report.epochs[2].examples);
}

TEST_F(ColumnsTest, AValueThatIsNotFiniteStopsAllRanksAndNamesThePlace) {
  TrainOptions options = ByColumns(16);
  options.learning_rate = 1e9;
  for (const auto& model : TrainShared(2, path_, options)) {
    EXPECT_EQ(model.status().code(), absl::StatusCode::kOutOfRange);
    EXPECT_THAT(model.status().message(), HasSubstr("epoch 1 near word"));
  }
}

TEST_F(ColumnsTest, WhatCannotBeSharedIsRefused) {
  TrainOptions options = ByColumns(1);
  options.architecture = CbowOptions{};
  for (const auto& model : TrainShared(2, path_, options)) {
    EXPECT_EQ(model.status().message(),
              "distributed: columns require arch skipgram, but arch is cbow");
  }
  options = ByColumns(1);
  options.dim = 3;
  EXPECT_EQ(TrainShared(4, path_, options)[0].status().message(),
            "distributed: columns require dim 4 or more, one column for each "
            "rank, but dim is 3");
  EXPECT_THAT(TrainShared(0, path_, options)[0].status().message(),
              HasSubstr("distributed: there are no other ranks"));
}

TEST_F(ColumnsTest, OptionsThatDifferAreRefusedWithTheirName) {
  std::vector<absl::Status> statuses(2);
  RunRanks(2, [&](Ranks& ranks) {
    Hooks hooks;
    hooks.ranks = &ranks;
    CorpusOptions reading;
    reading.inputs = {path_};
    const auto corpus = ReadCorpus(reading, {.min_count = 1}, hooks);
    TrainOptions options = ByColumns(1);
    options.window = 5 + ranks.rank();
    statuses[static_cast<size_t>(ranks.rank())] =
        Train(*corpus, options, hooks).status();
  });
  for (const absl::Status& status : statuses) {
    EXPECT_EQ(
        status.message(),
        "window differs between ranks: it is 5 on rank 0 and 6 on rank 1");
  }
}

TEST(ColumnSharesTest, CoverAllColumnsOnceAndAreOfOneSize) {
  for (const size_t dim : {4u, 16u, 100u, 300u, 512u}) {
    for (int ranks = 1; ranks <= 4; ++ranks) {
      size_t next = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const ColumnShare share = ColumnsOf(dim, rank, ranks);
        EXPECT_EQ(share.first, next);
        EXPECT_GE(share.count, dim / static_cast<size_t>(ranks));
        EXPECT_LE(share.count, dim / static_cast<size_t>(ranks) + 1);
        next += share.count;
      }
      EXPECT_EQ(next, dim);
    }
  }
}

TEST(JoinStreamsTest, ASentenceCutByAShareIsOneAgain) {
  constexpr uint32_t kEnd = TokenStream::kSentenceEnd;
  const std::vector<std::vector<uint32_t>> shares = {
      {1, 2, kEnd, 3}, {4, kEnd, 5, kEnd}, {}, {kEnd, 6}, {kEnd, 7, kEnd}};
  RunRanks(5, [&](Ranks& ranks) {
    const auto& own = shares[static_cast<size_t>(ranks.rank())];
    const auto joined = JoinStreams(ranks, TokenStream(own, 0, nullptr));
    ASSERT_TRUE(joined.ok());
    EXPECT_THAT((*joined)->tokens(),
                testing::ElementsAre(1, 2, kEnd, 3, 4, kEnd, 5, kEnd, 6, kEnd,
                                     7, kEnd));
  });
}

}  // namespace
}  // namespace firth
