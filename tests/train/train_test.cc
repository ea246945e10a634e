// Training as a user of the library calls it.

#include "firth/train.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "base/rng.h"
#include "corpus/token_stream.h"
#include "gtest/gtest.h"
#include "support/corpora.h"
#include "support/trainings.h"
#include "train/worker.h"

namespace firth {
namespace {

TEST(TrainTest, NeighborsShareTheTopicUnderEveryVariantAndNumberOfThreads) {
  const Corpus corpus = TwoTopicCorpus(1500, 1);
  for (const Variant& variant : AllVariants()) {
    for (const int threads : {1, 3}) {
      SCOPED_TRACE(variant.name + ", threads " + std::to_string(threads));
      TrainOptions options = OptionsOf(variant);
      options.threads = threads;
      const auto trained = Train(corpus, options);
      ASSERT_TRUE(trained.ok()) << trained.status();
      EXPECT_EQ(WordsWithNeighborInTopic(trained->vectors), 20);
      EXPECT_EQ(trained->report.threads, threads);
    }
  }
}

// They write to the same rows all the time, without locks: a step may get lost,
// but not what the text says. (Over 20 seeds the narrowest margin was 0.56, and
// the losses differed by at most 1.3%.) Full softmax has its ordinary
// learning rate here: at twice that, two threads that step on all 40 rows at
// once left a loss that was up to 6% higher, on cores with AVX-512.
TEST(TrainTest, TwoThreadsLearnAsMuchAsOne) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    const Corpus corpus = TwoTopicCorpus(1500, seed);
    for (const Variant& variant : PlainVariants()) {
      SCOPED_TRACE(variant.name + ", seed " + std::to_string(seed));
      TrainOptions options = OptionsOf(variant);
      options.seed = seed;
      if (std::holds_alternative<FullSoftmaxOptions>(options.objective)) {
        options.learning_rate = DefaultLearningRate(options);
      }
      const auto one = Train(corpus, options);
      options.threads = 2;
      const auto two = Train(corpus, options);
      ASSERT_TRUE(one.ok() && two.ok()) << one.status() << two.status();
      EXPECT_GT(TopicMargin(two->vectors), 0.25);
      const double loss = one->report.epochs.back().loss;
      EXPECT_NEAR(two->report.epochs.back().loss, loss, 0.04 * loss);
    }
  }
}

// Words by Zipf's law, in 50 topics: word w is of topic w % 50, as are four in
// five words of a sentence.
Corpus ZipfCorpus(size_t num_sentences, size_t vocab_size) {
  Rng rng(1);
  const auto draw = [&] {
    const double u = rng.NextFloat();
    return static_cast<uint32_t>(std::pow(static_cast<double>(vocab_size), u) -
                                 1);
  };
  std::vector<std::vector<uint32_t>> sentences(num_sentences);
  for (auto& sentence : sentences) {
    const uint32_t topic = rng.Below(50);
    while (sentence.size() < 20) {
      uint32_t word = draw();
      if (rng.Below(5) > 0) word = word - word % 50 + topic;
      if (word < vocab_size) sentence.push_back(word);
    }
  }
  return MakeCorpus(sentences, vocab_size);
}

// Each thread moves copies of the nodes near the root, which all words share,
// and what all have moved there adds up: exchanged too seldom it overshoots.
// (After 16,384 centers of all the losses were 30% to many times above that of
// one thread; they are 0.3 to 0.5% now.)
TEST(TrainTest, ManyThreadsDoNotOvershootAtTheRoot) {
  const Corpus corpus = ZipfCorpus(20000, 4000);
  TrainOptions options = SmallOptions();
  options.objective = HierarchicalSoftmaxOptions{};
  options.sample = 1e-3;
  options.learning_rate = 0.1;
  const auto one = Train(corpus, options);
  ASSERT_TRUE(one.ok()) << one.status();
  const double loss = one->report.epochs.back().loss;
  // (Sixteen on two cores, slowed down by a sanitizer, have their turns for no
  // more centers than lie between two exchanges: that is another matter.)
  for (const int threads : {3, 4}) {
    options.threads = threads;
    const auto several = Train(corpus, options);
    ASSERT_TRUE(several.ok()) << several.status();
    EXPECT_NEAR(several->report.epochs.back().loss, loss, 0.008 * loss)
        << threads;
  }
}

