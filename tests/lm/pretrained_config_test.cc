#include "lm/import/pretrained_config.h"

#include <string>

#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/temp_files.h"

namespace firth {
namespace {

using testing::HasSubstr;

constexpr char kBert[] = R"({
  "architectures": ["BertForPreTraining"], "model_type": "bert",
  "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 4,
  "intermediate_size": 32, "max_position_embeddings": 24, "vocab_size": 40,
  "type_vocab_size": 2, "hidden_act": "gelu", "layer_norm_eps": 1e-11,
  "hidden_dropout_prob": 0.1, "position_embedding_type": "absolute"})";
constexpr char kGpt2[] = R"({
  "model_type": "gpt2", "n_embd": 16, "n_layer": 2, "n_head": 4,
  "n_positions": 24, "n_inner": null, "vocab_size": 40,
  "activation_function": "gelu_new", "layer_norm_epsilon": 1e-4,
  "resid_pdrop": 0.2, "scale_attn_weights": true})";

absl::StatusOr<PretrainedConfig> Read(absl::string_view json) {
  const TempFolder folder;
  return ReadPretrainedConfig(folder.Write("config.json", json));
}

TEST(PretrainedConfigTest, OfBert) {
  const auto config = Read(kBert);
  ASSERT_EQ(config.status(), absl::OkStatus());
  EXPECT_EQ(config->kind, PretrainedConfig::Kind::kBert);
  const nn::TransformerLayers& layers = config->layers;
  EXPECT_EQ(layers.units, 16u);
  EXPECT_EQ(layers.layers, 2u);
  EXPECT_EQ(layers.heads, 4u);
  EXPECT_EQ(layers.feed_forward, 32u);
  EXPECT_EQ(layers.context, 24u);
  EXPECT_EQ(layers.activation, Activation::kGelu);
  EXPECT_EQ(layers.epsilon, 1e-11);
  EXPECT_EQ(layers.dropout, 0.1);
  EXPECT_EQ(layers.norm, NormPlace::kAfter);
  EXPECT_EQ(layers.positions, PositionKind::kLearned);
  EXPECT_FALSE(layers.causal);
  EXPECT_FALSE(layers.scale_input);
  EXPECT_EQ(config->vocab_size, 40u);
  EXPECT_EQ(config->segments, 2u);
  EXPECT_TRUE(config->tied);
}

TEST(PretrainedConfigTest, OfGpt2) {
  const auto config = Read(kGpt2);
  ASSERT_EQ(config.status(), absl::OkStatus());
  EXPECT_EQ(config->kind, PretrainedConfig::Kind::kGpt2);
  const nn::TransformerLayers& layers = config->layers;
  EXPECT_EQ(layers.feed_forward, 64u);  // where it says nothing
  EXPECT_EQ(layers.activation, Activation::kGeluTanh);
  EXPECT_EQ(layers.epsilon, 1e-4);
  EXPECT_EQ(layers.dropout, 0.2);
  EXPECT_EQ(layers.norm, NormPlace::kBefore);
  EXPECT_TRUE(layers.causal);
}

struct BadConfig {
  const char* name;
  const char* replace;
  const char* by;
  const char* message;
};

void ExpectRefused(const char* config, absl::Span<const BadConfig> cases) {
  for (const BadConfig& test : cases) {
    const std::string changed =
        absl::StrReplaceAll(config, {{test.replace, test.by}});
    ASSERT_NE(changed, config) << test.name;
    const absl::Status status = Read(changed).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << test.name;
    EXPECT_THAT(
        std::string(status.message()),
        testing::AllOf(HasSubstr("config.json: "), HasSubstr(test.message)))
        << test.name;
  }
}

