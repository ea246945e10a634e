// Language models of Transformers: what cuts, companions and caches must not
// change.

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "firth/contextualizer.h"
#include "firth/language_model.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lm/model/language_model_file.h"
#include "lm/tiny_language_model.h"
#include "support/temp_files.h"

namespace firth {
namespace {

struct Kind {
  std::string name;
  PositionKind positions;
  NormPlace norm;
  bool causal;
};

class TransformerLmTest : public testing::TestWithParam<Kind> {
 protected:
  std::unique_ptr<BiLanguageModel> Make() const {
    LanguageModelOptions options = TinyOptions(TinyInput::kTable);
    options.layers = nn::TransformerLayers{.units = 6,
                                           .heads = 2,
                                           .feed_forward = 9,
                                           .layers = 2,
                                           .context = 6,
                                           .norm = GetParam().norm,
                                           .positions = GetParam().positions,
                                           .causal = GetParam().causal,
                                           .dropout = 0.1};
    if (!GetParam().causal) options.reading = Reading::kForward;
    return std::make_unique<BiLanguageModel>(options, TinyData(), 7);
  }
  std::string Saved() const {
    const std::string path = folder_.File("lm.safetensors");
    EXPECT_EQ(SaveLanguageModel(*Make(), path), absl::OkStatus());
    return path;
  }
  TempFolder folder_;
};

const std::vector<Contextualizer::Sentence>& Sentences() {
  // Shorter and longer than the context.
  static const auto& sentences = *new std::vector<Contextualizer::Sentence>{
      {"the", "cat", "sat", "on", "the", "cat", "on", "the", "dog", "sat",
       "the"},
      {"cat"},
      {"on", "the", "cat"},
      {}};
  return sentences;
}

TEST_P(TransformerLmTest, VectorsOfASentenceDoNotDependOnOthers) {
  Contextualizer model = *Contextualizer::Load(Saved());
  EXPECT_EQ(model.dim(), GetParam().causal ? 12u : 6u);
  const auto together = *model.Embed(Sentences());
  for (size_t i = 0; i < Sentences().size(); ++i) {
    const auto alone = *model.Embed({Sentences()[i]});
    ASSERT_EQ(together[i].values.size(), alone[0].values.size());
    for (size_t k = 0; k < alone[0].values.size(); ++k) {
      ASSERT_NEAR(together[i].values[k], alone[0].values[k], 1e-6);
    }
  }
}

// As far as the context goes: the state is what a token before the sentence
// leaves. Layers that look ahead have none.
// A row is a distribution over what its token sees, and asking changes nothing.
TEST_P(TransformerLmTest, AttentionIsADistributionOverWhatIsSeen) {
  auto model = Contextualizer::Load(Saved());
  ASSERT_EQ(model.status(), absl::OkStatus());
  const std::vector<float> before = model->Embed(Sentences())->at(2).values;
  for (const Contextualizer::Sentence& sentence :
       {Sentences()[2], Sentences()[3]}) {
    const auto weights = model->Attend(sentence);
    ASSERT_EQ(weights.status(), absl::OkStatus());
    const size_t tokens = weights->tokens.size();
    ASSERT_EQ(tokens, sentence.size() + 2);
    EXPECT_EQ(weights->tokens.front(), "<S>");
    EXPECT_EQ(weights->tokens.back(), "</S>");
    EXPECT_EQ(weights->directions, GetParam().causal ? 2u : 1u);
    ASSERT_EQ(weights->values.size(),
              weights->directions * 2 * 2 * tokens * tokens);
    for (size_t row = 0; row < weights->values.size() / tokens; ++row) {
      const size_t direction = row / (4 * tokens);
      const size_t token = row % tokens;
      double sum = 0;
      for (size_t seen = 0; seen < tokens; ++seen) {
        const float weight = weights->values[row * tokens + seen];
        const bool is_ahead = direction == 0 ? seen > token : seen < token;
        const bool is_seen = !(GetParam().causal && is_ahead);
        EXPECT_EQ(weight > 0, is_seen);
        sum += static_cast<double>(weight);
      }
      EXPECT_NEAR(sum, 1, 1e-5);
    }
  }
  EXPECT_EQ(model->Embed(Sentences())->at(2).values, before);
}

TEST_P(TransformerLmTest, AttentionBeyondThePositionsIsRefused) {
  auto model = Contextualizer::Load(Saved());
  ASSERT_EQ(model.status(), absl::OkStatus());
  const auto weights = model->Attend(Sentences()[0]);
  if (GetParam().positions == PositionKind::kRelative) {
    ASSERT_EQ(weights.status(), absl::OkStatus());
    EXPECT_EQ(weights->tokens.size(), Sentences()[0].size() + 2);
  } else {
    EXPECT_EQ(weights.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(weights.status().message(),
                testing::HasSubstr("a sentence of 11 tokens"));
  }
}

TEST(AttentionTest, OtherLayersHaveNone) {
  const TempFolder folder;
  const std::string path = folder.File("lm.safetensors");
  ASSERT_EQ(SaveLanguageModel(*TinyModel(TinyInput::kBoth), path),
            absl::OkStatus());
  auto model = Contextualizer::Load(path);
  ASSERT_EQ(model.status(), absl::OkStatus());
  EXPECT_EQ(model->Attend({"the"}).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST_P(TransformerLmTest, StateGoesFromSentenceToSentence) {
  Contextualizer model = *Contextualizer::Load(Saved());
  const EmbedOptions stateful{.stateful = true};
  const auto difference = [&](const TokenVectors& a, const TokenVectors& b) {
    double sum = 0;
    for (size_t k = 0; k < a.values.size(); ++k) {
      sum += std::abs(a.values[k] - b.values[k]);
    }
    return sum;
  };
  const auto first = *model.Embed({{"the", "cat"}, {"sat"}}, stateful);
  model.Reset();
  const auto other = *model.Embed({{"on", "on"}, {"sat"}}, stateful);
  model.Reset();
  const auto again = *model.Embed({{"the", "cat"}}, stateful);
  const auto gone_on = *model.Embed({{"sat"}}, stateful);
  EXPECT_EQ(difference(first[0], again[0]), 0);
  EXPECT_EQ(difference(first[1], gone_on[0]), 0);
  if (GetParam().causal) {
    EXPECT_GT(difference(first[1], other[1]), 1e-3);
  } else {
    EXPECT_EQ(difference(first[1], other[1]), 0);
  }
}

// Read from the state, beyond the context, and by a beam whose rows move.
using CausalTransformerLmTest = TransformerLmTest;
TEST_P(CausalTransformerLmTest, WordByWordASentenceIsWhatItIsAtOnce) {
  LanguageModel model = *LanguageModel::Load(Saved());
  size_t longest = 0;
  for (uint64_t seed = 1; seed < 9; ++seed) {
    GenerateOptions options;
    options.unknown = true;
    options.seed = seed;
    if (seed < 8) {
      options.temperature = 3;
    } else {
      options.beam = 3;
    }
    const auto sentences = model.Generate(options);
    ASSERT_EQ(sentences.status(), absl::OkStatus());
    for (const GeneratedSentence& sentence : *sentences) {
      if (!sentence.ended) continue;
      SCOPED_TRACE(absl::StrJoin(sentence.words, " "));
      const auto score =
          *model.Score({{sentence.words.begin(), sentence.words.end()}});
      EXPECT_NEAR(score[0].log_probability, sentence.log_probability, 1e-4);
      longest = std::max(longest, sentence.words.size());
    }
  }
  EXPECT_GT(longest, 7u);
}

const std::vector<Kind>& Causal() {
  static const auto& kinds = *new std::vector<Kind>{
      {"relative", PositionKind::kRelative, NormPlace::kBefore, true},
      {"sinusoidal", PositionKind::kSinusoidal, NormPlace::kAfter, true},
      {"learned", PositionKind::kLearned, NormPlace::kBefore, true}};
  return kinds;
}

std::vector<Kind> AllKinds() {
  std::vector<Kind> kinds = Causal();
  kinds.push_back({"ahead", PositionKind::kRelative, NormPlace::kAfter, false});
  kinds.push_back(
      {"ahead_learnt", PositionKind::kLearned, NormPlace::kAfter, false});
  return kinds;
}

std::string NameOf(const testing::TestParamInfo<Kind>& info) {
  return info.param.name;
}
INSTANTIATE_TEST_SUITE_P(Kinds, TransformerLmTest,
                         testing::ValuesIn(AllKinds()), NameOf);
INSTANTIATE_TEST_SUITE_P(Causal, CausalTransformerLmTest,
                         testing::ValuesIn(Causal()), NameOf);

}  // namespace
}  // namespace firth