float GreatestValue(const FloatTable& table) {
  float greatest = 0;
  for (size_t row = 0; row < table.rows(); ++row) {
    for (const float value : table.Row(row)) {
      greatest = std::max(greatest, std::abs(value));
    }
  }
  return greatest;
}

// Rows of which each thread has a copy start at 0, too.
TEST(TrainTest, WhatThreadsLearnOfHotRowsIsInTheOutputTable) {
  const Corpus corpus = TwoTopicCorpus(1500, 1);
  for (const Variant& variant : PlainVariants()) {
    SCOPED_TRACE(variant.name);
    TrainOptions options = OptionsOf(variant);
    options.threads = 2;
    const auto trained = Train(corpus, options);
    ASSERT_TRUE(trained.ok()) << trained.status();
    ASSERT_GE(trained->output.rows(), 20u);
    for (size_t row = 0; row < 20; ++row) {
      float greatest = 0;
      for (const float value : trained->output.Row(row)) {
        greatest = std::max(greatest, std::abs(value));
      }
      EXPECT_GT(greatest, 0.05f) << "row " << row;
    }
  }
}

// A learning rate that moves nothing shows where training starts.
TEST(TrainTest, InputsStartAsTheirGradientNeeds) {
  const Corpus corpus = TwoTopicCorpus(100, 1);
  struct Case {
    ArchitectureOptions architecture;
    float range;
  };
  for (const Case& start :
       {Case{SkipGramOptions{}, 0.5f / 16},
        Case{CbowOptions{CbowGradient::kWord2vec}, 0.5f / 16},
        Case{CbowOptions{CbowGradient::kCorrected}, 1 / std::sqrt(16.0f)}}) {
    TrainOptions options = SmallOptions();
    options.architecture = start.architecture;
    options.learning_rate = 1e-9;
    const auto trained = Train(corpus, options);
    ASSERT_TRUE(trained.ok()) << trained.status();
    const float greatest = GreatestValue(trained->vectors.table());
    EXPECT_LE(greatest, start.range * 1.0001f);
    EXPECT_GT(greatest, start.range * 0.9f);
  }
}

TEST(TrainTest, LossFallsUnderEveryVariant) {
  const Corpus corpus = TwoTopicCorpus(1500, 1);
  for (const Variant& variant : AllVariants()) {
    SCOPED_TRACE(variant.name);
    TrainOptions options = OptionsOf(variant);
    const auto trained = Train(corpus, options);
    ASSERT_TRUE(trained.ok()) << trained.status();
    const auto& epochs = trained->report.epochs;
    ASSERT_EQ(epochs.size(), 3u);
    EXPECT_LT(epochs.back().loss, epochs.front().loss);
    EXPECT_GT(epochs.back().loss, 0);
  }
}

TEST(TrainTest, OneThreadAndOneSeedGiveTheSameBytes) {
  const Corpus corpus = TwoTopicCorpus(300, 1);
  for (const Variant& variant : AllVariants()) {
    SCOPED_TRACE(variant.name);
    TrainOptions options = SmallOptions();
    options.architecture = variant.architecture;
    options.objective = variant.objective;
    const auto first = Train(corpus, options);
    const auto second = Train(corpus, options);
    options.seed = 2;
    const auto other = Train(corpus, options);
    ASSERT_TRUE(first.ok() && second.ok() && other.ok());
    EXPECT_TRUE(SameTable(first->vectors.table(), second->vectors.table()));
    EXPECT_TRUE(SameTable(first->output, second->output));
    EXPECT_FALSE(SameTable(first->vectors.table(), other->vectors.table()));
  }
}

