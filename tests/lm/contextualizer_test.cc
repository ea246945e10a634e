#include "firth/contextualizer.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/matrix.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lm/model/language_model_file.h"
#include "lm/tiny_language_model.h"
#include "support/run_program.h"

namespace firth {
namespace {

using Sentence = Contextualizer::Sentence;

constexpr TinyInput kInputs[] = {TinyInput::kTable, TinyInput::kCharacters,
                                 TinyInput::kBoth};

Contextualizer LoadTiny(BiLanguageModel& model) {
  const std::string path = MakeTestFolder() + "/m.safetensors";
  EXPECT_EQ(SaveLanguageModel(model, path), absl::OkStatus());
  auto loaded = Contextualizer::Load(path);
  EXPECT_EQ(loaded.status(), absl::OkStatus());
  return *std::move(loaded);
}

std::vector<TokenVectors> Embed(Contextualizer& model,
                                const std::vector<Sentence>& sentences,
                                const EmbedOptions& options = {}) {
  auto vectors = model.Embed(sentences, options);
  EXPECT_EQ(vectors.status(), absl::OkStatus());
  return *std::move(vectors);
}

double Difference(const TokenVectors& a, const TokenVectors& b) {
  EXPECT_EQ(a.values.size(), b.values.size());
  double greatest = 0;
  for (size_t i = 0; i < a.values.size(); ++i) {
    greatest = std::max(greatest, std::abs(double{a.values[i]} - b.values[i]));
  }
  return greatest;
}

const std::vector<Sentence> kSentences = {
    {"the", "cat", "sat", "on", "the", "mat"},
    {"cat"},
    {},
    {"a", "dog", "sat"},
    {"the", "the", "the", "the", "the", "the", "the", "the", "cat"}};

TEST(ContextualizerTest, VectorsOfASentenceDoNotDependOnOthers) {
  for (const TinyInput input : kInputs) {
    Contextualizer model = LoadTiny(*TinyModel(input));
    EXPECT_EQ(model.num_layers(), 3u);
    EXPECT_EQ(model.dim(), 12u);
    const auto together = Embed(model, kSentences);
    auto reversed = kSentences;
    std::reverse(reversed.begin(), reversed.end());
    const auto turned = Embed(model, reversed, {.batch = 2, .threads = 1});
    for (size_t k = 0; k < kSentences.size(); ++k) {
      const auto alone = Embed(model, {kSentences[k]});
      EXPECT_EQ(together[k].tokens, kSentences[k].size());
      EXPECT_LE(Difference(together[k], alone[0]), 1e-6);
      EXPECT_LE(Difference(turned[kSentences.size() - 1 - k], alone[0]), 1e-6);
    }
  }
}

TEST(ContextualizerTest, LayerZeroIsTheTokenTwiceWhereverItStands) {
  Contextualizer model = LoadTiny(*TinyModel(TinyInput::kBoth));
  const auto vectors = Embed(model, kSentences);
  const auto first = vectors[0].Vector(0, 0);  // "the"
  EXPECT_EQ(first.first(6), first.last(6));
  EXPECT_EQ(first, vectors[0].Vector(0, 4));
  EXPECT_EQ(first, vectors[4].Vector(0, 7));
  EXPECT_NE(vectors[0].Vector(1, 0), vectors[0].Vector(1, 4));
}

TEST(ContextualizerTest, LayerZeroIsTheTokenOnceIfItIsLonger) {
  LanguageModelOptions options = TinyOptions(TinyInput::kTable);
  options.encoder.embedding_dim = 9;
  BiLanguageModel random(options, TinyData(), 7);
  Contextualizer model = LoadTiny(random);
  EXPECT_EQ(model.dim(), 12u);
  EXPECT_EQ(model.token_dim(), 9u);
  const auto vectors = Embed(model, {{"cat"}});
  const float* const row = random.encoder().table()->value.Row(4);
  EXPECT_TRUE(std::equal(row, row + 9, vectors[0].Vector(0, 0).begin()));
  for (size_t i = 9; i < 12; ++i) EXPECT_EQ(vectors[0].Vector(0, 0)[i], 0);
}

// The vectors of one sentence after another are those of a long one, layer by
// layer in the forward direction.
TEST(ContextualizerTest, StateGoesFromSentenceToSentence) {
  Contextualizer model = LoadTiny(*TinyModel(TinyInput::kTable));
  const auto both = Embed(model, {{"the", "cat", "</S>", "<S>", "sat"}});
  const auto apart =
      Embed(model, {{"the", "cat"}, {"sat"}}, {.stateful = true});
  for (size_t layer = 1; layer < 3; ++layer) {
    for (size_t i = 0; i < 6; ++i) {
      EXPECT_NEAR(apart[1].Vector(layer, 0)[i], both[0].Vector(layer, 4)[i],
                  1e-6);
    }
  }
  model.Reset();
  const auto one = Embed(model, {{"the", "cat"}}, {.stateful = true});
  const auto other = Embed(model, {{"sat"}}, {.stateful = true});
  EXPECT_LE(Difference(one[0], apart[0]), 1e-6);
  EXPECT_LE(Difference(other[0], apart[1]), 1e-6);
}

TEST(ContextualizerTest, ALongSentenceIsReadInPieces) {
  Contextualizer model = LoadTiny(*TinyModel(TinyInput::kTable));
  Sentence words;
  for (size_t i = 0; i < 10'000; ++i) {
    words.push_back(i % 3 == 0 ? "the" : i % 7 == 1 ? "cat" : "sat");
  }
  const auto whole = Embed(model, {words});
  // What is far enough away has no influence left.
  const Sentence end(words.end() - 300, words.end());
  const auto tail = Embed(model, {end});
  const Sentence begin(words.begin(), words.begin() + 300);
  const auto head = Embed(model, {begin});
  for (size_t i = 0; i < 12; ++i) {
    EXPECT_NEAR(whole[0].Vector(2, 9'990)[i], tail[0].Vector(2, 290)[i], 1e-6);
    EXPECT_NEAR(whole[0].Vector(2, 10)[i], head[0].Vector(2, 10)[i], 1e-6);
  }
}

TEST(ContextualizerTest, UnknownWordsAreReadAsTheModelCan) {
  Contextualizer table = LoadTiny(*TinyModel(TinyInput::kTable));
  const auto unknown = Embed(table, {{"dog", "<UNK>", "bird", "cat"}})[0];
  EXPECT_EQ(unknown.Vector(0, 0), unknown.Vector(0, 1));
  EXPECT_EQ(unknown.Vector(0, 0), unknown.Vector(0, 2));
  EXPECT_NE(unknown.Vector(0, 0), unknown.Vector(0, 3));
  Contextualizer characters = LoadTiny(*TinyModel(TinyInput::kCharacters));
  const auto spelled = Embed(characters, {{"dog", "bird"}})[0];
  EXPECT_NE(spelled.Vector(0, 0), spelled.Vector(0, 1));
}

TEST(ContextualizerTest, UnknownWordsAreMadeOfNGrams) {
  LanguageModelData data = TinyData();
  SubwordTables subwords;
  subwords.index =
      *SubwordIndex::OfNGrams(ExplicitSubwords{3, 3, 1}, {"<do", "rd>"});
  const std::vector<float> rows = {1, 2, 3, 4, 5, 6, 6, 5, 4, 3, 2, 1};
  subwords.n_grams = FloatTable(rows, 6);
  data.n_grams =
      *WordVectors::Create(Vocabulary(), Matrix<float>(0, 6), subwords);
  BiLanguageModel random(TinyOptions(TinyInput::kTable), data, 7);
  Contextualizer model = LoadTiny(random);
  const auto vectors = Embed(model, {{"bird", "dog", "cow", "<UNK>"}})[0];
  EXPECT_THAT(vectors.Vector(0, 0).first(6),
              testing::ElementsAre(6, 5, 4, 3, 2, 1));
  EXPECT_THAT(vectors.Vector(0, 1).first(6),
              testing::ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_EQ(vectors.Vector(0, 2), vectors.Vector(0, 3));
}

TEST(ContextualizerTest, OptionsOutOfRangeAreRefused) {
  Contextualizer model = LoadTiny(*TinyModel(TinyInput::kTable));
  EXPECT_EQ(model.Embed(kSentences, {.batch = 0}).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(model.Embed(kSentences, {.threads = -1}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace firth
