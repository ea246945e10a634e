// Reads the weights of the original ELMo (bilm-tf's options.json and HDF5).
//
//   char_embed                     [261, embedding]
//   CNN/W_cnn_<i>, CNN/b_cnn_<i>   [1, width, embedding, count], [count]
//   CNN_high_<i>/{W,b}_{carry,transform}  [F, F], [F]
//   CNN_proj/W_proj, b_proj        [F, projection], [projection]
//   RNN_<0|1>/RNN/MultiRNNCell/Cell<l>/LSTMCell/W_0  [in + projection, 4 units]
//                                               B    [4 units]
//                                               W_P_0  [units, projection]
//
// W_0 begins with the rows of the input. Its gates are in the order of Firth. B
// lacks the forget bias of 1, which bilm-tf adds at run time.

#ifndef FIRTH_LM_IMPORT_ELMO_IMPORT_H_
#define FIRTH_LM_IMPORT_ELMO_IMPORT_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "lm/model/language_model.h"
#include "lm/model/language_model_options.h"

namespace firth {

// The options.json of the original ELMo.

struct ElmoOptions {
  nn::TokenEncoderOptions encoder;
  nn::RecurrentLayers stack;
};

// Errors: NotFound, no such file; InvalidArgument, with the key, if it is
// missing, out of range or requires a feature that is not supported.
absl::StatusOr<ElmoOptions> ReadElmoOptions(const std::string& path);

// Reads a model, which must have a character CNN. Errors: NotFound, no such
// file; InvalidArgument, an option that is not supported, with its name;
// DataLoss, weights that do not match the options.
absl::StatusOr<std::unique_ptr<BiLanguageModel>> ReadElmo(
    const std::string& options_path, const std::string& weights_path);

}  // namespace firth

#endif  // FIRTH_LM_IMPORT_ELMO_IMPORT_H_
