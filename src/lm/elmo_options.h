// The options.json of the original ELMo.

#ifndef FIRTH_LM_ELMO_OPTIONS_H_
#define FIRTH_LM_ELMO_OPTIONS_H_

#include <string>

#include "absl/status/statusor.h"
#include "lm/language_model_options.h"

namespace firth {

struct ElmoOptions {
  nn::TokenEncoderOptions encoder;
  nn::RecurrentLayers stack;
};

// Errors: NotFound, no such file; InvalidArgument with the key that lacks, is
// out of range or asks for what we do not have.
absl::StatusOr<ElmoOptions> ReadElmoOptions(const std::string& path);

}  // namespace firth

#endif  // FIRTH_LM_ELMO_OPTIONS_H_
