// Trainings of several windows, joined.

#include "firth/train.h"

#include <vector>

#include "corpus/token_stream.h"
#include "gtest/gtest.h"
#include "support/corpora.h"
#include "support/trainings.h"
#include "vectors/join_views.h"

namespace firth {
namespace {

TEST(TrainViewsTest, EqualWhatSeparateTrainingsJoinTo) {
  const Corpus corpus = TwoTopicCorpus(300, 1);
  const std::vector<SubwordOptions> subword_options = {
      NoSubwords{}, BucketSubwords{.min_n = 2, .max_n = 3},
      FloretSubwords{.buckets = 50}};
  for (const SubwordOptions& subwords : subword_options) {
    TrainOptions options = SmallOptions();
    options.subwords = subwords;
    std::vector<WordVectors> separate;
    for (const int window : {2, 6}) {
      TrainOptions own = options;
      own.window = window;
      own.dim = 20;
      own.seed = options.seed + separate.size();
      separate.push_back(Train(corpus, own)->vectors);
    }
    const WordVectors expected = *JoinViews(separate, {.dim = 16});
    options.views = {2, 6};
    options.view_dim = 20;
    const auto joined = Train(corpus, options);
    ASSERT_TRUE(joined.ok()) << joined.status();
    EXPECT_TRUE(joined->output.empty());
    EXPECT_EQ(joined->report.epochs.size(), 6u);
    EXPECT_EQ(joined->report.words, 6 * corpus.tokens->num_words());
    EXPECT_EQ(joined->vectors.dim(), 16u);
    for (size_t word = 0; word < 21; ++word) {
      EXPECT_EQ(joined->vectors.CopyVector(ToWordId(word)),
                expected.CopyVector(ToWordId(word)));
    }
    EXPECT_EQ(joined->vectors.FromNGrams("w123"), expected.FromNGrams("w123"));
  }
}

TEST(TrainViewsTest, OnlyTheNarrowestIsDirectionalAndWithoutOutputs) {
  const Corpus corpus = TwoTopicCorpus(1500, 1);
  TrainOptions options = SmallOptions();
  options.dim = 20;
  const auto train = [&](int window, bool directional, double add_output) {
    TrainOptions own = options;
    own.architecture = SkipGramOptions{.directional = directional};
    own.window = window;
    own.add_output = add_output;
    own.seed = options.seed + (directional ? 1 : 0);
    return Train(corpus, own)->vectors;
  };
  const WordVectors expected =
      *JoinViews({train(6, false, 0.4), train(2, true, 0)}, {.dim = 20});
  options.architecture = SkipGramOptions{.directional = true};
  options.add_output = 0.4;
  options.views = {6, 2};
  options.view_dim = 20;
  const auto joined = Train(corpus, options);
  ASSERT_TRUE(joined.ok()) << joined.status();
  for (size_t word = 0; word < 21; ++word) {
    EXPECT_EQ(joined->vectors.CopyVector(ToWordId(word)),
              expected.CopyVector(ToWordId(word)));
  }
}

TEST(TrainViewsTest, WordsAreStillMeansOfTheirNGrams) {
  const Corpus corpus = TwoTopicCorpus(1500, 1);
  TrainOptions options = SmallOptions();
  options.subwords = BucketSubwords{.min_n = 2, .max_n = 3};
  options.views = {2, 6};
  options.add_output = 0.5;
  const auto joined = Train(corpus, options);
  ASSERT_TRUE(joined.ok()) << joined.status();
  ExpectMeanOfRows(joined->vectors, "w1");
  EXPECT_EQ(WordsWithNeighborInTopic(joined->vectors), 20);
}

TEST(TrainViewsTest, ViewsHaveAFifthFewerThanTheJoinedVectorsInWholeRows) {
  const Corpus corpus = TwoTopicCorpus(300, 1);
  TrainOptions options = SmallOptions();
  options.views = {2, 6};
  for (const auto& [dim, view_dim] : {std::pair(20, 16), std::pair(21, 32)}) {
    options.dim = dim;
    options.view_dim = 0;
    const auto joined = Train(corpus, options);
    options.view_dim = view_dim;
    const auto expected = Train(corpus, options);
    ASSERT_TRUE(joined.ok() && expected.ok());
    EXPECT_EQ(joined->vectors.CopyVector(WordId{3}),
              expected->vectors.CopyVector(WordId{3}));
  }
}

TEST(TrainViewsTest, WithoutViewsTheirDimensionMeansNothing) {
  TrainOptions options = SmallOptions();
  options.view_dim = options.dim / 2 - 1;
  EXPECT_EQ(options.Validate(), absl::OkStatus());
  options.views = {2, 6};
  EXPECT_EQ(options.Validate().code(), absl::StatusCode::kInvalidArgument);
}

TEST(TrainViewsTest, AnInterruptedViewIsLeftOut) {
  const Corpus corpus = TwoTopicCorpus(8000, 1);
  TrainOptions options = SmallOptions();
  // So much that a training reports on its way.
  options.view_dim = 200;
  options.objective = NegativeSamplingOptions{.negatives = 20};
  const auto first = [&] {
    TrainOptions own = options;
    own.window = 2;
    own.dim = 200;
    return *JoinViews({Train(corpus, own)->vectors}, {.dim = 16});
  }();
  options.views = {2, 6};
  // Stops in the second training.
  class Sink : public StoppingSink {
   public:
    void OnTrain(const TrainProgress& progress) override {
      if (progress.epoch >= 3) StoppingSink::OnTrain(progress);
    }
  } sink;
  const auto joined =
      Train(corpus, options, Hooks{.progress = &sink, .stop = &sink.stop});
  ASSERT_TRUE(joined.ok()) << joined.status();
  EXPECT_TRUE(joined->report.interrupted);
  EXPECT_GE(sink.last.fraction, 0.5);
  for (size_t word = 0; word < 21; ++word) {
    EXPECT_EQ(joined->vectors.CopyVector(ToWordId(word)),
              first.CopyVector(ToWordId(word)));
  }
}

}  // namespace
}  // namespace firth
