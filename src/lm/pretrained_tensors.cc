// BERT's linear layers map x to x W^T, so their weights are transposed; those
// of GPT-2 are stored as in Firth. Queries, keys and values are three tensors
// in BERT and one in GPT-2, in the same order as in Firth.

#include "lm/pretrained_tensors.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

const PretrainedTensors::Names& NamesOf(PretrainedConfig::Kind kind) {
  static const auto& bert = *new PretrainedTensors::Names{
      "bert.",
      "embeddings.word_embeddings.weight",
      "embeddings.position_embeddings.weight",
      "cls.predictions.decoder.weight",
      {"bert.pooler.", "pooler.", "cls.seq_relationship.",
       "cls.predictions.decoder."},
      {"position_ids"}};
  static const auto& gpt2 = *new PretrainedTensors::Names{
      "transformer.",   "wte.weight", "wpe.weight",
      "lm_head.weight", {"lm_head."}, {".attn.bias", ".attn.masked_bias"}};
  return kind == PretrainedConfig::Kind::kBert ? bert : gpt2;
}

// Collects the sources of parameters.
class Targets {
 public:
  // Adds a vector.
  void Vector(std::string parameter, const std::string& tensor, uint64_t size) {
    list_.push_back({std::move(parameter), {{tensor, {size}}}});
  }
  void Norm(const std::string& parameter, const std::string& tensor,
            uint64_t dim) {
    Vector(parameter + ".gain", tensor + ".weight", dim);
    Vector(parameter + ".bias", tensor + ".bias", dim);
  }
  // Adds a layer from `in` to `out` values. If `turned`, the tensor is [out,
  // in]. Several tensors are placed side by side.
  void Linear(const std::string& parameter,
              const std::vector<std::string>& tensors, uint64_t in,
              uint64_t out, bool turned) {
    ParameterSources weights = {parameter + ".weights", {}};
    ParameterSources bias = {parameter + ".bias", {}};
    for (size_t i = 0; i < tensors.size(); ++i) {
      weights.sources.push_back({tensors[i] + ".weight",
                                 turned ? std::vector<uint64_t>{out, in}
                                        : std::vector<uint64_t>{in, out},
                                 turned, i * out});
      bias.sources.push_back({tensors[i] + ".bias", {out}, false, i * out});
    }
    list_.push_back(std::move(weights));
    list_.push_back(std::move(bias));
  }

  std::vector<ParameterSources> TakeList() { return std::move(list_); }

 private:
  std::vector<ParameterSources> list_;
};

// `place` is the prefix of the names of Firth's layers.
void AddBertLayers(const nn::TransformerLayers& layers,
                   const std::string& place, Targets* targets) {
  const uint64_t dim = layers.units;
  targets->Norm(place + "norm", "embeddings.LayerNorm", dim);
  for (size_t l = 0; l < layers.layers; ++l) {
    const std::string ours = absl::StrCat(place, l, ".");
    const std::string theirs = absl::StrCat("encoder.layer.", l, ".");
    const std::string self = theirs + "attention.self.";
    targets->Linear(ours + "attention.input",
                    {self + "query", self + "key", self + "value"}, dim, dim,
                    /*turned=*/true);
    targets->Linear(ours + "attention.output",
                    {theirs + "attention.output.dense"}, dim, dim, true);
    targets->Norm(ours + "attention_norm",
                  theirs + "attention.output.LayerNorm", dim);
    targets->Linear(ours + "feed_forward.inner",
                    {theirs + "intermediate.dense"}, dim, layers.feed_forward,
                    true);
    targets->Linear(ours + "feed_forward.outer", {theirs + "output.dense"},
                    layers.feed_forward, dim, true);
    targets->Norm(ours + "feed_forward_norm", theirs + "output.LayerNorm", dim);
  }
  if (!layers.transform_top) return;
  const std::string transform = "cls.predictions.transform.";
  targets->Linear(place + "top", {transform + "dense"}, dim, dim, true);
  targets->Norm(place + "top_norm", transform + "LayerNorm", dim);
}

