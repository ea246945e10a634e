// Language models of trainings that stop and go on, on other threads or from
// another model.

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "firth/checkpoint.h"
#include "firth/language_model.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lm/small_training.h"
#include "support/altered_state.h"
#include "support/corpora.h"
#include "support/targets.h"
#include "support/temp_files.h"
#include "support/trainings.h"

namespace firth {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Stops a training at its n-th validation, and goes on with other threads from
// what it saved in the folder.
auto TrainInTwoParts(const Corpus& text, LanguageModelTraining training,
                     int validations, int other_threads,
                     const TempFolder& folder) {
  StopAtValidation stopper(validations);
  const auto part = TrainLanguageModel(
      text, training, {&stopper, &stopper.stop}, Often(folder.path()));
  EXPECT_TRUE(part.ok() && part->report.interrupted) << part.status();
  training.threads = other_threads;
  return TrainLanguageModel(text, training, {},
                            Often(folder.path(), /*resume=*/true));
}

TEST(ResumeLanguageModelTest, AResumedTrainingEndsAsAnUninterruptedOne) {
  const Corpus text = ReadText(kText);
  const Corpus validation = ReadText(ManyTimes("the dog slept in the boat\n"));
  for (const int threads : {1, 2}) {
    for (const OptimizerKind optimizer :
         {OptimizerKind::kSgd, OptimizerKind::kAdagrad, OptimizerKind::kAdam}) {
      SCOPED_TRACE(static_cast<int>(optimizer));
      LanguageModelTraining training = TinyTraining();
      training.optimizer = optimizer;
      if (optimizer == OptimizerKind::kSgd) {
        training.network = NetworkKind::kWindow;
        training.window = 9;  // reaches beyond a step
      }
      if (optimizer == OptimizerKind::kAdagrad) {
        training.reads = Reading::kForward;
      }
      if (optimizer == OptimizerKind::kAdam) {
        training.network = NetworkKind::kTransformer;
        training.context = 9;  // the same
      }
      training.use_characters = true;
      training.dim = 8;
      training.epochs = 5;
      training.dropout = 0.2;
      training.threads = threads;
      training.validation = &validation;
      training.validate_every = 100;
      auto whole = TrainLanguageModel(text, training);
      ASSERT_EQ(whole.status(), absl::OkStatus());
      const TempFolder folder;
      auto resumed = TrainInTwoParts(text, training, 3, 3 - threads, folder);
      ASSERT_EQ(resumed.status(), absl::OkStatus());
      EXPECT_TRUE(ModelBytes(resumed->model) == ModelBytes(whole->model));
      EXPECT_EQ(resumed->report.losses, whole->report.losses);
      EXPECT_EQ(resumed->report.validations.size(),
                whole->report.validations.size());
      // Nothing is left to do.
      auto again = TrainLanguageModel(text, training, {},
                                      Often(folder.path(), /*resume=*/true));
      ASSERT_EQ(again.status(), absl::OkStatus());
      EXPECT_TRUE(ModelBytes(again->model) == ModelBytes(whole->model));
    }
  }
}

// Small products are not divided among threads, so these models are larger.
struct ThreadsCase {
  const char* name;
  NetworkKind network;
  Reading reads;
  Prediction predict;
  HeadKind head;
};

class ThreadsTest : public testing::TestWithParam<ThreadsCase> {
 protected:
  ThreadsTest() {
    training_.network = GetParam().network;
    training_.reads = GetParam().reads;
    training_.predict = GetParam().predict;
    training_.head = GetParam().head;
    training_.units = 72;
    training_.projection =
        GetParam().network == NetworkKind::kRecurrent ? 64 : 0;
    training_.layers = 2;
    training_.heads = 4;
    training_.context = 24;
    training_.batch = 24;
    training_.unroll = 24;
    training_.dropout = 0.1;
    training_.epochs = 3;
  }

