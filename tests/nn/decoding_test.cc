#include "nn/decoding.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

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
  options.beam = 1;
  options.max_tokens = 1;
  options.end_normalization = 100;  // no word is as improbable as the end
  const std::vector<Hypothesis> found = *SearchSentences(bigrams, options);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FALSE(found[0].ended);
  EXPECT_THAT(found[0].words, ElementsAre(1));
}

TEST(DecodingTest, ASentenceMayEndAfterTheLastWordThatIsAllowed) {
  Bigrams bigrams;
  GenerateOptions options;
  options.beam = 2;
  options.max_tokens = 6;
  const Hypothesis free = SearchSentences(bigrams, options)->at(0);
  ASSERT_TRUE(free.ended);
  options.max_tokens = static_cast<int>(free.words.size());
  const Hypothesis bound = SearchSentences(bigrams, options)->at(0);
  EXPECT_TRUE(bound.ended);
  EXPECT_EQ(bound.words, free.words);
}

TEST(DecodingTest, ABeamIsNeverWorseThanAGreedyChoice) {
  for (const int max_tokens : {2, 3, 4, 5, 6}) {
    for (int beam = 2; beam < 6; ++beam) {
      for (const double alpha : {0., 1., 3.}) {
        Bigrams trap;
        GenerateOptions options;
        options.max_tokens = max_tokens;
        options.length_normalization = alpha;
        const Hypothesis greedy = SearchSentences(trap, options)->at(0);
        EXPECT_EQ(greedy.words, DrawSentence(trap, options, 1)->words);
        options.beam = beam;
        const auto found = *SearchSentences(trap, options);
        const auto rank = [&](const Hypothesis& h) {
          const double length =
              static_cast<double>(h.words.size()) + (h.ended ? 1 : 0);
          return h.log_probability / std::pow((5 + length) / 6, alpha);
        };
        EXPECT_LE(found.size(), static_cast<size_t>(beam));
        EXPECT_GE(rank(found[0]), rank(greedy));
      }
    }
  }
}

// A model of the golden data: the next word depends on the last one and on the
// number of words, and so does the attention to a text of three tokens.
class GoldenWords : public NextWords {
 public:
  explicit GoldenWords(const nlohmann::json& golden) : golden_(golden) {}

  uint32_t end() const override { return golden_["end"]; }
  absl::StatusOr<ConstView<float>> Start() override {
    last_ = {0, 0};  // two texts, which are alike
    length_ = 0;
    return Next();
  }
  absl::StatusOr<ConstView<float>> Read(
      absl::Span<const size_t> parents,
      absl::Span<const uint32_t> words) override {
    for (const size_t parent : parents) EXPECT_LT(parent, last_.size());
    last_.assign(words.begin(), words.end());
    ++length_;
    return Next();
  }
  const Matrix<float>* attention() override { return &attention_; }

  double LogProbability(size_t length, uint32_t last, uint32_t word) const {
    const auto& logits = golden_["logits"][length][last];
    double sum = 0;
    for (const double logit : logits) sum += std::exp(logit);
    return double{logits[word]} - std::log(sum);
  }
  // In the golden data, attention also depends on the word that follows, which
  // no model knows; here it is that of word 2.
  double Attention(size_t length, uint32_t last, size_t token) const {
    return golden_["attention"][length][last][2][token];
  }

 private:
  ConstView<float> Next() {
    next_.Resize(last_.size(), 5);
    attention_.Resize(last_.size(), 3);
    for (size_t h = 0; h < last_.size(); ++h) {
      for (uint32_t w = 0; w < 5; ++w) {
        next_.Row(h)[w] =
            static_cast<float>(LogProbability(length_, last_[h], w));
      }
      for (size_t i = 0; i < 3; ++i) {
        attention_.Row(h)[i] =
            static_cast<float>(Attention(length_, last_[h], i));
      }
    }
    return std::as_const(next_).view();
  }

  const nlohmann::json& golden_;
  size_t length_ = 0;
  std::vector<uint32_t> last_;
  Matrix<float> next_;
  Matrix<float> attention_;
};

