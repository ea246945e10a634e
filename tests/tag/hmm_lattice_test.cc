// Viterbi, forward and backward passes against all tag sequences, and against
// golden data.

#include "tag/hmm_lattice.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "support/golden_data.h"
#include "tag/golden_hmm.h"
#include "tag/plain_hmm.h"

namespace firth {
namespace {

std::vector<size_t> RandomWords(const HmmModel& model, size_t count, Rng* rng) {
  std::vector<size_t> words(count);
  for (size_t& word : words) {
    word = rng->Below(static_cast<uint32_t>(model.words.size()));
  }
  return words;
}

void Fill(const HmmModel& model, const std::vector<size_t>& words,
          HmmLattice* lattice) {
  const HmmLexicon lexicon(model);
  lattice->Clear();
  for (const size_t word : words) lattice->Add(lexicon.Of(ToWordId(word)));
}

class HmmLatticeTest : public testing::TestWithParam<uint64_t> {};
INSTANTIATE_TEST_SUITE_P(RandomModels, HmmLatticeTest,
                         testing::Range(uint64_t{1}, uint64_t{9}));

TEST_P(HmmLatticeTest, AgreesWithAllTagSequences) {
  const auto num_tags = static_cast<uint32_t>(2 + GetParam() % 4);
  const HmmModel model = RandomHmm(num_tags, 7, GetParam());
  const TransitionTable table(model);
  HmmLattice lattice(table);
  Rng rng(GetParam());
  for (size_t length = 1; length <= 5; ++length) {
    const std::vector<size_t> words = RandomWords(model, length, &rng);
    double best_p = 0, sum = 0;
    std::vector<uint32_t> best;
    std::vector<std::vector<double>> posteriors(length,
                                                std::vector<double>(num_tags));
    ForEachTagSequence(model, words,
                       [&](const std::vector<uint32_t>& tags, double p) {
                         sum += p;
                         if (p > best_p) best = tags;
                         best_p = std::max(best_p, p);
                         for (size_t i = 0; i < length; ++i) {
                           posteriors[i][tags[i]] += p;
                         }
                       });
    Fill(model, words, &lattice);
    double log_p = 0;
    EXPECT_EQ(lattice.BestTags(&log_p), best);
    EXPECT_NEAR(log_p, std::log(best_p), 1e-12);
    EXPECT_NEAR(lattice.Forward(), std::log(sum), 1e-12);
    NoExpectations none;
    lattice.Backward(&none);
    for (size_t i = 0; i < length; ++i) {
      double of_token = 0;
      for (const uint32_t tag : model.emissions.Tags(words[i])) {
        EXPECT_NEAR(lattice.Posterior(i, tag), posteriors[i][tag] / sum, 1e-12)
            << i << " " << tag;
        of_token += lattice.Posterior(i, tag);
      }
      EXPECT_NEAR(of_token, 1, 1e-12);
    }
  }
}

// The probabilities of such a sentence are below the smallest double.
TEST(HmmLatticeTest, ALongSentenceDoesNotUnderflow) {
  const HmmModel model = RandomHmm(4, 9, 3);
  const TransitionTable table(model);
  HmmLattice lattice(table);
  Rng rng(1);
  const std::vector<size_t> words = RandomWords(model, 10000, &rng);
  Fill(model, words, &lattice);
  double best = 0;
  EXPECT_EQ(lattice.BestTags(&best).size(), words.size());
  const double all = lattice.Forward();
  EXPECT_TRUE(std::isfinite(all));
  EXPECT_LT(best, all);
  EXPECT_LT(all, -1000);
  NoExpectations none;
  lattice.Backward(&none);
  for (size_t i = 0; i < words.size(); ++i) {
    double sum = 0;
    for (const double p : lattice.Posteriors(i)) sum += p;
    ASSERT_NEAR(sum, 1, 1e-9) << i;
  }
}

TEST(HmmGoldenTest, ForwardBackwardAndViterbi) {
  const nn::GoldenFile golden("hmm");
  if (!golden.here()) GTEST_SKIP() << "FIRTH_DATA is not set";
  const HmmModel model = GoldenHmm(golden);
  const TransitionTable table(model);
  HmmLattice lattice(table);
  const std::vector<std::vector<size_t>> sentences = GoldenSentences(golden);
  const auto log_p = golden.Read<double>("log_likelihood.f64");
  const auto best_log_p = golden.Read<double>("viterbi_log_p.f64");
  const auto best = golden.Read<double>("viterbi");
  for (size_t s = 0; s < sentences.size(); ++s) {
    Fill(model, sentences[s], &lattice);
    EXPECT_NEAR(lattice.Forward(), log_p.data()[s], 1e-9);
    double found = 0;
    const std::vector<uint32_t> tags = lattice.BestTags(&found);
    EXPECT_NEAR(found, best_log_p.data()[s], 1e-9);
    for (size_t i = 0; i < tags.size(); ++i) {
      EXPECT_EQ(tags[i], best.Row(s)[i]) << s << " " << i;
    }
  }
}

// alpha is the probability of a beginning and its last tag; alpha beta of all
// tokens and the tag.
TEST(HmmGoldenTest, AlphaBetaAndPosteriors) {
  const nn::GoldenFile golden("hmm");
  if (!golden.here()) GTEST_SKIP() << "FIRTH_DATA is not set";
  const HmmModel model = GoldenHmm(golden);
  const TransitionTable table(model);
  HmmLattice whole(table), beginning(table);
  NoExpectations none;
  const std::vector<size_t> words = GoldenSentences(golden)[0];
  Fill(model, words, &whole);
  const double p = std::exp(whole.Forward());
  whole.Backward(&none);
  const auto alpha = golden.Read<double>("alpha.0.f64");
  const auto beta = golden.Read<double>("beta.0.f64");
  const auto posterior = golden.Read<double>("posterior.f64");
  for (size_t i = 0; i < words.size(); ++i) {
    Fill(model, {words.begin(), words.begin() + static_cast<ptrdiff_t>(i) + 1},
         &beginning);
    const double p_here = std::exp(beginning.Forward());
    beginning.Backward(&none);
    for (uint32_t tag = 0; tag < model.boundary(); ++tag) {
      const double found = p_here * beginning.Posterior(i, tag);
      EXPECT_NEAR(found, alpha.Row(i)[tag], 1e-9);
      EXPECT_NEAR(p * whole.Posterior(i, tag) / found, beta.Row(i)[tag], 1e-9);
      EXPECT_NEAR(whole.Posterior(i, tag), posterior.Row(i)[tag], 1e-9);
    }
  }
}

}  // namespace
}  // namespace firth
