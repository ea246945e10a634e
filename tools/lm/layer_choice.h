// --layers, the layers of a language model that form the vector of a token.

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
  // `layers` is the default.
  explicit LayerChoice(std::string layers) : layers_(std::move(layers)) {}

  // Declares --layers and the options of its mixes. `all` allows the value
  // "all", which keeps the layers separate.
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
