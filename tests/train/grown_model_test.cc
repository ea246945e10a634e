// Models that go on with new text.

#include <cmath>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/rng.h"
#include "firth/corpus.h"
#include "firth/train.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/temp_files.h"
#include "support/trainings.h"

namespace firth {
namespace {

using testing::HasSubstr;

// Sentences of seven words out of `words`, drawn uniformly.
std::string Sentences(const std::vector<std::string>& words, int count,
                      uint64_t seed) {
  Rng rng(seed);
  std::string text;
  for (int i = 0; i < count; ++i) {
    for (int k = 0; k < 7; ++k) {
      text += words[rng.Below(static_cast<uint32_t>(words.size()))] + " ";
    }
    text += "\n";
  }
  return text;
}

const std::vector<std::string>& Animals() {
  static const auto& words =
      *new std::vector<std::string>{"bat", "cat", "dog", "eel", "fox", "gnu"};
  return words;
}
const std::vector<std::string>& Tools() {
  static const auto& words = *new std::vector<std::string>{
      "adze", "bolt", "file", "nail", "pick", "vise"};
  return words;
}

std::string OldText() {
  return Sentences(Animals(), 300, 1) + Sentences(Tools(), 300, 2);
}
// Of animals alone, one of them new.
std::string NewText() {
  std::vector<std::string> words = Animals();
  words.emplace_back("yak");
  return Sentences(words, 300, 3);
}

Corpus Read(const std::string& text, const KnownWords& known = {}) {
  CorpusOptions options;
  options.text = text;
  options.threads = 1;
  auto corpus = ReadCorpus(options, known, {.min_count = 1});
  EXPECT_TRUE(corpus.ok()) << corpus.status();
  return *std::move(corpus);
}

TrainedModel MustTrain(const Corpus& corpus, const TrainOptions& options,
                       const InitialVectors& initial = {}) {
  auto trained = Train(corpus, options, {}, initial);
  EXPECT_TRUE(trained.ok()) << trained.status();
  return *std::move(trained);
}

InitialVectors StartOf(const TrainedModel& model) {
  return {.vectors = &model.vectors,
          .output = model.output,
          .output_bias = model.output_bias};
}

// Trees do not grow.
std::vector<Variant> VariantsWithoutTree() {
  std::vector<Variant> variants = AllVariants();
  std::erase_if(variants, [](const Variant& variant) {
    return std::holds_alternative<HierarchicalSoftmaxOptions>(
        variant.objective);
  });
  return variants;
}

// A learning rate at which float32 values stay what they are.
constexpr double kNoLearning = 1e-12;

class GrownModelTest : public testing::TestWithParam<Variant> {
 protected:
  GrownModelTest() {
    old_ = MustTrain(Read(OldText()), options_);
    known_ = {old_.vectors.vocabulary(), KnownCounts::kAdd};
    corpus_ = Read(NewText(), known_);
  }

  // Where the word is in the new vocabulary.
  size_t NewId(size_t old_word) const {
    return Index(*corpus_.vocabulary.Find(
        old_.vectors.vocabulary().Word(ToWordId(old_word))));
  }
  // Rows of both output tables, of an old word.
  size_t OutputParts() const {
    return old_.output.rows() / old_.vectors.size();
  }