TEST(PretrainedConfigTest, WhatWeDoNotHaveIsNamed) {
  constexpr BadConfig kBertCases[] = {
      {"no JSON", "{", "[", "expected a JSON object"},
      {"another model", "\"bert\"", "\"roberta\"",
       "\"model_type\": expected \"bert\" or \"gpt2\", found \"\\\"roberta"},
      {"no kind", "\"model_type\"", "\"type\"",
       "\"model_type\": expected \"bert\" or \"gpt2\", found nothing"},
      {"no size", "\"hidden_size\"", "\"size\"",
       "\"hidden_size\": expected a whole number from 1"},
      {"negative", "\"hidden_size\": 16", "\"hidden_size\": -16",
       "\"hidden_size\""},
      {"huge", "\"hidden_size\": 16", "\"hidden_size\": 1e18",
       "\"hidden_size\""},
      {"a text", "\"hidden_size\": 16", "\"hidden_size\": \"16\"",
       "\"hidden_size\""},
      {"heads that do not divide", "\"num_attention_heads\": 4",
       "\"num_attention_heads\": 3",
       "\"num_attention_heads\": expected a divisor of 16, found \"3\""},
      {"no heads", "\"num_attention_heads\": 4", "\"num_attention_heads\": 0",
       "\"num_attention_heads\""},
      {"no layers", "\"num_hidden_layers\": 2", "\"num_hidden_layers\": 0",
       "\"num_hidden_layers\""},
      {"nothing between", "\"intermediate_size\": 32", "\"x\": 1",
       "\"intermediate_size\": expected a whole number, found nothing"},
      {"no positions", "\"max_position_embeddings\": 24", "\"x\": 1",
       "\"max_position_embeddings\""},
      {"no words", "\"vocab_size\": 40", "\"vocab_size\": 0", "\"vocab_size\""},
      {"another function", "\"gelu\"", "\"silu\"",
       "\"hidden_act\": expected \"gelu\" or \"gelu_new\""},
      {"negative epsilon", "1e-11", "-1", "\"layer_norm_eps\""},
      {"all left out", "0.1", "1",
       "\"hidden_dropout_prob\": expected a number below 1"},
      {"relative positions", "\"absolute\"", "\"relative_key\"",
       "\"position_embedding_type\": expected \"absolute\""},
      {"a decoder", "\"type_vocab_size\": 2",
       "\"type_vocab_size\": 2, \"is_decoder\": true",
       "\"is_decoder\": expected false"},
      {"no segments", "\"type_vocab_size\": 2", "\"type_vocab_size\": 0",
       "\"type_vocab_size\""},
      {"tied by a text", "\"type_vocab_size\": 2",
       "\"type_vocab_size\": 2, \"tie_word_embeddings\": \"yes\"",
       "\"tie_word_embeddings\": expected true or false"},
  };
  ExpectRefused(kBert, kBertCases);
  constexpr BadConfig kGpt2Cases[] = {
      {"scores without a scale", "\"scale_attn_weights\": true",
       "\"scale_attn_weights\": false",
       "\"scale_attn_weights\": expected true"},
      {"scales of each layer", "\"scale_attn_weights\"",
       "\"scale_attn_by_inverse_layer_idx\"",
       "\"scale_attn_by_inverse_layer_idx\": expected false"},
      {"attention to another text", "\"scale_attn_weights\"",
       "\"add_cross_attention\"", "\"add_cross_attention\": expected false"},
      {"a text", "\"n_inner\": null", "\"n_inner\": \"64\"", "\"n_inner\""},
  };
  ExpectRefused(kGpt2, kGpt2Cases);
  const TempFolder folder;
  EXPECT_EQ(ReadPretrainedConfig(folder.File("config.json")).status().code(),
            absl::StatusCode::kNotFound);
}

TEST(PretrainedCuttingTest, IsThatOfTheLibrariesWhereNothingIsSaid) {
  const TempFolder folder;
  const auto none = ReadPretrainedCutting(folder.File("none.json"));
  ASSERT_EQ(none.status(), absl::OkStatus());
  const auto empty = ReadPretrainedCutting(folder.Write("t.json", "{}"));
  ASSERT_EQ(empty.status(), absl::OkStatus());
  for (const PretrainedCutting& cutting : {*none, *empty}) {
    EXPECT_TRUE(cutting.lowercase && cutting.strip_accents &&
                cutting.part_ideographs);
    EXPECT_FALSE(cutting.space_first);
  }
}

TEST(PretrainedCuttingTest, AccentsGoWithCapitals) {
  const TempFolder folder;
  const auto read = [&](absl::string_view json) {
    return *ReadPretrainedCutting(folder.Write("t.json", json));
  };
  EXPECT_FALSE(read(R"({"do_lower_case": false})").strip_accents);
  EXPECT_FALSE(
      read(R"({"do_lower_case": false, "strip_accents": null})").strip_accents);
  EXPECT_TRUE(
      read(R"({"do_lower_case": false, "strip_accents": true})").strip_accents);
  EXPECT_FALSE(read(R"({"tokenize_chinese_chars": false})").part_ideographs);
  EXPECT_TRUE(read(R"({"add_prefix_space": true})").space_first);
}

TEST(PretrainedCuttingTest, WhatIsNoChoiceIsRefused) {
  const TempFolder folder;
  for (const char* const json : {"[]", "x", R"({"do_lower_case": "no"})",
                                 R"({"add_prefix_space": 1})"}) {
    EXPECT_EQ(
        ReadPretrainedCutting(folder.Write("t.json", json)).status().code(),
        absl::StatusCode::kInvalidArgument)
        << json;
  }
}

}  // namespace
}  // namespace firth
