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

// Errors: NotFound, no such file; InvalidArgument, with the key, if it is
// missing, out of range or requires a feature that is not supported.
absl::StatusOr<ElmoOptions> ReadElmoOptions(const std::string& path);

}  // namespace firth

#endif  // FIRTH_LM_ELMO_OPTIONS_H_