  const TrainOptions options_ = OptionsOf(GetParam());
  TrainedModel old_;
  KnownWords known_;
  Corpus corpus_;
};

TEST_P(GrownModelTest, StartsWithAllThatTheModelHas) {
  TrainOptions still = options_;
  still.learning_rate = kNoLearning;
  const TrainedModel grown = MustTrain(corpus_, still, StartOf(old_));
  EXPECT_EQ(grown.vectors.size(), old_.vectors.size() + 1);
  EXPECT_EQ(grown.report.initial.given, old_.vectors.size());
  const size_t size = old_.vectors.size();
  for (size_t i = 0; i < size; ++i) {
    for (size_t k = 0; k < grown.vectors.dim(); ++k) {
      EXPECT_NEAR(grown.vectors.Vector(ToWordId(NewId(i)))[k],
                  old_.vectors.Vector(ToWordId(i))[k], 1e-5);
      for (size_t part = 0; part < OutputParts(); ++part) {
        EXPECT_NEAR(grown.output.Row(part * grown.vectors.size() + NewId(i))[k],
                    old_.output.Row(part * size + i)[k], 1e-5);
      }
    }
    if (!old_.output_bias.empty()) {
      EXPECT_NEAR(grown.output_bias.Row(0)[NewId(i)],
                  old_.output_bias.Row(0)[i], 1e-5);
    }
  }
  // Unknown words are made of the same n-grams as before.
  for (const char* word : {"catfox", "boltnail"}) {
    const auto before = old_.vectors.FromNGrams(word);
    const auto now = grown.vectors.FromNGrams(word);
    ASSERT_EQ(before.has_value(), old_.vectors.subwords() != nullptr);
    ASSERT_EQ(now.has_value(), before.has_value());
    if (!before.has_value()) continue;
    for (size_t k = 0; k < before->size(); ++k) {
      EXPECT_NEAR((*now)[k], (*before)[k], 1e-5) << word;
    }
  }
}

// The share of a word is that of its occurrences in the new text; without
// counts it is all.
TEST_P(GrownModelTest, WordsMoveByTheirShareOfTheEvidence) {
  known_.counts = KnownCounts::kReplace;
  corpus_ = Read(NewText(), known_);
  std::vector<absl::string_view> words;
  for (size_t i = 0; i < old_.vectors.size(); ++i) {
    words.push_back(old_.vectors.vocabulary().Word(ToWordId(i)));
  }
  std::optional<SubwordTables> subwords;
  if (old_.vectors.subwords() != nullptr) subwords = *old_.vectors.subwords();
  const WordVectors uncounted =
      WordVectors::Create(Vocabulary::Create(words, {}).value(),
                          old_.vectors.table(), subwords)
          .value();
  InitialVectors free = StartOf(old_);
  free.vectors = &uncounted;
  const TrainedModel counted = MustTrain(corpus_, options_, StartOf(old_));
  const TrainedModel moved = MustTrain(corpus_, options_, free);
  double distance = 0;
  for (size_t i = 0; i < old_.vectors.size(); ++i) {
    const auto before =
        static_cast<double>(old_.vectors.vocabulary().Count(ToWordId(i)));
    const auto now =
        static_cast<double>(corpus_.vocabulary.Count(ToWordId(NewId(i))));
    const double share = now / (before + now);
    for (size_t k = 0; k < old_.vectors.dim(); ++k) {
      const double was = old_.output.Row(i)[k];
      const double would = moved.output.Row(NewId(i))[k];
      EXPECT_NEAR(counted.output.Row(NewId(i))[k], was + share * (would - was),
                  1e-5);
      distance += std::abs(would - was);
      if (old_.vectors.subwords() != nullptr) continue;
      const double in = old_.vectors.Vector(ToWordId(i))[k];
      EXPECT_NEAR(
          counted.vectors.Vector(ToWordId(NewId(i)))[k],
          in + share * (moved.vectors.Vector(ToWordId(NewId(i)))[k] - in),
          1e-5);
    }
  }
  EXPECT_GT(distance, 1);
}

TEST_P(GrownModelTest, NewWordsFindTheirPlaceAndOldOnesKeepTheirs) {
  const TrainedModel grown = MustTrain(corpus_, options_, StartOf(old_));
  const Vocabulary& words = grown.vectors.vocabulary();
  const auto id = [&](const std::string& word) {
    return Index(*words.Find(word));
  };
  // How much nearer a word is to animals than to tools.
  const auto is_animal = [&](const std::string& word) {
    double sum = 0;
    for (size_t i = 0; i < Animals().size(); ++i) {
      sum += Cosine(grown.vectors, id(word), id(Animals()[i])) -
             Cosine(grown.vectors, id(word), id(Tools()[i]));
    }
    return sum;
  };
  EXPECT_GT(is_animal("yak"), 0.5);
  EXPECT_GT(is_animal("cat"), 0.5);
  EXPECT_LT(is_animal("bolt"), -0.5);
}

INSTANTIATE_TEST_SUITE_P(All, GrownModelTest,
                         testing::ValuesIn(VariantsWithoutTree()),
                         [](const auto& info) { return info.param.name; });

TEST(GrownModelTest, ResumesWithTheSameBytesAndTheSameModelOnly) {
  TrainOptions options = SmallOptions();
  options.subwords = BucketSubwords{};
  const TrainedModel old = MustTrain(Read(OldText()), options);
  const Corpus corpus = Read(NewText(), {old.vectors.vocabulary()});
  const TempFolder folder;
  const auto whole =
      Train(corpus, options, {}, StartOf(old), Often(folder.path()));
  ASSERT_TRUE(whole.ok()) << whole.status();
  RemoveNewest(folder);
  const auto resumed = Train(corpus, options, {}, StartOf(old),
                             Often(folder.path(), /*resume=*/true));
  ASSERT_TRUE(resumed.ok()) << resumed.status();
  EXPECT_GT(resumed->report.resumed_words, 0u);
  ExpectSameModel(*whole, *resumed);
  options.seed = 2;
  const TrainedModel other = MustTrain(Read(OldText()), options);
  options.seed = 1;
  const auto refused = Train(corpus, options, {}, StartOf(other),
                             Often(folder.path(), /*resume=*/true));
  EXPECT_THAT(refused.status().message(), HasSubstr("init changed"));
}

TEST(GrownModelTest, WhatDoesNotFitIsRefused) {
  TrainOptions options = SmallOptions();
  const TrainedModel old = MustTrain(Read(OldText()), options);
  const Corpus corpus = Read(NewText(), {old.vectors.vocabulary()});
  const auto refusal = [&](const Corpus& text, const TrainOptions& changed,
                           const InitialVectors& initial) {
    return std::string(Train(text, changed, {}, initial).status().message());
  };
  TrainOptions changed = options;
  changed.objective = HierarchicalSoftmaxOptions{};
  EXPECT_THAT(refusal(corpus, changed, StartOf(old)), HasSubstr("tree"));
  changed.objective = NceOptions{};
  EXPECT_THAT(refusal(corpus, changed, StartOf(old)),
              HasSubstr("expected 12 output biases, found 0"));
  changed = options;
  changed.architecture = SkipGramOptions{.directional = true};
  EXPECT_THAT(refusal(corpus, changed, StartOf(old)),
              HasSubstr("output table of [24, 16], found [12, 16]"));
  changed = options;
  changed.subwords = BucketSubwords{};
  EXPECT_THAT(refusal(corpus, changed, StartOf(old)), HasSubstr("subwords"));
  changed = options;
  changed.dim = 8;
  EXPECT_THAT(refusal(corpus, changed, StartOf(old)), HasSubstr("dim"));
  EXPECT_THAT(refusal(Read(NewText()), options, StartOf(old)),
              HasSubstr("all words of the model"));
  InitialVectors headless = StartOf(old);
  headless.vectors = nullptr;
  EXPECT_THAT(refusal(corpus, options, headless),
              HasSubstr("the vectors to start from are missing"));
}

}  // namespace
}  // namespace firth
