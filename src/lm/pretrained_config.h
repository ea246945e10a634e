// The config.json of a model that the libraries of Hugging Face saved,
// converted to the options of Firth. BERT and GPT-2 are supported.

#ifndef FIRTH_LM_PRETRAINED_CONFIG_H_
#define FIRTH_LM_PRETRAINED_CONFIG_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "nn/transformer.h"

namespace firth {

struct PretrainedConfig {
  enum class Kind { kBert, kGpt2 };

  Kind kind = Kind::kBert;
  // Positions are learned, as many as `context`. transform_top is not set.
  nn::TransformerLayers layers;
  size_t vocab_size = 0;  // rows of the table
  size_t segments = 0;    // for BERT
  bool tied = true;       // whether words are scored by their input vectors
};

// Errors: NotFound; InvalidArgument, with the key, if it is missing, out of
// range or requires a feature that is not supported.
absl::StatusOr<PretrainedConfig> ReadPretrainedConfig(const std::string& path);

// How words are cut, read from the tokenizer_config.json in the same folder. If
// a key or the file is missing, the defaults of the libraries apply. Errors:
// InvalidArgument, with the key.
struct PretrainedCutting {
  bool lowercase = true;
  bool strip_accents = true;  // equals `lowercase` by default
  bool part_ideographs = true;
  bool space_first = false;
};
absl::StatusOr<PretrainedCutting> ReadPretrainedCutting(
    const std::string& path);

}  // namespace firth

#endif  // FIRTH_LM_PRETRAINED_CONFIG_H_
