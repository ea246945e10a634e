// What is measured after each epoch, and what comes of it.

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/corpora.h"
#include "support/temp_files.h"
#include "support/trainings.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Milestones : public ProgressSink {
 public:
  void OnMilestone(absl::string_view line) override { all.emplace_back(line); }
  std::vector<std::string> all;
};

absl::StatusOr<TrainedModel> TrainWith(const TrainOptions& options,
                                       const Validation& validation,
                                       const Checkpointing& checkpointing = {},
                                       ProgressSink* progress = nullptr) {
  return Train(TwoTopicCorpus(600, 1), options, {progress, nullptr}, {},
               checkpointing, validation);
}

// Scores that do not come of the vectors.
Validation Scores(const std::vector<double>& scores, int patience = 0) {
  Validation validation;
  auto next = std::make_shared<size_t>(0);
  validation.score = [scores, next](const WordVectors&) {
    return absl::StatusOr<double>(scores[(*next)++]);
  };
  validation.patience = patience;
  return validation;
}

TEST(ValidationTest, HeldOutLossFallsAndMovesNothing) {
  const Corpus text = TwoTopicCorpus(200, 2);
  Validation validation;
  validation.text = &text;
  size_t best_at_the_end = 0;
  for (const Variant& variant : AllVariants()) {
    SCOPED_TRACE(variant.name);
    const TrainOptions options = OptionsOf(variant);
    const auto plain = TrainWith(options, {});
    const auto measured = TrainWith(options, validation);
    ASSERT_TRUE(plain.ok() && measured.ok()) << measured.status();
    const auto& epochs = measured->report.epochs;
    ASSERT_EQ(epochs.size(), 3u);
    EXPECT_LT(*epochs.back().held_out_loss, *epochs.front().held_out_loss);
    // Of the same kind as the loss of the text.
    EXPECT_NEAR(*epochs.back().held_out_loss, epochs.back().loss,
                epochs.back().loss / 5);
    EXPECT_GE(measured->report.best_epoch, 2u);
    if (measured->report.best_epoch < 3) continue;  // an earlier one is kept
    ++best_at_the_end;
    EXPECT_TRUE(SameTable(plain->vectors.table(), measured->vectors.table()));
    EXPECT_TRUE(SameTable(plain->output, measured->output));
  }
  EXPECT_GT(best_at_the_end, 0u);
}

TEST(ValidationTest, HeldOutLossDoesNotDependOnThreads) {
  const Corpus text = TwoTopicCorpus(3000, 2);
  Validation validation;
  validation.text = &text;
  TrainOptions options = SmallOptions();
  options.deterministic = true;
  const auto one = TrainWith(options, validation);
  options.threads = 3;
  const auto three = TrainWith(options, validation);
  ASSERT_TRUE(one.ok() && three.ok());
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(*one->report.epochs[i].held_out_loss,
                *three->report.epochs[i].held_out_loss, 1e-9);
  }
}

TEST(ValidationTest, TheBestEpochIsKept) {
  TrainOptions options = SmallOptions();
  Milestones milestones;
  const auto best = TrainWith(options, Scores({1, 3, 2}), {}, &milestones);
  ASSERT_TRUE(best.ok()) << best.status();
  EXPECT_EQ(best->report.best_epoch, 2u);
  EXPECT_FALSE(best->report.stopped_early);
  EXPECT_EQ(*best->report.epochs[2].score, 2);
  EXPECT_THAT(milestones.all,
              ElementsAre(HasSubstr("epoch 1: score 1.00, best"),
                          HasSubstr("epoch 2: score 3.00, best"),
                          testing::EndsWith("epoch 3: score 2.00")));
  const auto last = TrainWith(options, Scores({1, 2, 3}));
  ASSERT_TRUE(last.ok());
  EXPECT_FALSE(SameTable(best->vectors.table(), last->vectors.table()));
}

TEST(ValidationTest, PatienceEnds) {
  TrainOptions options = SmallOptions();
  options.epochs = 10;
  const auto stopped = TrainWith(options, Scores({1, 3, 2, 3}, 2));
  ASSERT_TRUE(stopped.ok()) << stopped.status();
  EXPECT_TRUE(stopped->report.stopped_early);
  EXPECT_EQ(stopped->report.epochs.size(), 4u);
  EXPECT_EQ(stopped->report.best_epoch, 2u);
}

TEST(ValidationTest, TheBestIsInTheCheckpoint) {
  TrainOptions options = SmallOptions();
  const TempFolder folder;
  const auto whole =
      TrainWith(options, Scores({3, 2, 1}), Often(folder.path()));
  ASSERT_TRUE(whole.ok()) << whole.status();
  RemoveNewest(folder);
  const auto resumed =
      TrainWith(options, Scores({1}), Often(folder.path(), /*resume=*/true));
  ASSERT_TRUE(resumed.ok()) << resumed.status();
  EXPECT_EQ(resumed->report.best_epoch, 1u);
  EXPECT_TRUE(SameTable(whole->vectors.table(), resumed->vectors.table()));
}

TEST(ValidationTest, ATrainingIsMeasuredOnTheSameToItsEnd) {
  const TempFolder folder;
  const Corpus text = TwoTopicCorpus(200, 2);
  Validation validation = Scores({3, 2, 1});
  validation.text = &text;
  validation.score_files = {folder.Write("questions", "a b c d")};
  const TempFolder saved;
  ASSERT_TRUE(TrainWith(SmallOptions(), validation, Often(saved.path())).ok());
  const auto resumed = [&](const Validation& with) {
    return std::string(
        TrainWith(SmallOptions(), with, Often(saved.path(), /*resume=*/true))
            .status()
            .message());
  };
  EXPECT_EQ(resumed(validation), "");
  EXPECT_THAT(resumed({}), HasSubstr("validation was \"text "));
  const Corpus other = TwoTopicCorpus(200, 3);
  validation.text = &other;
  EXPECT_THAT(resumed(validation),
              HasSubstr("validation changed (its checksum was \"text "));
  validation.text = &text;
  folder.Write("questions", "a b c e");
  EXPECT_THAT(resumed(validation),
              HasSubstr("validation changed (its checksum was \"text "));
}

TEST(ValidationTest, WhatCannotBeMeasuredIsRefused) {
  Validation validation;
  validation.patience = 2;
  EXPECT_THAT(
      std::string(TrainWith(SmallOptions(), validation).status().message()),
      HasSubstr("patience: nothing is measured"));
  const Corpus other = MakeCorpus({{0, 1, 2}}, 3);
  validation.text = &other;
  EXPECT_THAT(
      std::string(TrainWith(SmallOptions(), validation).status().message()),
      HasSubstr("with the vocabulary of the corpus"));
  validation = {};
  validation.score = [](const WordVectors&) {
    return absl::StatusOr<double>(absl::NotFoundError("no such questions"));
  };
  EXPECT_EQ(TrainWith(SmallOptions(), validation).status().code(),
            absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace firth
