// Baum-Welch training against golden data and against sums over all tag
// sequences.

#include "tag/baum_welch.h"

#include <cmath>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "support/golden_data.h"
#include "tag/golden_hmm.h"
#include "tag/hmm_counts.h"
#include "tag/plain_hmm.h"
#include "tag/tagged_sentences.h"

namespace firth {
namespace {

// Counts with the rows of the model, all 0.
HmmCounts NoCounts(const HmmModel& model) {
  HmmCounts counts;
  counts.unigrams.assign(model.unigrams.size(), 0);
  counts.bigrams = model.bigrams;
  counts.trigrams = model.trigrams;
  counts.words = model.words;
  counts.word_tags = model.emissions;
  for (SparseRows* const rows :
       {&counts.bigrams, &counts.trigrams, &counts.word_tags}) {
    rows->values.assign(rows->values.size(), 0);
  }
  return counts;
}

std::vector<WordIds> Ids(const std::vector<std::vector<size_t>>& sentences) {
  std::vector<WordIds> ids;
  for (const auto& sentence : sentences) {
    WordIds& of = ids.emplace_back();
    for (const size_t word : sentence) of.push_back(ToWordId(word));
  }
  return ids;
}

TEST(HmmGoldenTest, OneStepOfBaumWelch) {
  const nn::GoldenFile golden("hmm");
  if (!golden.here()) GTEST_SKIP() << "FIRTH_DATA is not set";
  const HmmModel model = GoldenHmm(golden);
  const HmmCounts counts = NoCounts(model);
  const std::vector<WordIds> sentences = Ids(GoldenSentences(golden));
  BaumWelch learner(model, counts, sentences);
  const absl::StatusOr<double> log_p = learner.Expect({});
  ASSERT_EQ(log_p.status(), absl::OkStatus());
  double expected = 0;
  const auto log_p_of = golden.Read<double>("log_likelihood.f64");
  for (size_t s = 0; s < sentences.size(); ++s) expected += log_p_of.data()[s];
  EXPECT_NEAR(*log_p, expected, 1e-9);
  learner.Maximize();
  const HmmModel& found = learner.model();
  const auto initial = golden.Read<double>("baum_welch.initial.f64");
  const auto transition = golden.Read<double>("baum_welch.transition.f64");
  const auto emission = golden.Read<double>("baum_welch.emission.f64");
  const uint32_t end = model.boundary();
  for (uint32_t b = 0; b < end; ++b) {
    EXPECT_NEAR(ValueOf(found.bigrams, end, b), initial.data()[b], 1e-9);
    const double inside = 1 - ValueOf(found.bigrams, b, end);
    for (uint32_t c = 0; c < end; ++c) {
      EXPECT_NEAR(ValueOf(found.bigrams, b, c) / inside, transition.Row(b)[c],
                  1e-9);
    }
    for (size_t word = 0; word < emission.cols(); ++word) {
      EXPECT_NEAR(ValueOf(found.emissions, word, b), emission.Row(b)[word],
                  1e-9);
    }
  }
}

// Expected counts of one step, by their definition.
struct PlainStep {
  explicit PlainStep(const HmmModel& model)
      : bigrams(NoCounts(model).bigrams),
        trigrams(NoCounts(model).trigrams),
        emissions(NoCounts(model).word_tags) {}

  void Add(const HmmModel& model, const std::vector<size_t>& words,
           const std::vector<uint32_t>& tags, double count) {
    uint32_t a = model.boundary(), b = a;
    for (size_t i = 0; i <= words.size(); ++i) {
      const uint32_t c = i < words.size() ? tags[i] : model.boundary();
      const PlainTransition p = TransitionOf(model, a, b, c);
      if (p.bigram > 0) {
        bigrams.values[bigrams.Find(b, c)] += count * p.bigram / p.sum();
      }
      if (p.trigram > 0) {
        trigrams.values[trigrams.Find(model.bigrams.Find(a, b), c)] +=
            count * p.trigram / p.sum();
      }
      if (i < words.size()) {
        emissions.values[emissions.Find(words[i], c)] += count;
      }
      a = std::exchange(b, c);
    }
  }

