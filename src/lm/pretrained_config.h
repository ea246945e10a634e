// The config.json of a model that the libraries of Hugging Face saved: what of
// BERT's and GPT-2's we hold, as options of ours.

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
  // positions are learnt, as many as context says; transform_top is not set.
  nn::TransformerLayers layers;
  size_t vocab_size = 0;  // rows of the table
  size_t segments = 0;    // of BERT
  bool tied = true;       // what words are read by scores them, too
};

// Errors: NotFound; InvalidArgument, with the key that lacks, is out of range
// or asks for what we do not have.
absl::StatusOr<PretrainedConfig> ReadPretrainedConfig(const std::string& path);

// The tokenizer_config.json beside it, which says how words are cut, with what
// the libraries take where it or the file lacks. Errors: InvalidArgument, with
// the key.
struct PretrainedCutting {
  bool lowercase = true;
  bool strip_accents = true;  // as `lowercase` unless told otherwise
  bool part_ideographs = true;
  bool space_first = false;
};
absl::StatusOr<PretrainedCutting> ReadPretrainedCutting(
    const std::string& path);

}  // namespace firth

#endif  // FIRTH_LM_PRETRAINED_CONFIG_H_