TEST(TrainTest, CountsAllWordsOfAllEpochs) {
  const Corpus corpus = TwoTopicCorpus(500, 1);
  for (const int threads : {1, 2, 5}) {
    TrainOptions options = SmallOptions();
    options.threads = threads;
    options.sample = 0.01;
    const auto trained = Train(corpus, options);
    ASSERT_TRUE(trained.ok()) << trained.status();
    EXPECT_EQ(trained->report.words, 3 * corpus.tokens->num_words());
    EXPECT_EQ(trained->report.held_out_words, 0u);
    EXPECT_FALSE(trained->report.interrupted);
  }
}

TEST(TrainTest, NceLearnsToNormaliseItself) {
  const Corpus corpus = TwoTopicCorpus(6000, 1);
  TrainOptions options = SmallOptions();
  options.objective = NceOptions{.negatives = 10};
  const auto trained = Train(corpus, options);
  ASSERT_TRUE(trained.ok()) << trained.status();
  EXPECT_GT(trained->report.held_out_words, 100u);
  EXPECT_EQ(trained->report.words,
            3 * (corpus.tokens->num_words() - trained->report.held_out_words));
  const NormalizationReport& last = trained->report.epochs.back().normalization;
  EXPECT_GT(last.windows, 50u);
  EXPECT_NEAR(last.mean_ln_z, 0, 0.2);
  // A topic has 11 words; knowing it, a guess among them is the best there is.
  EXPECT_LT(last.perplexity, 12);
  EXPECT_GT(last.perplexity, 8);
  EXPECT_EQ(trained->output_bias.cols(), 21u);
}

TEST(TrainTest, FullSoftmaxReachesThePerplexityOfTheTopics) {
  const Corpus corpus = TwoTopicCorpus(3000, 1);
  TrainOptions options = SmallOptions();
  options.objective = FullSoftmaxOptions{};
  const auto trained = Train(corpus, options);
  ASSERT_TRUE(trained.ok()) << trained.status();
  EXPECT_LT(std::exp(trained->report.epochs.back().loss), 12);
}

TEST(TrainTest, HierarchicalSoftmaxHasOneOutputRowLessThanWords) {
  TrainOptions options = SmallOptions();
  options.objective = HierarchicalSoftmaxOptions{};
  const auto trained = Train(TwoTopicCorpus(100, 1), options);
  ASSERT_TRUE(trained.ok()) << trained.status();
  EXPECT_EQ(trained->output.rows(), 20u);
  EXPECT_TRUE(trained->output_bias.empty());
}

TEST(TrainTest, AValueThatIsNotFiniteStopsTrainingAndSaysWhere) {
  const Corpus corpus = TwoTopicCorpus(20000, 1);
  for (const Variant& variant : AllVariants()) {
    for (const int threads : {1, 2}) {
      SCOPED_TRACE(variant.name);
      TrainOptions options = SmallOptions();
      options.architecture = variant.architecture;
      options.objective = variant.objective;
      options.subwords = variant.subwords;
      options.learning_rate = 1e9;
      options.threads = threads;
      const auto trained = Train(corpus, options);
      ASSERT_FALSE(trained.ok());
      EXPECT_EQ(trained.status().code(), absl::StatusCode::kOutOfRange);
      EXPECT_TRUE(
          absl::StrContains(trained.status().message(), "learning rate"))
          << trained.status();
      EXPECT_TRUE(absl::StrContains(trained.status().message(), "epoch 1"))
          << trained.status();
    }
  }
}