  SparseRows bigrams, trigrams, emissions;
};

void ExpectEqual(const SparseRows& found, const SparseRows& expected) {
  for (size_t i = 0; i < expected.values.size(); ++i) {
    EXPECT_NEAR(found.values[i], expected.values[i], 1e-12) << i;
  }
}

TEST(BaumWelchTest, AStepCountsAllTagSequences) {
  const HmmModel model = RandomHmm(3, 4, 5);
  const std::vector<std::vector<size_t>> texts = {
      {0, 1, 2, 3}, {3}, {2, 0, 0, 1, 3}, {1, 1}, {2, 3, 2, 1, 0, 3}};
  PlainStep step(model);
  for (const auto& words : texts) {
    double sum = 0;
    ForEachTagSequence(
        model, words,
        [&](const std::vector<uint32_t>&, double p) { sum += p; });
    ForEachTagSequence(model, words,
                       [&](const std::vector<uint32_t>& tags, double p) {
                         if (p > 0) step.Add(model, words, tags, p / sum);
                       });
  }
  NormalizeTags(&step.emissions);
  const HmmCounts counts = NoCounts(model);
  const std::vector<WordIds> sentences = Ids(texts);
  BaumWelch learner(model, counts, sentences);
  ASSERT_EQ(learner.Expect({}).status(), absl::OkStatus());
  learner.Maximize();
  ExpectEqual(learner.model().emissions, step.emissions);
  for (const auto& [rows, found, before] :
       {std::tuple(&step.bigrams, &learner.model().bigrams, &model.bigrams),
        std::tuple(&step.trigrams, &learner.model().trigrams,
                   &model.trigrams)}) {
    for (size_t row = 0; row < rows->rows(); ++row) {
      const double sum = rows->Sum(row);
      for (size_t i = 0; i < rows->Size(row); ++i) {
        // A row that explains nothing stays.
        EXPECT_NEAR(
            found->Values(row)[i],
            sum > 0 ? rows->Values(row)[i] / sum : before->Values(row)[i],
            1e-12);
      }
    }
  }
}

// Tagged text counts like text whose only tag sequence is the one given.
TEST(BaumWelchTest, ATaggedTextHasOneTagSequence) {
  const std::vector<TaggedSentence> text = MadeUpSentences(40, 1);
  const TagNumbers numbers = *TagNumbers::Of(text);
  const HmmCounts counts = CountTagged(text, numbers);
  const HmmModel model = EstimateHmm(counts, numbers.tags(), {});
  PlainStep step(model);
  double log_p = 0;
  for (const TaggedSentence& sentence : text) {
    const std::vector<uint32_t> tags = numbers.Numbers(sentence);
    std::vector<size_t> words;
    uint32_t a = model.boundary(), b = a;
    for (size_t i = 0; i <= tags.size(); ++i) {
      const uint32_t c = i < tags.size() ? tags[i] : model.boundary();
      log_p += std::log(TransitionOf(model, a, b, c).sum());
      if (i < tags.size()) {
        words.push_back(Index(*model.words.Find(sentence.tokens[i])));
        log_p += std::log(ValueOf(model.emissions, words.back(), c));
      }
      a = std::exchange(b, c);
    }
    step.Add(model, words, tags, 1);
  }
  NormalizeRows(&step.bigrams);
  NormalizeRows(&step.trigrams);
  BaumWelch learner(model, counts, {});
  const absl::StatusOr<double> found = learner.Expect({});
  ASSERT_EQ(found.status(), absl::OkStatus());
  EXPECT_NEAR(*found, log_p, 1e-9 * std::abs(log_p));
  learner.Maximize();
  ExpectEqual(learner.model().bigrams, step.bigrams);
  ExpectEqual(learner.model().trigrams, step.trigrams);
  ExpectEqual(learner.model().emissions, model.emissions);
}

TEST(BaumWelchTest, TheLikelihoodNeverFalls) {
  const std::vector<TaggedSentence> tagged = MadeUpSentences(15, 1);
  const std::vector<TaggedSentence> untagged = MadeUpSentences(200, 2);
  const TagNumbers numbers = *TagNumbers::Of(tagged);
  HmmCounts counts = CountTagged(tagged, numbers);
  HmmModel model = EstimateHmm(counts, numbers.tags(), {});
  const size_t known = model.words.size();
  const std::vector<WordIds> ids = AddUntagged(untagged, &model, &counts);
  EXPECT_GT(model.words.size(), known);
  BaumWelch learner(model, counts, ids);
  double first = 0, before = -HUGE_VAL;
  for (int iteration = 0; iteration < 50; ++iteration) {
    const absl::StatusOr<double> log_p = learner.Expect({});
    ASSERT_EQ(log_p.status(), absl::OkStatus());
    EXPECT_GE(*log_p, before - 1e-10 * std::abs(before)) << iteration;
    before = *log_p;
    if (iteration == 0) first = before;
    learner.Maximize();
  }
  EXPECT_GT(before, first + 1);
  // Each distribution is still one.
  const HmmModel& last = learner.model();
  for (const SparseRows* const rows : {&last.bigrams, &last.trigrams}) {
    for (size_t row = 0; row < rows->rows(); ++row) {
      if (rows->Size(row) == 0) continue;
      EXPECT_NEAR(rows->Sum(row), 1, 1e-12);
    }
  }
}

}  // namespace
}  // namespace firth