void AddGpt2Layers(const nn::TransformerLayers& layers,
                   const std::string& place, Targets* targets) {
  const uint64_t dim = layers.units;
  for (size_t l = 0; l < layers.layers; ++l) {
    const std::string ours = absl::StrCat(place, l, ".");
    const std::string theirs = absl::StrCat("h.", l, ".");
    targets->Norm(ours + "attention_norm", theirs + "ln_1", dim);
    targets->Linear(ours + "attention.input", {theirs + "attn.c_attn"}, dim,
                    3 * dim, /*turned=*/false);
    targets->Linear(ours + "attention.output", {theirs + "attn.c_proj"}, dim,
                    dim, false);
    targets->Norm(ours + "feed_forward_norm", theirs + "ln_2", dim);
    targets->Linear(ours + "feed_forward.inner", {theirs + "mlp.c_fc"}, dim,
                    layers.feed_forward, false);
    targets->Linear(ours + "feed_forward.outer", {theirs + "mlp.c_proj"},
                    layers.feed_forward, dim, false);
  }
  targets->Norm(place + "norm", "ln_f", dim);
}

}  // namespace

std::vector<ParameterSources> NextSentenceSources(uint64_t dim) {
  Targets targets;
  targets.Linear("next_sentence.pooler", {"pooler.dense"}, dim, dim,
                 /*turned=*/true);
  targets.Linear("next_sentence.output", {"cls.seq_relationship"}, dim, 2,
                 true);
  return targets.TakeList();
}

std::vector<ParameterSources> LayerSources(const PretrainedConfig& config,
                                           const std::string& place) {
  Targets targets;
  if (config.kind == PretrainedConfig::Kind::kBert) {
    AddBertLayers(config.layers, place, &targets);
  } else {
    AddGpt2Layers(config.layers, place, &targets);
  }
  return targets.TakeList();
}

PretrainedTensors::PretrainedTensors(const TensorFolder& folder,
                                     PretrainedConfig::Kind kind)
    : folder_(folder), names_(NamesOf(kind)) {}

absl::StatusOr<Matrix<float>> PretrainedTensors::Read(
    const std::string& name, const std::vector<uint64_t>& shape) {
  const std::string found = NameInFolder(name);
  FIRTH_RETURN_IF_ERROR(folder_.Check(found, shape));
  Matrix<float> values(shape.size() == 1 ? 1 : shape[0], shape.back());
  FIRTH_RETURN_IF_ERROR(folder_.Read(found, shape, values.data()));
  read_.insert(found);
  return values;
}

std::vector<std::string> PretrainedTensors::Unknown() const {
  std::vector<std::string> unknown;
  for (std::string& name : folder_.Names()) {
    if (read_.count(name) == 0 && !IsOther(name)) {
      unknown.push_back(std::move(name));
    }
  }
  return unknown;
}

// Tries the name with and without the prefix, and with the old names of
// TensorFlow's layer normalization. Returns `name` if none of these exists.
std::string PretrainedTensors::NameInFolder(const std::string& name) const {
  std::string old = name;
  if (absl::StrContains(name, "LayerNorm.")) {
    old =
        absl::StrReplaceAll(name, {{".weight", ".gamma"}, {".bias", ".beta"}});
  }
  for (const std::string& tried :
       {name, names_.prefix + name, old, names_.prefix + old}) {
    if (folder_.Has(tried)) return tried;
  }
  return name;
}

bool PretrainedTensors::IsOther(const std::string& name) const {
  const auto begins = [&](const char* part) {
    return absl::StartsWith(name, part);
  };
  const auto ends = [&](const char* part) {
    return absl::EndsWith(name, part);
  };
  return std::any_of(names_.other_begins.begin(), names_.other_begins.end(),
                     begins) ||
         std::any_of(names_.other_ends.begin(), names_.other_ends.end(), ends);
}

}  // namespace firth
