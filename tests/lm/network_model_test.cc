#include "lm/read/network_model.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "lm/read/perplexity.h"
#include "lm/tiny_language_model.h"

namespace firth {
namespace {

// A random model whose choices are not all alike.
std::unique_ptr<NetworkModel> SharpModel() {
  auto model = TinyModel(TinyInput::kTable);
  for (nn::Parameter<float>* parameter : model->Parameters()) {
    if (parameter->name.rfind("head", 0) != 0) continue;
    nn::FillNormal(4, 11, parameter->value);
  }
  return std::make_unique<NetworkModel>(std::move(model));
}

// ln p of the words and the sentence's end.
double LogProbability(BiLanguageModel& model,
                      const std::vector<std::string>& words) {
  CorpusOptions options;
  const std::string text = absl::StrJoin(words, " ");
  options.text = text;
  options.threads = 1;
  const Corpus corpus = *ReadCorpus(options, VocabularyOptions{.min_count = 1});
  const auto measured = MeasurePerplexity(model, corpus, {.threads = 1}, {});
  return -measured->forward.loss *
         static_cast<double>(measured->forward.tokens);
}

TEST(ContinuationTest, ABeamOfOneIsGreedy) {
  const auto model = SharpModel();
  const std::vector<std::vector<std::string>> prompts = {
      {}, {"the"}, {"cat", "dog"}, {"on", "the", "cat"}};
  for (const double end_normalization : {0.0, 2.0}) {
    for (const auto& prompt : prompts) {
      GenerateOptions options;
      options.prompt = prompt;
      options.end_normalization = end_normalization;
      options.max_tokens = 12;
      const auto next = *model->Continue(options);
      const GeneratedSentence greedy = *next->Draw(options, 1);
      const auto best = *next->Search(options);
      ASSERT_EQ(best.size(), 1u);
      EXPECT_EQ(best[0].words, greedy.words);
      EXPECT_EQ(best[0].ended, greedy.ended);
      EXPECT_NEAR(best[0].log_probability, greedy.log_probability, 1e-6);
    }
  }
}

// All sentences of up to two words, by hand.
TEST(ContinuationTest, AWideBeamFindsTheBestOfAll) {
  const auto model = SharpModel();
  const std::vector<std::string> words = {"the", "cat", "sat", "on"};
  std::vector<std::vector<std::string>> all;
  for (const std::string& first : words) {
    all.push_back({first});
    for (const std::string& second : words) all.push_back({first, second});
  }
  double best = -1e9;
  std::vector<std::string> best_words;
  for (const auto& sentence : all) {
    const double found = LogProbability(*model->network(), sentence);
    if (found > best) best = found, best_words = sentence;
  }
  GenerateOptions options;
  options.beam = 1000;
  options.max_tokens = 2;
  const auto found = *(*model->Continue(options))->Search(options);
  // And the empty one.
  EXPECT_EQ(found.size(), all.size() + 1);
  const auto at =
      std::find_if(found.begin(), found.end(),
                   [](const GeneratedSentence& s) { return !s.words.empty(); });
  EXPECT_LE(at - found.begin(), 1);
  EXPECT_EQ(at->words, best_words);
  EXPECT_NEAR(at->log_probability, best, 1e-4);
}

TEST(ContinuationTest, NormalizationFavoursLongSentences) {
  const auto model = SharpModel();
  const auto length = [&](double by_length, double by_end) {
    GenerateOptions options;
    options.beam = 50;
    options.max_tokens = 8;
    options.length_normalization = by_length;
    options.end_normalization = by_end;
    return (*model->Continue(options))->Search(options)->front().words.size();
  };
  EXPECT_GT(length(10, 0), length(0, 0));
  EXPECT_GT(length(0, 10), length(0, 0));
}

TEST(ContinuationTest, WordsAreDrawnByTheirProbability) {
  NetworkModel model(TinyModel(TinyInput::kTable));
  GenerateOptions options;
  options.temperature = 1;
  options.max_tokens = 1;
  options.unknown = true;
  const auto next = *model.Continue(options);
  size_t cats = 0;
  double log_probability = 0;
  constexpr size_t kDraws = 3000;
  for (size_t i = 0; i < kDraws; ++i) {
    const GeneratedSentence sentence = *next->Draw(options, i);
    if (sentence.words != std::vector<std::string>{"cat"}) continue;
    ++cats;
    log_probability = sentence.log_probability;
  }
  // <S> is never drawn: the others share its probability.
  EXPECT_NEAR(static_cast<double>(cats) / kDraws, std::exp(log_probability),
              0.05);
  EXPECT_GT(cats, 100u);
}

TEST(ContinuationTest, TheBestOneAloneIsDrawnWhereThatIsSaid) {
  const auto model = SharpModel();
  GenerateOptions greedy;
  greedy.max_tokens = 10;
  GenerateOptions one = greedy;
  one.temperature = 2;
  one.top_k = 1;
  const auto draw = [&](const GenerateOptions& options, uint64_t key) {
    return (*model->Continue(options))->Draw(options, key)->words;
  };
  EXPECT_EQ(draw(one, 1), draw(greedy, 2));
  GenerateOptions cold = greedy;
  cold.temperature = 1e-3;
  EXPECT_EQ(draw(cold, 1), draw(greedy, 2));
}

TEST(ContinuationTest, UnknownIsNoWordUnlessAsked) {
  const auto model = SharpModel();
  GenerateOptions options;
  options.temperature = 100;
  for (const bool unknown : {false, true}) {
    options.unknown = unknown;
    const auto next = *model->Continue(options);
    bool found = false;
    for (size_t i = 0; i < 20; ++i) {
      const GeneratedSentence drawn = *next->Draw(options, i);
      for (const std::string& word : drawn.words) {
        found |= word == "<UNK>";
        EXPECT_NE(word, "<S>");
      }
    }
    EXPECT_EQ(found, unknown);
  }
}

}  // namespace
}  // namespace firth
