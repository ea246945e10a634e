// A table lists the names that the two kinds use for the same option. A key
// that enables an unsupported feature must have the value that disables it.
// Such a model is rejected rather than read incorrectly.

#include "lm/pretrained_config.h"

#include <array>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "firth/status_macros.h"
#include "lm/json_section.h"

namespace firth {
namespace {

using Kind = PretrainedConfig::Kind;
constexpr absl::string_view kKinds[] = {"bert", "gpt2"};

// The names of common options in each kind.
struct Keys {
  const char* units;
  const char* heads;
  const char* feed_forward;
  const char* layers;
  const char* context;
  const char* activation;
  const char* epsilon;
  const char* dropout;
};
constexpr Keys kBertKeys = {
    "hidden_size",       "num_attention_heads",     "intermediate_size",
    "num_hidden_layers", "max_position_embeddings", "hidden_act",
    "layer_norm_eps",    "hidden_dropout_prob"};
constexpr Keys kGpt2Keys = {"n_embd",
                            "n_head",
                            "n_inner",
                            "n_layer",
                            "n_positions",
                            "activation_function",
                            "layer_norm_epsilon",
                            "resid_pdrop"};

constexpr std::array<std::pair<absl::string_view, Activation>, 5>
    kActivationNames = {{{"gelu", Activation::kGelu},
                         {"gelu_new", Activation::kGeluTanh},
                         {"gelu_pytorch_tanh", Activation::kGeluTanh},
                         {"relu", Activation::kRelu},
                         {"tanh", Activation::kTanh}}};

// Returns whether the key has a value; null counts as none.
bool Has(const JsonSection& config, const char* key) {
  const auto found = config.json.find(key);
  return found != config.json.end() && !found->is_null();
}

absl::Status ReadLayers(const JsonSection& config, const Keys& keys,
                        nn::TransformerLayers* layers) {
  FIRTH_ASSIGN_OR_RETURN(layers->units, config.Size(keys.units, 1, kMostUnits));
  FIRTH_ASSIGN_OR_RETURN(layers->heads, config.Size(keys.heads, 1, kMostUnits));
  if (layers->units % layers->heads != 0) {
    return config.Bad(keys.heads, absl::StrCat("a divisor of ", layers->units));
  }
  FIRTH_ASSIGN_OR_RETURN(layers->layers,
                         config.Size(keys.layers, 1, kMostLayers));
  FIRTH_ASSIGN_OR_RETURN(layers->context,
                         config.Size(keys.context, 2, kMostContext));
  if (Has(config, keys.feed_forward)) {
    FIRTH_ASSIGN_OR_RETURN(layers->feed_forward,
                           config.Size(keys.feed_forward, 1, kMostUnits));
  }
  std::array<absl::string_view, kActivationNames.size()> names;
  for (size_t i = 0; i < names.size(); ++i)
    names[i] = kActivationNames[i].first;
  if (Has(config, keys.activation)) {
    FIRTH_ASSIGN_OR_RETURN(const size_t activation,
                           config.Choice(keys.activation, names));
    layers->activation = kActivationNames[activation].second;
  }
  if (Has(config, keys.epsilon)) {
    FIRTH_ASSIGN_OR_RETURN(layers->epsilon, config.Limit(keys.epsilon));
  }
  FIRTH_ASSIGN_OR_RETURN(layers->dropout, config.Limit(keys.dropout));
  if (layers->dropout >= 1) return config.Bad(keys.dropout, "a number below 1");
  return absl::OkStatus();
}

// Checks that unsupported features that would change the network are off.
absl::Status CheckPlain(const JsonSection& config) {
  for (const char* const key : {"is_decoder", "add_cross_attention",
                                "scale_attn_by_inverse_layer_idx"}) {
    FIRTH_ASSIGN_OR_RETURN(const bool set, config.Flag(key));
    if (set && !(config.json.at("model_type") == "gpt2" &&
                 absl::string_view(key) == "is_decoder")) {
      return config.Bad(key, "false");
    }
  }
  for (const auto& [key, value] :
       {std::pair("position_embedding_type", nlohmann::json("absolute")),
        {"scale_attn_weights", nlohmann::json(true)}}) {
    if (Has(config, key) && config.json.at(key) != value) {
      return config.Bad(key, value.is_boolean() ? "true" : "\"absolute\"");
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<PretrainedConfig> ReadPretrainedConfig(const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(const nlohmann::json json,
                         ReadJsonObject(path, "the configuration of a model"));
  const JsonSection config{path, "", json};
  PretrainedConfig read;
  FIRTH_ASSIGN_OR_RETURN(const size_t kind,
                         config.Choice("model_type", kKinds));
  read.kind = static_cast<Kind>(kind);
  FIRTH_RETURN_IF_ERROR(CheckPlain(config));
  const bool bert = read.kind == Kind::kBert;
  nn::TransformerLayers& layers = read.layers;
  layers.norm = bert ? NormPlace::kAfter : NormPlace::kBefore;
  layers.positions = PositionKind::kLearnt;
  layers.causal = !bert;
  layers.scale_input = false;
  layers.activation = bert ? Activation::kGelu : Activation::kGeluTanh;
  layers.epsilon = bert ? 1e-12 : 1e-5;
  FIRTH_RETURN_IF_ERROR(
      ReadLayers(config, bert ? kBertKeys : kGpt2Keys, &layers));
  if (layers.feed_forward == 0) {
    if (bert) return config.Bad(kBertKeys.feed_forward, "a whole number");
    layers.feed_forward = 4 * layers.units;
  }
  FIRTH_ASSIGN_OR_RETURN(read.vocab_size,
                         config.Size("vocab_size", 1, UINT32_MAX - 4));
  if (Has(config, "tie_word_embeddings")) {
    FIRTH_ASSIGN_OR_RETURN(read.tied, config.Flag("tie_word_embeddings"));
  }
  if (bert) {
    FIRTH_ASSIGN_OR_RETURN(read.segments,
                           config.Size("type_vocab_size", 1, kMostUnits));
  }
  return read;
}

absl::StatusOr<PretrainedCutting> ReadPretrainedCutting(
    const std::string& path) {
  PretrainedCutting cutting;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return cutting;
  FIRTH_ASSIGN_OR_RETURN(const nlohmann::json json,
                         ReadJsonObject(path, "the options of a tokenizer"));
  const JsonSection config{path, "", json};
  if (Has(config, "do_lower_case")) {
    FIRTH_ASSIGN_OR_RETURN(cutting.lowercase, config.Flag("do_lower_case"));
  }
  cutting.strip_accents = cutting.lowercase;
  if (Has(config, "strip_accents")) {
    FIRTH_ASSIGN_OR_RETURN(cutting.strip_accents, config.Flag("strip_accents"));
  }
  if (Has(config, "tokenize_chinese_chars")) {
    FIRTH_ASSIGN_OR_RETURN(cutting.part_ideographs,
                           config.Flag("tokenize_chinese_chars"));
  }
  if (Has(config, "add_prefix_space")) {
    FIRTH_ASSIGN_OR_RETURN(cutting.space_first,
                           config.Flag("add_prefix_space"));
  }
  return cutting;
}

}  // namespace firth
