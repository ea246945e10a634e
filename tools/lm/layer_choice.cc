#include "lm/layer_choice.h"

#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "firth/status_macros.h"

namespace firth::tools {
namespace {

absl::Status BadLayers(absl::string_view option, absl::string_view expected,
                       absl::string_view found) {
  return absl::InvalidArgumentError(
      absl::StrCat(option, ": expected ", expected, ", found \"", found, "\""));
}

}  // namespace

void LayerChoice::Declare(bool all, OptionSet* options) {
  all_ = all;
  options->Section("Layers");
  options
      ->Text(
          "layers", "LAYERS", &layers_,
          absl::StrCat("choose the layers: ", all ? "all, " : "",
                       "top, the number of a layer (0 is the token vectors), "
                       "average, or mix (a weighted sum of all layers, with "
                       "the weights of --mix-of or --mix-weights)"))
      .Everyday();
  options
      ->Path("mix-of", "TAGGER", &mix_of_, Reads(),
             "path to a tagger whose mix of layers at the input is used")
      .GoesWith({"layers"}, {"mix"});
  options
      ->Text("mix-weights", "SHARES", &mix_weights_,
             "set one weight per layer, separated by commas; they are scaled "
             "to a sum of 1")
      .GoesWith({"layers"}, {"mix"});
  options
      ->Real("gamma", &gamma_, -1e9, 1e9,
             "multiply the mix of --mix-weights by this")
      .GoesWith({"mix-weights"});
}

absl::Status LayerChoice::Check() const {
  if (layers_ != "mix" || mix_of_.empty() != mix_weights_.empty()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      "--layers mix requires either --mix-of or --mix-weights");
}

absl::StatusOr<std::optional<MixWeights>> LayerChoice::Choose(
    size_t layers, const std::string& model) const {
  if (layers_ == "all" && all_) return std::nullopt;
  if (layers_ == "mix" && mix_of_.empty()) return ParseWeights(layers);
  if (layers_ == "mix") {
    FIRTH_ASSIGN_OR_RETURN(std::vector<MixWeights> mixes,
                           ReadMixes(mix_of_, model));
    return std::move(mixes.front());
  }
  MixWeights mix;
  mix.shares.assign(layers, 0.0);
  uint64_t layer = 0;
  if (layers_ == "top") {
    mix.shares.back() = 1;
  } else if (layers_ == "average") {
    mix.shares.assign(layers, 1.0 / static_cast<double>(layers));
  } else if (absl::SimpleAtoi(layers_, &layer) && layer < layers) {
    mix.shares[layer] = 1;
  } else {
    return BadLayers(
        "--layers",
        absl::StrCat(all_ ? "all, " : "",
                     "top, average, mix or a layer from 0 to ", layers - 1),
        layers_);
  }
  return mix;
}

absl::StatusOr<MixWeights> LayerChoice::ParseWeights(size_t layers) const {
  MixWeights mix;
  mix.gamma = gamma_;
  for (const absl::string_view part : absl::StrSplit(mix_weights_, ',')) {
    double share = 0;
    if (!absl::SimpleAtod(part, &share) || !std::isfinite(share) || share < 0) {
      return BadLayers("--mix-weights", "numbers of 0 or more, such as 1,2,1",
                       mix_weights_);
    }
    mix.shares.push_back(share);
  }
  const double sum = std::accumulate(mix.shares.begin(), mix.shares.end(), 0.0);
  if (!std::isfinite(sum)) {
    return BadLayers("--mix-weights", "numbers with a finite sum",
                     mix_weights_);
  }
  if (mix.shares.size() != layers || sum <= 0) {
    return BadLayers("--mix-weights",
                     absl::StrCat(layers, " numbers, not all 0"), mix_weights_);
  }
  for (double& share : mix.shares) share /= sum;
  return mix;
}

}  // namespace firth::tools