// Calls visit for all sentences of at most four of the words 2, 3 and 4.
void ForAllSentences(std::vector<uint32_t>* words,
                     const std::function<void()>& visit) {
  visit();
  if (words->size() == 4) return;
  for (const uint32_t word : {2, 3, 4}) {
    words->push_back(word);
    ForAllSentences(words, visit);
    words->pop_back();
  }
}

class GoldenSearchTest : public testing::Test {
 protected:
  void SetUp() override {
    const char* const data = std::getenv("FIRTH_DATA");
    if (data == nullptr) GTEST_SKIP() << "FIRTH_DATA is not set";
    std::ifstream file(absl::StrCat(data, "/golden/beam_search.json"));
    golden_ = nlohmann::json::parse(file);
    ASSERT_EQ(golden_["cases"].size(), 11u);
  }
  static BeamOptions OptionsOf(const nlohmann::json& setting) {
    return {.beam = 121,
            .length_normalization = setting["alpha"],
            .coverage_normalization = setting["beta"],
            .end_normalization = setting["gamma"],
            .attends = true};
  }
  nlohmann::json golden_;
};

TEST_F(GoldenSearchTest, SentencesAreRankedAsInTheGoldenData) {
  for (const auto& setting : golden_["cases"]) {
    for (const auto& best : setting["best"]) {
      const auto words = best["words"].get<std::vector<uint32_t>>();
      std::vector<double> coverage(3);
      uint32_t last = 0;
      for (size_t t = 0; t < words.size(); last = words[t++]) {
        for (size_t i = 0; i < 3; ++i) {
          coverage[i] += double{golden_["attention"][t][last][words[t]][i]};
        }
      }
      const double penalty =
          double{setting["gamma"]} * 3 / static_cast<double>(words.size());
      EXPECT_NEAR(RankOf(OptionsOf(setting), double{best["log_p"]} - penalty,
                         words.size(), coverage),
                  best["score"], 1e-9);
    }
  }
}

TEST_F(GoldenSearchTest, AWideBeamFindsTheBestOfAllSentences) {
  GoldenWords model(golden_);
  for (const auto& setting : golden_["cases"]) {
    const BeamOptions options = OptionsOf(setting);
    std::vector<std::pair<double, std::vector<uint32_t>>> all;
    std::vector<uint32_t> words;
    ForAllSentences(&words, [&] {
      std::vector<double> coverage(3);
      double log_p = 0;
      for (size_t t = 0; t <= words.size(); ++t) {
        const uint32_t last = t == 0 ? 0 : words[t - 1];
        log_p += model.LogProbability(t, last, t < words.size() ? words[t] : 1);
        for (size_t i = 0; i < 3; ++i) {
          coverage[i] += model.Attention(t, last, i);
        }
      }
      const double length = static_cast<double>(words.size()) + 1;
      all.emplace_back(
          RankOf(options, log_p - options.end_normalization * 3 / length,
                 words.size() + 1, coverage),
          words);
    });
    std::sort(all.rbegin(), all.rend());
    // Sentences of the golden data have up to four words and the end.
    const SearchedText text{.length = 3, .max_tokens = 4, .attended = 3};
    const auto found = *SearchTexts(model, {text, text}, options);
    ASSERT_EQ(found.size(), 2u);
    for (const auto& hypotheses : found) {
      ASSERT_GE(hypotheses.size(), 5u);
      for (size_t k = 0; k < 5; ++k) {
        EXPECT_EQ(hypotheses[k].words, all[k].second) << setting;
        EXPECT_EQ(hypotheses[k].attention.size(),
                  hypotheses[k].words.size() + 1);
      }
    }
    if (options.coverage_normalization > 0) continue;
    for (size_t k = 0; k < 5; ++k) {
      auto expected = setting["best"][k]["words"].get<std::vector<uint32_t>>();
      expected.pop_back();
      EXPECT_EQ(found[0][k].words, expected) << setting;
    }
  }
}

}  // namespace
}  // namespace firth
