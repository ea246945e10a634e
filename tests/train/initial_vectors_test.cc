// Training that starts from given vectors.

#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/matrix.h"
#include "corpus/token_stream.h"
#include "firth/train.h"
#include "gtest/gtest.h"
#include "support/corpora.h"

namespace firth {
namespace {

constexpr int kDim = 8;

TrainOptions Options() {
  TrainOptions options;
  options.dim = kDim;
  options.epochs = 1;
  options.sample = 0;
  options.threads = 1;
  options.learning_rate = 0.05;
  return options;
}

// Value i of the vector of the k-th word is 10 + k + i / 100.
WordVectors Vectors(const std::vector<absl::string_view>& words,
                    std::vector<uint64_t> counts = {}, size_t dim = kDim) {
  PaddedMatrix table(words.size(), dim);
  for (size_t k = 0; k < words.size(); ++k) {
    for (size_t i = 0; i < dim; ++i) {
      table.Row(k)[i] = 10.0f + static_cast<float>(k) + 0.01f * i;
    }
  }
  return WordVectors::Create(
             Vocabulary::Create(words, std::move(counts)).value(),
             std::move(table))
      .value();
}

double Distance(absl::Span<const float> a, absl::Span<const float> b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += std::abs(double{a[i]} - b[i]);
  return sum;
}

// So short that nothing is learned from it.
constexpr double kNoLearning = 1e-9;

TEST(InitialVectorsTest, WordsStartWhereTheyAreGiven) {
  const Corpus corpus = TwoTopicCorpus(10, 1);
  const WordVectors given = Vectors({"other", "w3", "w20"});
  TrainOptions options = Options();
  options.learning_rate = kNoLearning;
  const auto trained = Train(corpus, options, {}, {.vectors = &given});
  ASSERT_TRUE(trained.ok()) << trained.status();
  const InitialWords& words = trained->report.initial;
  EXPECT_EQ(words.given, 2u);
  EXPECT_EQ(words.at_random, 19u);
  EXPECT_EQ(words.from_n_grams, 0u);
  EXPECT_EQ(words.others, 0u);
  EXPECT_EQ(trained->vectors.size(), 21u);
  for (const char* word : {"w3", "w20"}) {
    EXPECT_LT(Distance(*trained->vectors.Find(word), *given.Find(word)), 1e-3);
  }
  EXPECT_LT(std::abs((*trained->vectors.Find("w1"))[0]), 1);
}

TEST(InitialVectorsTest, GivenVectorsLearnUnlessTheyAreFrozen) {
  const Corpus corpus = TwoTopicCorpus(500, 1);
  const WordVectors given = Vectors({"w3", "w20"});
  const std::vector<ArchitectureOptions> architectures = {
      SkipGramOptions{}, SkipGramOptions{.shared_windows = 2}, CbowOptions{}};
  for (const ArchitectureOptions& architecture : architectures) {
    for (const bool freeze : {false, true}) {
      TrainOptions options = Options();
      options.architecture = architecture;
      const auto trained =
          Train(corpus, options, {}, {.vectors = &given, .freeze = freeze});
      ASSERT_TRUE(trained.ok()) << trained.status();
      const double moved =
          Distance(*trained->vectors.Find("w3"), *given.Find("w3"));
      if (freeze) {
        EXPECT_EQ(moved, 0);
      } else {
        EXPECT_GT(moved, 0.01);
      }
      // Others learn in both cases.
      const auto other = *trained->vectors.Find("w4");
      EXPECT_GT(Distance(other, std::vector<float>(kDim, 0.0f)), 0.5);
    }
  }
}

// All words then go the way of frozen ones, and learn as they do without it.
TEST(InitialVectorsTest, FreezingNoWordChangesNothing) {
  const Corpus corpus = TwoTopicCorpus(300, 1);
  const WordVectors given = Vectors({"other"});
  const auto plain = Train(corpus, Options());
  const auto pinned =
      Train(corpus, Options(), {}, {.vectors = &given, .freeze = true});
  ASSERT_TRUE(plain.ok() && pinned.ok());
  for (size_t word = 0; word < 21; ++word) {
    // Not the same bits: a row in reach is private until it leaves.
    EXPECT_LT(Distance(plain->vectors.Vector(ToWordId(word)),
                       pinned->vectors.Vector(ToWordId(word))),
              0.05 * kDim);
  }
}

TEST(InitialVectorsTest, WordsOfTheFileAloneAreKeptBehindTheOthers) {
  const Corpus corpus = TwoTopicCorpus(100, 1);
  const WordVectors given = Vectors({"x", "w3", "y"}, {7, 6, 5});
  const std::vector<ObjectiveOptions> objectives = {
      NegativeSamplingOptions{}, NceOptions{}, HierarchicalSoftmaxOptions{}};
  for (const ObjectiveOptions& objective : objectives) {
    TrainOptions options = Options();
    options.objective = objective;
    const auto trained =
        Train(corpus, options, {}, {.vectors = &given, .keep_others = true});
    ASSERT_TRUE(trained.ok()) << trained.status();
    EXPECT_EQ(trained->report.initial.others, 2u);
    ASSERT_EQ(trained->vectors.size(), 23u);
    const Vocabulary& vocabulary = trained->vectors.vocabulary();
    EXPECT_EQ(vocabulary.Word(ToWordId(21)), "x");
    EXPECT_EQ(vocabulary.Count(ToWordId(22)), 5u);
    EXPECT_EQ(*trained->vectors.Find("y"), *given.Find("y"));
    const bool tree =
        std::holds_alternative<HierarchicalSoftmaxOptions>(objective);
    EXPECT_EQ(trained->output.rows(), tree ? 20u : 23u);
    if (!trained->output_bias.empty()) {
      EXPECT_EQ(trained->output_bias.cols(), 23u);
    }
  }
}

TEST(InitialVectorsTest, WithNGramsAWordStillStartsWhereItIsGiven) {
  const Corpus corpus = TwoTopicCorpus(10, 1);
  const WordVectors given = Vectors({"w3"});
  TrainOptions options = Options();
  options.learning_rate = kNoLearning;
  options.subwords = BucketSubwords{.min_n = 2, .max_n = 3};
  const auto trained = Train(corpus, options, {}, {.vectors = &given});
  ASSERT_TRUE(trained.ok()) << trained.status();
  EXPECT_LT(Distance(*trained->vectors.Find("w3"), *given.Find("w3")), 1e-3);
}

TEST(InitialVectorsTest, NewWordsStartFromTheNGramsOfGivenVectors) {
  TrainOptions options = Options();
  options.subwords = BucketSubwords{.min_n = 2, .max_n = 3};
  const auto first = Train(MakeCorpus({{0, 1, 2, 3}}, 4), options);
  ASSERT_TRUE(first.ok()) << first.status();
  options = Options();
  options.learning_rate = kNoLearning;
  const auto second =
      Train(TwoTopicCorpus(10, 1), options, {}, {.vectors = &first->vectors});
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ(second->report.initial.given, 4u);
  EXPECT_EQ(second->report.initial.from_n_grams, 17u);
  EXPECT_LT(
      Distance(*second->vectors.Find("w13"), *first->vectors.FromNGrams("w13")),
      1e-3);
}

TEST(InitialVectorsTest, WhatCannotBeIsRefused) {
  struct Case {
    const char* message;
    bool freeze;
    bool keep_others;
    size_t dim;
    void (*change)(TrainOptions&);
  };
  const Case kCases[] = {
      {"init: the vectors must have 8 dimensions (dim), found 9", false, false,
       9, [](TrainOptions&) {}},
      {"init: the words need rows of their own; floret's subwords have none",
       false, false, kDim,
       [](TrainOptions& o) { o.subwords = FloretSubwords{}; }},
      {"freeze: words with n-grams cannot be frozen, since words share n-grams",
       true, false, kDim,
       [](TrainOptions& o) { o.subwords = BucketSubwords{}; }},
      {"freeze: not possible with the softmax objective; use another one", true,
       false, kDim,
       [](TrainOptions& o) { o.objective = FullSoftmaxOptions{}; }},
      {"init: with subwords, words that do not occur in the text cannot be "
       "kept",
       false, true, kDim,
       [](TrainOptions& o) { o.subwords = BucketSubwords{}; }},
  };
  const Corpus corpus = TwoTopicCorpus(10, 1);
  for (const Case& c : kCases) {
    TrainOptions options = Options();
    c.change(options);
    const WordVectors given = Vectors({"w3"}, {}, c.dim);
    const auto trained = Train(
        corpus, options, {},
        {.vectors = &given, .freeze = c.freeze, .keep_others = c.keep_others});
    EXPECT_EQ(trained.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(trained.status().message(), c.message);
  }
  EXPECT_EQ(Train(corpus, Options(), {}, {.freeze = true}).status().message(),
            "init: the vectors to start from are missing");
}

}  // namespace
}  // namespace firth
