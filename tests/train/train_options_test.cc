// Tests which options TrainOptions::Validate() refuses, and what it says.

#include "firth/train.h"

#include <cmath>

#include "gtest/gtest.h"

namespace firth {
namespace {

TEST(TrainOptionsTest, DefaultsAreValid) {
  EXPECT_TRUE(TrainOptions().Validate().ok());
}

TEST(TrainOptionsTest, ValuesOutOfRangeAreNamed) {
  struct Case {
    const char* message;
    void (*spoil)(TrainOptions&);
  };
  const Case kCases[] = {
      {"dim: expected 1 to 65536, found 0", [](TrainOptions& o) { o.dim = 0; }},
      {"window: expected 1 to 1000, found -1",
       [](TrainOptions& o) { o.window = -1; }},
      {"sample: expected 0 to 1, found 2",
       [](TrainOptions& o) { o.sample = 2; }},
      {"sample: expected 0 to 1, found nan",
       [](TrainOptions& o) { o.sample = NAN; }},
      {"epochs: expected 1 to 10000, found 0",
       [](TrainOptions& o) { o.epochs = 0; }},
      {"threads: expected 0 to 1024, found 5000",
       [](TrainOptions& o) { o.threads = 5000; }},
      {"negative: expected 1 to 1000, found 0",
       [](TrainOptions& o) { o.objective = NegativeSamplingOptions{0}; }},
      {"negative: expected 1 to 1000, found 1001",
       [](TrainOptions& o) { o.objective = NceOptions{1001}; }},
      {"noise-exponent: expected -10 to 10, found 11",
       [](TrainOptions& o) {
         o.objective = NceOptions{5, 11};
       }},
      {"batch: expected 1 to 4096, found 0",
       [](TrainOptions& o) { o.objective = FullSoftmaxOptions{0}; }},
      {"subwords: not possible with the softmax objective; use another one",
       [](TrainOptions& o) {
         o.objective = FullSoftmaxOptions{};
         o.subwords = BucketSubwords{};
       }},
      {"subword-step: expected 1e-06 to 1, found 0",
       [](TrainOptions& o) { o.subword_step = 0; }},
      {"add-output: expected 0 to 10, found -1",
       [](TrainOptions& o) { o.add_output = -1; }},
      {"add-output: not possible with hierarchical softmax, directional or "
       "floret, which have no single input and output row per word",
       [](TrainOptions& o) {
         o.add_output = 0.5;
         o.objective = HierarchicalSoftmaxOptions{};
       }},
      {"word-step: expected 1e-06 to 1000, found nan",
       [](TrainOptions& o) { o.word_step = NAN; }},
      {"word-share: expected 0 to 1, found 1.5",
       [](TrainOptions& o) { o.word_share = 1.5; }},
      {"word-share requires subword-index buckets or explicit, but "
       "subword-index is none",
       [](TrainOptions& o) { o.word_share = 0.5; }},
      {"directional requires arch skipgram and loss ns, but arch is skipgram "
       "and loss is nce",
       [](TrainOptions& o) {
         o.architecture = SkipGramOptions{.directional = true};
         o.objective = NceOptions{};
       }},
      {"views: must be 2 to 8 windows, found 1",
       [](TrainOptions& o) { o.views = {5}; }},
      {"views: expected 1 to 1000, found 0",
       [](TrainOptions& o) {
         o.views = {5, 0};
       }},
      {"view-dim: must be 50 to 65536, found 49",
       [](TrainOptions& o) {
         o.views = {5, 6};
         o.view_dim = 49;
       }},
      {"min-n: must be 1 to max-n (2), found 3",
       [](TrainOptions& o) {
         o.subwords = ExplicitSubwords{3, 2};
       }},
      {"min-learning-rate: must be at most the learning rate (0.025), found 1",
       [](TrainOptions& o) { o.min_learning_rate = 1; }},
  };
  for (const Case& c : kCases) {
    TrainOptions options;
    c.spoil(options);
    EXPECT_EQ(options.Validate().message(), c.message);
  }
}

}  // namespace
}  // namespace firth