  Corpus text_ = ReadText(ManyTimes(kText));
  LanguageModelTraining training_ = TinyTraining();
};

TEST_P(ThreadsTest, AnyNumberOfThemGivesTheSameBytes) {
  ForEachTarget([&] {
    auto one = TrainLanguageModel(text_, training_);
    ASSERT_EQ(one.status(), absl::OkStatus());
    for (const int threads : {2, 3, 5}) {
      LanguageModelTraining training = training_;
      training.threads = threads;
      auto many = TrainLanguageModel(text_, training);
      ASSERT_EQ(many.status(), absl::OkStatus());
      EXPECT_TRUE(ModelBytes(many->model) == ModelBytes(one->model)) << threads;
      EXPECT_EQ(many->report.losses, one->report.losses);
    }
  });
}

TEST_P(ThreadsTest, AResumedTrainingMayHaveOthers) {
  const Corpus validation = ReadText(ManyTimes("the dog slept in the boat\n"));
  training_.validation = &validation;
  training_.validate_every = 600;
  ForEachTarget([&] {
    auto one = TrainLanguageModel(text_, training_);
    ASSERT_EQ(one.status(), absl::OkStatus());
    const TempFolder folder;
    LanguageModelTraining training = training_;
    training.threads = 2;
    auto resumed = TrainInTwoParts(text_, training, 2, 3, folder);
    ASSERT_EQ(resumed.status(), absl::OkStatus());
    EXPECT_TRUE(ModelBytes(resumed->model) == ModelBytes(one->model));
  });
}

INSTANTIATE_TEST_SUITE_P(
    All, ThreadsTest,
    testing::Values(
        ThreadsCase{"RecurrentBoth", NetworkKind::kRecurrent, Reading::kBoth,
                    Prediction::kNext, HeadKind::kSampled},
        ThreadsCase{"RecurrentForward", NetworkKind::kRecurrent,
                    Reading::kForward, Prediction::kNext, HeadKind::kSoftmax},
        ThreadsCase{"RecurrentMasked", NetworkKind::kRecurrent, Reading::kBoth,
                    Prediction::kMasked, HeadKind::kSampled},
        ThreadsCase{"TransformerBoth", NetworkKind::kTransformer,
                    Reading::kBoth, Prediction::kNext, HeadKind::kNce},
        ThreadsCase{"TransformerForward", NetworkKind::kTransformer,
                    Reading::kForward, Prediction::kNext, HeadKind::kSampled},
        ThreadsCase{"TransformerMasked", NetworkKind::kTransformer,
                    Reading::kBoth, Prediction::kMasked, HeadKind::kSampled}),
    [](const auto& test) { return test.param.name; });

// A model of kText and what it is told of another text.
class UpdateTest : public testing::Test {
 protected:
  UpdateTest() {
    training_ = TinyTraining();
    training_.epochs = 5;
    auto first = TrainLanguageModel(ReadText(kText), training_);
    EXPECT_EQ(first.status(), absl::OkStatus());
    first_ = std::make_unique<LanguageModel>(std::move(first->model));
    training_.start = first_.get();
  }
  double LossOn(LanguageModel& model) const {
    const auto measured = model.Measure(other_, {.threads = 1});
    EXPECT_EQ(measured.status(), absl::OkStatus());
    return measured->loss();
  }

