// --layers: which layers of a language model become a token's vector.

#ifndef FIRTH_TOOLS_LM_LAYER_CHOICE_H_
#define FIRTH_TOOLS_LM_LAYER_CHOICE_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/option_set.h"
#include "firth/tagger.h"

namespace firth::tools {

class LayerChoice {
 public:
  // `layers`: what is chosen where nobody chooses.
  explicit LayerChoice(std::string layers) : layers_(std::move(layers)) {}

  // --layers and the options of its mixes. all: whether all layers, each for
  // itself, may be asked for.
  void Declare(bool all, OptionSet* options);
  absl::Status Check() const;
  const std::string& text() const { return layers_; }

  // Returns the mix of a model with so many layers at this path, or nothing for
  // all layers. Errors: InvalidArgument; those of reading a tagger.
  absl::StatusOr<std::optional<MixWeights>> Choose(
      size_t layers, const std::string& model) const;

 private:
  absl::StatusOr<MixWeights> ParseWeights(size_t layers) const;

  std::string layers_;
  bool all_ = false;
  std::string mix_of_;
  std::string mix_weights_;
  double gamma_ = 1;
};

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_LM_LAYER_CHOICE_H_