TEST(TrainTest, StopsWhenAskedAndGivesWhatHasBeenLearnt) {
  const Corpus corpus = TwoTopicCorpus(20000, 1);
  StoppingSink sink;
  TrainOptions options = SmallOptions();
  options.epochs = 10000;
  options.threads = 2;
  const auto trained =
      Train(corpus, options, Hooks{.progress = &sink, .stop = &sink.stop});
  ASSERT_TRUE(trained.ok()) << trained.status();
  EXPECT_TRUE(trained->report.interrupted);
  EXPECT_LT(trained->report.words, 10000 * corpus.tokens->num_words());
  EXPECT_EQ(trained->vectors.size(), 21u);
  ASSERT_GE(sink.reports, 1);
  EXPECT_GT(sink.last.fraction, 0);
  EXPECT_GT(sink.last.words_per_second, 0);
  EXPECT_GT(sink.last.loss, 0);
  EXPECT_GT(sink.last.seconds_left, 0);
}

class EpochSink : public ProgressSink {
 public:
  void OnEpoch(const EpochProgress& epoch) override {
    EXPECT_EQ(epoch.epoch, static_cast<int>(losses.size()));
    losses.push_back(epoch.loss);
  }
  std::vector<double> losses;
};

TEST(TrainTest, EachEpochIsReportedOnceWithItsMeanLoss) {
  const Corpus corpus = TwoTopicCorpus(200, 1);
  for (const std::vector<int>& views :
       {std::vector<int>{}, std::vector<int>{2, 6}}) {
    TrainOptions options = SmallOptions();
    options.views = views;
    EpochSink sink;
    const auto trained = Train(corpus, options, Hooks{.progress = &sink});
    ASSERT_TRUE(trained.ok()) << trained.status();
    std::vector<double> losses;
    for (const EpochReport& epoch : trained->report.epochs) {
      losses.push_back(epoch.loss);
    }
    EXPECT_GT(losses.size(), 1u);
    EXPECT_EQ(sink.losses, losses);
  }
}