  const Corpus other_ = ReadText(ManyTimes("the woman slept by the boat\n"));
  LanguageModelTraining training_;
  std::unique_ptr<LanguageModel> first_;
};

TEST_F(UpdateTest, LearnsTheOtherTextAndLeavesTheFirstModelAsItIs) {
  const std::string before = ModelBytes(*first_);
  // An update ignores the options that shape a model: it has its start's shape.
  training_.units = 1000;
  training_.network = NetworkKind::kTransformer;
  training_.vocabulary.min_count = 100;
  auto updated = TrainLanguageModel(other_, training_);
  ASSERT_EQ(updated.status(), absl::OkStatus());
  EXPECT_LT(LossOn(updated->model), LossOn(*first_) / 2);
  EXPECT_TRUE(ModelBytes(*first_) == before);
  // The words are those of the first one, so that its text is as well known.
  PerplexityOf(updated->model, ReadText(kText));
}

TEST_F(UpdateTest, BeginsWhereTheFirstTrainingEnded) {
  training_.learning_rate = 1e-12;
  training_.epochs = 1e-6;
  auto updated = TrainLanguageModel(other_, training_);
  ASSERT_EQ(updated.status(), absl::OkStatus());
  EXPECT_NEAR(LossOn(updated->model), LossOn(*first_), 1e-6);
}

TEST_F(UpdateTest, EndsAsAnUninterruptedOneAndOnlyWithItsStart) {
  training_.dropout = 0.2;
  auto whole = TrainLanguageModel(other_, training_);
  ASSERT_EQ(whole.status(), absl::OkStatus());
  const TempFolder folder;
  Checkpointing saved = Often(folder.path());
  ASSERT_EQ(TrainLanguageModel(other_, training_, {}, saved).status(),
            absl::OkStatus());
  saved.resume = true;
  auto again = TrainLanguageModel(other_, training_, {}, saved);
  ASSERT_EQ(again.status(), absl::OkStatus());
  EXPECT_TRUE(ModelBytes(again->model) == ModelBytes(whole->model));
  training_.start = &whole->model;
  EXPECT_THAT(
      TrainLanguageModel(other_, training_, {}, saved).status().message(),
      HasSubstr("start"));
}

TEST(ResumeLanguageModelTest, AResumedMaskedTrainingEndsAsAnUninterruptedOne) {
  const Corpus text = ReadText(kText);
  const Corpus validation = ReadText(ManyTimes("the dog slept in the boat\n"));
  for (const NetworkKind network :
       {NetworkKind::kTransformer, NetworkKind::kRecurrent}) {
    LanguageModelTraining training = TinyTraining();
    training.network = network;
    training.predict = Prediction::kMasked;
    training.epochs = 5;
    training.dropout = 0.2;
    training.validation = &validation;
    training.validate_every = 100;
    auto whole = TrainLanguageModel(text, training);
    ASSERT_EQ(whole.status(), absl::OkStatus());
    const TempFolder folder;
    auto resumed = TrainInTwoParts(text, training, 3, 2, folder);
    ASSERT_EQ(resumed.status(), absl::OkStatus());
    EXPECT_TRUE(ModelBytes(resumed->model) == ModelBytes(whole->model));
  }
}

TEST(ResumeLanguageModelTest, ACheckpointOfSomethingElseIsRefused) {
  const Corpus text = ReadText(kText);
  LanguageModelTraining training = TinyTraining();
  training.epochs = 1;
  const TempFolder folder;
  ASSERT_TRUE(
      TrainLanguageModel(text, training, {}, Often(folder.path())).ok());
  const Checkpointing resumed = Often(folder.path(), /*resume=*/true);
  training.units = 17;
  absl::Status status =
      TrainLanguageModel(ReadText("other\n"), training, {}, resumed).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(
      std::string(status.message()),
      AllOf(HasSubstr("this checkpoint belongs to another training run"),
            HasSubstr("units was 16 and is now 17"),
            HasSubstr("text changed (its checksum was \"")));
  status =
      Train(TwoTopicCorpus(300, 1), SmallOptions(), {}, {}, resumed).status();
  EXPECT_THAT(
      std::string(status.message()),
      HasSubstr(
          "this is a checkpoint of a language model, not of word vectors"));
  // If the last checkpoint is cut off, training goes on from the one before it;
  // if both are, it is refused.
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    paths.push_back(entry.path().string());
  }
  ASSERT_EQ(paths.size(), 2u);
  std::sort(paths.begin(), paths.end());
  training.units = 16;
  for (const bool both : {false, true}) {
    const std::string& path = paths[both ? 0 : 1];
    const std::string bytes = ReadWholeFile(path);
    for (size_t size = 0; size < bytes.size(); size += 2999) {
      WriteWholeFile(paths[1], bytes.substr(0, size));
      if (both) WriteWholeFile(path, bytes.substr(0, size));
      status = TrainLanguageModel(text, training, {}, resumed).status();
      EXPECT_EQ(status.code(),
                both ? absl::StatusCode::kDataLoss : absl::StatusCode::kOk);
    }
  }
}

TEST(ResumeLanguageModelTest, StatesThatCannotBeAreRefused) {
  const Corpus text = ReadText(kText);
  LanguageModelTraining training = TinyTraining();
  training.epochs = 2;
  ExpectStatesAreRefused(
      {R"({"step": 9999})", R"({"step": -1})", R"({"optimizer_steps": 9999})",
       R"({"positions": []})", R"({"positions": [0, 0, 0, 0, 0, 99]})",
       R"({"positions": [-1, 0, 0, 0, 0, 0]})",
       R"({"positions": [1e300, 0, 0, 0, 0, 0]})", R"({"positions": 3})",
       R"({"epoch_steps": 18446744073709551615})", R"({"losses": ["a"]})",
       R"({"validations": [[]]})"},
      [&](const Checkpointing& checkpointing) {
        return TrainLanguageModel(text, training, {}, checkpointing).status();
      });
}

}  // namespace
}  // namespace firth
