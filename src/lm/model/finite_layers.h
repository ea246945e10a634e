// Finds values that are not finite in the outputs of a language model.
//
// Finite weights can be so large that sums of their products overflow. Outputs
// are checked piece by piece, right after the layers ran and while the rows are
// still in a cache, so the check takes no measurable time.

#ifndef FIRTH_LM_MODEL_FINITE_LAYERS_H_
#define FIRTH_LM_MODEL_FINITE_LAYERS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "firth/matrix.h"
#include "lm/model/language_model.h"
#include "nn/sequence_layers.h"

namespace firth {

// Returns the first value that is not finite, or 0 if there is none.
float FirstNotFinite(ConstView<float> rows);

// Returns the error for such a value: OutOfRange. `place` names the output.
absl::Status NotFinite(absl::string_view place, float found);

// Checks a piece that one direction's layers have just read and still hold: its
// token vectors (layer 0) and the output of each layer, without the rows beyond
// a sequence's end. `shape` is that of the whole chunk, `first` is the first
// step of the piece, and `tokens` has the token vectors of the piece, [steps *
// batch, any]. Errors: OutOfRange, with the layer.
absl::Status CheckLayers(BiLanguageModel& model, nn::Direction direction,
                         const nn::ChunkShape& shape, size_t first,
                         ConstView<float> tokens);

// Checks scores of words, [rows, words]. Errors: OutOfRange.
absl::Status CheckScores(ConstView<float> scores);

}  // namespace firth

#endif  // FIRTH_LM_MODEL_FINITE_LAYERS_H_