TEST(TrainTest, RefusesACorpusThatWasOnlyCounted) {
  Corpus corpus = TwoTopicCorpus(10, 1);
  corpus.tokens = nullptr;
  EXPECT_EQ(Train(corpus, SmallOptions()).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(TrainTest, RefusesAVocabularyOfOneWord) {
  const auto trained = Train(MakeCorpus({{0, 0, 0}}, 1), SmallOptions());
  EXPECT_EQ(trained.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(trained.status().message(),
            "ns: needs a vocabulary of at least 2 words, found 1");
}

TEST(TrainTest, SentencesOfOneWordTrainNothingButCount) {
  const Corpus corpus = MakeCorpus({{0}, {1}, {0}}, 2);
  for (const Variant& variant : AllVariants()) {
    TrainOptions options = SmallOptions();
    options.architecture = variant.architecture;
    options.objective = variant.objective;
    const auto trained = Train(corpus, options);
    ASSERT_TRUE(trained.ok()) << variant.name << trained.status();
    EXPECT_EQ(trained->report.epochs[0].examples, 0u);
  }
}

TEST(TrainTest, OwnRowsMayCountLess) {
  const Corpus corpus = TwoTopicCorpus(200, 1);
  TrainOptions options = SmallOptions();
  options.subwords = BucketSubwords{.min_n = 5, .max_n = 5};  // not of "<w1>"
  const WordVectors plain = Train(corpus, options)->vectors;
  options.word_share = 0.25;
  const WordVectors scaled = Train(corpus, options)->vectors;
  size_t alone = 0;
  for (size_t word = 0; word < plain.size(); ++word) {
    std::vector<uint32_t> n_grams;
    plain.subwords()->index.AppendRows(plain.vocabulary().Word(ToWordId(word)),
                                       &n_grams);
    alone += n_grams.empty() ? 1 : 0;
    const float share = n_grams.empty() ? 1 : 0.25F;
    const auto rows = static_cast<float>(n_grams.size() + 1);
    for (size_t i = 0; i < plain.dim(); ++i) {
      const float own = plain.subwords()->words.Row(word)[i];
      EXPECT_EQ(scaled.subwords()->words.Row(word)[i], share * own);
      EXPECT_NEAR(scaled.Vector(ToWordId(word))[i],
                  plain.Vector(ToWordId(word))[i] + (share - 1) * own / rows,
                  1e-6);
    }
  }
  EXPECT_GT(alone, 0u);
  EXPECT_LT(alone, plain.size());
}

TEST(TrainTest, OutputVectorsMayBeAdded) {
  const Corpus corpus = TwoTopicCorpus(200, 1);
  const std::vector<SubwordOptions> subword_options = {
      NoSubwords{}, BucketSubwords{.min_n = 2, .max_n = 3}};
  for (const SubwordOptions& subwords : subword_options) {
    TrainOptions options = SmallOptions();
    options.subwords = subwords;
    const auto plain = Train(corpus, options);
    options.add_output = 0.5;
    const auto added = Train(corpus, options);
    ASSERT_TRUE(plain.ok() && added.ok());
    std::vector<double> mean(16);
    for (size_t word = 0; word < 21; ++word) {
      for (size_t i = 0; i < 16; ++i) {
        mean[i] += plain->output.Row(word)[i] / 21.0;
      }
    }
    for (size_t word = 0; word < 21; ++word) {
      const auto input = plain->vectors.Vector(ToWordId(word));
      const auto output = plain->output.Row(word);
      double input_square = 0;
      double output_square = 0;
      for (size_t i = 0; i < 16; ++i) {
        input_square += std::pow(input[i], 2);
        output_square += std::pow(output[i] - mean[i], 2);
      }
      const double scale = 0.5 * std::sqrt(input_square / output_square);
      for (size_t i = 0; i < 16; ++i) {
        EXPECT_NEAR(added->vectors.Vector(ToWordId(word))[i],
                    input[i] + scale * (output[i] - mean[i]), 1e-5);
      }
    }
  }
}

TEST(TrainTest, AWordIsTheMeanOfItsRowsAndUnknownWordsHaveVectors) {
  const Corpus corpus = TwoTopicCorpus(200, 1);
  TrainOptions options = SmallOptions();
  options.subwords = BucketSubwords{.min_n = 2, .max_n = 3};
  const auto trained = Train(corpus, options);
  ASSERT_TRUE(trained.ok()) << trained.status();
  const SubwordTables* subwords = trained->vectors.subwords();
  ASSERT_NE(subwords, nullptr);
  EXPECT_EQ(subwords->words.rows(), corpus.vocabulary.size());
  ExpectMeanOfRows(trained->vectors, "w1");
  EXPECT_TRUE(trained->vectors.FromNGrams("w100").has_value());
  EXPECT_FALSE(trained->vectors.FromNGrams("xyz").has_value());
}

class MemorySink : public ProgressSink {
 public:
  void OnMemory(const MemoryEstimate& memory) override { needed = memory; }
  MemoryEstimate needed;
};

TEST(MemoryEstimateTest, MoreThanTheMachineHasIsRefusedBeforeItIsTaken) {
  TrainOptions options = SmallOptions();
  options.dim = 65536;
  const Corpus corpus = MakeCorpus({{0, 1}}, 200000);
  if (AvailableMemory() > uint64_t{100} << 30) {
    GTEST_SKIP() << "this machine has more than 100 GiB of memory";
  }
  MemorySink sink;
  const auto trained = Train(corpus, options, Hooks{.progress = &sink});
  // 200,000 words of 65,536 floats twice: 105 GB.
  EXPECT_NEAR(static_cast<double>(sink.needed.tables), 200000.0 * 65536 * 8,
              1e6);
  EXPECT_EQ(trained.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(absl::StrContains(trained.status().message(), "training needs"))
      << trained.status();
}

TEST(LearningRateScheduleTest, FallsLinearlyToItsFloor) {
  const LearningRateSchedule schedule(0.1, 0.01, 1000);
  EXPECT_FLOAT_EQ(schedule.At(0), 0.1f);
  EXPECT_FLOAT_EQ(schedule.At(500), 0.05f);
  EXPECT_FLOAT_EQ(schedule.At(1000), 0.01f);
  EXPECT_FLOAT_EQ(schedule.At(5000), 0.01f);
}

}  // namespace
}  // namespace firth
