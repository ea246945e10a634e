// One seed, any number of threads, the same bytes.

#include <string>
#include <vector>

#include "firth/checkpoint.h"
#include "firth/train.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/corpora.h"
#include "support/temp_files.h"
#include "support/trainings.h"

namespace firth {
namespace {

TrainOptions Deterministic(const Variant& variant, int threads) {
  TrainOptions options = OptionsOf(variant);
  options.deterministic = true;
  options.threads = threads;
  return options;
}

TEST(DeterministicTest, ThreadsDoNotChangeTheBytesOfAnyTraining) {
  const Corpus corpus = TwoTopicCorpus(600, 1);
  for (const Variant& variant : AllVariants()) {
    SCOPED_TRACE(variant.name);
    const auto one = Train(corpus, Deterministic(variant, 1));
    ASSERT_TRUE(one.ok()) << one.status();
    for (const int threads : {2, 3, 8}) {
      const auto several = Train(corpus, Deterministic(variant, threads));
      ASSERT_TRUE(several.ok()) << several.status();
      ExpectSameModel(*one, *several);
    }
  }
}

TEST(DeterministicTest, AlsoWithViewsAndOutputVectors) {
  const Corpus corpus = TwoTopicCorpus(600, 1);
  TrainOptions options = SmallOptions();
  options.deterministic = true;
  options.add_output = 0.2;
  options.views = {2, 5};
  const auto one = Train(corpus, options);
  options.threads = 3;
  const auto three = Train(corpus, options);
  ASSERT_TRUE(one.ok() && three.ok()) << one.status();
  ExpectSameModel(*one, *three);
}

TEST(DeterministicTest, LearnsTheTopicsUnderEveryVariant) {
  const Corpus corpus = TwoTopicCorpus(1500, 1);
  for (const Variant& variant : AllVariants()) {
    SCOPED_TRACE(variant.name);
    const auto trained = Train(corpus, Deterministic(variant, 2));
    ASSERT_TRUE(trained.ok()) << trained.status();
    EXPECT_GE(WordsWithNeighborInTopic(trained->vectors), 19);
    const auto& epochs = trained->report.epochs;
    EXPECT_LT(epochs.back().loss, epochs.front().loss);
  }
}

TEST(DeterministicTest, ResumesWithAnyNumberOfThreads) {
  const Corpus corpus = TwoTopicCorpus(1500, 1);
  for (const Variant& variant : AllVariants()) {
    SCOPED_TRACE(variant.name);
    const TempFolder folder;
    const auto whole =
        Train(corpus, Deterministic(variant, 2), {}, {}, Often(folder.path()));
    ASSERT_TRUE(whole.ok()) << whole.status();
    RemoveNewest(folder);
    const auto resumed = Train(corpus, Deterministic(variant, 3), {}, {},
                               Often(folder.path(), /*resume=*/true));
    ASSERT_TRUE(resumed.ok()) << resumed.status();
    EXPECT_GT(resumed->report.resumed_words, 0u);
    EXPECT_LT(resumed->report.resumed_words, resumed->report.words);
    ExpectSameModel(*whole, *resumed);
  }
}

TEST(DeterministicTest, ValuesOutOfBoundsAreFound) {
  TrainOptions options = SmallOptions();
  options.deterministic = true;
  options.threads = 2;
  options.learning_rate = 1e9;
  const auto failed = Train(TwoTopicCorpus(600, 1), options);
  EXPECT_EQ(failed.status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_THAT(std::string(failed.status().message()),
              testing::HasSubstr("since the loss is"));
}

}  // namespace
}  // namespace firth
