#include "nn/decoding.h"

#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;

// A text in which the next word depends on the last one alone. Word 0 ends a
// sentence, word 1 leads into a trap: it is the likelier start, and what
// follows it is not likely at all.
class Bigrams : public NextWords {
 public:
  uint32_t end() const override { return 0; }
  absl::StatusOr<ConstView<float>> Start() override {
    last_ = {3};
    return Next();
  }
  absl::StatusOr<ConstView<float>> Read(
      absl::Span<const size_t> parents,
      absl::Span<const uint32_t> words) override {
    for (const size_t parent : parents) EXPECT_LT(parent, last_.size());
    last_.assign(words.begin(), words.end());
    return Next();
  }

 private:
  ConstView<float> Next() {
    constexpr double kNext[4][4] = {
        {1, 0, 0, 0}, {.35, .35, .3, 0}, {.9, 0, .1, 0}, {0, .55, .45, 0}};
    next_.Resize(last_.size(), 4);
    for (size_t h = 0; h < last_.size(); ++h) {
      for (size_t w = 0; w < 4; ++w) {
        next_.Row(h)[w] = static_cast<float>(std::log(kNext[last_[h]][w]));
      }
    }
    return std::as_const(next_).view();
  }

  std::vector<uint32_t> last_;
  Matrix<float> next_;
};

TEST(DecodingTest, ABeamFindsWhatGreedyChoiceMisses) {
  Bigrams bigrams;
  GenerateOptions options;
  options.max_tokens = 6;
  const Hypothesis greedy = *DrawSentence(bigrams, options, 1);
  EXPECT_THAT(greedy.words, ElementsAre(1));
  EXPECT_TRUE(greedy.ended);
  EXPECT_NEAR(greedy.log_probability, std::log(.55 * .35), 1e-6);
  options.beam = 3;
  const std::vector<Hypothesis> found = *SearchSentences(bigrams, options);
  ASSERT_GE(found.size(), 2u);
  EXPECT_THAT(found[0].words, ElementsAre(2));
  EXPECT_NEAR(found[0].log_probability, std::log(.45 * .9), 1e-6);
  EXPECT_GT(found[0].log_probability, found[1].log_probability);
}

TEST(DecodingTest, TheNucleusIsTheFewestWordsThatReachTopP) {
  struct Case {
    double top_p;
    int top_k;
    double temperature;
    std::vector<uint32_t> drawn;  // as first words, which have p = .55 and .45
  };
  const Case cases[] = {
      {0, 0, 1, {1}},        {.54, 0, 1, {1}}, {.56, 0, 1, {1, 2}},
      {1, 0, 1, {1, 2}},     {.99, 1, 1, {1}}, {.3, 0, 100, {1}},
      {.51, 0, 100, {1, 2}},  // both words are then nearly as likely
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.top_p);
    Bigrams bigrams;
    GenerateOptions options;
    options.temperature = each.temperature;
    options.top_p = each.top_p;
    options.top_k = each.top_k;
    options.max_tokens = 1;
    std::set<uint32_t> drawn;
    for (uint64_t key = 0; key < 60; ++key) {
      drawn.insert(DrawSentence(bigrams, options, key)->words.at(0));
    }
    EXPECT_THAT(drawn, ElementsAreArray(each.drawn));
  }
}

// The most probable first word, 1, leads to five equally probable words, of
// which each is less probable than what follows word 2. These lose against the
// sentence "1 5" at the end, when that has left a beam of two.
class Recovering : public NextWords {
 public:
  uint32_t end() const override { return 0; }
  absl::StatusOr<ConstView<float>> Start() override {
    last_ = {3};
    return Next();
  }
  absl::StatusOr<ConstView<float>> Read(
      absl::Span<const size_t>, absl::Span<const uint32_t> words) override {
    last_.assign(words.begin(), words.end());
    return Next();
  }

 private:
  ConstView<float> Next() {
    const std::map<uint32_t, std::map<uint32_t, double>> next = {
        {3, {{1, .5}, {2, .5 - 1e-3}}},
        {1, {{5, .24}, {6, .19}, {7, .19}, {8, .19}, {9, .19}}},
        {2, {{10, .5}, {11, .5}}},
        {5, {{0, 1}}},
        {10, {{0, .1}, {6, .01}}},
        {11, {{0, .1}, {6, .01}}}};
    next_.Resize(last_.size(), 12);
    next_.Fill(-std::numeric_limits<float>::infinity());
    for (size_t h = 0; h < last_.size(); ++h) {
      const auto row = next.find(last_[h]);
      if (row == next.end()) next_.Row(h)[0] = 0;
      if (row == next.end()) continue;
      for (const auto& [word, p] : row->second) {
        next_.Row(h)[word] = static_cast<float>(std::log(p));
      }
    }
    return std::as_const(next_).view();
  }

  std::vector<uint32_t> last_;
  Matrix<float> next_;
};

TEST(DecodingTest, ABeamIsNeverWorseThanGreedyChoice) {
  Recovering model;
  GenerateOptions options;
  const Hypothesis greedy = *DrawSentence(model, options, 1);
  EXPECT_THAT(greedy.words, ElementsAre(1, 5));
  EXPECT_NEAR(greedy.log_probability, std::log(.5 * .24), 1e-6);
  options.beam = 2;
  const std::vector<Hypothesis> found = *SearchSentences(model, options);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_THAT(found[0].words, ElementsAre(1, 5));
  EXPECT_NEAR(found[0].log_probability, greedy.log_probability, 1e-6);
  EXPECT_THAT(found[1].words, ElementsAre(2, 10));
  options.end_normalization = 1;
  EXPECT_NEAR(DrawSentence(model, options, 1)->score,
              SearchSentences(model, options)->at(0).score, 1e-6);
}

TEST(DecodingTest, AnImpossibleWordIsNeverChosen) {
  Bigrams bigrams;
  GenerateOptions options;
  options.temperature = 5;
  options.max_tokens = 4;
  for (uint64_t key = 0; key < 200; ++key) {
    const Hypothesis drawn = *DrawSentence(bigrams, options, key);
    for (size_t i = 0; i < drawn.words.size(); ++i) {
      EXPECT_NE(drawn.words[i], 3u);
      if (i > 0 && drawn.words[i - 1] == 2) {
        EXPECT_EQ(drawn.words[i], 2u);
      }
    }
    EXPECT_TRUE(std::isfinite(drawn.log_probability));
  }
}

TEST(DecodingTest, WithoutAnEndTheLongestAreGiven) {
  Bigrams bigrams;
  GenerateOptions options;
  options.beam = 2;
  options.max_tokens = 1;  // no sentence ends with its first word
  const std::vector<Hypothesis> found = *SearchSentences(bigrams, options);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_FALSE(found[0].ended);
  EXPECT_THAT(found[0].words, ElementsAre(1));
  EXPECT_THAT(found[1].words, ElementsAre(2));
}

}  // namespace
}  // namespace firth
