// What a language model is like, and the JSON that its file says it in:
//
//   {"encoder": {"table_dim", "frozen", "char_cnn": {as in ELMo's options},
//                "highways", "projection_dim"},
//    "stack": {"cell", "units", "projection_dim", "cell_clip",
//              "projection_clip", "layers", "residual", "dropout"}, or the
//      section of another kind of layers (nn/layers.h),
//    "reads": "forward" or "backward", if not in both directions,
//    "marks": all of them, if there are more than every model has,
//    "predict": "masked", if it is not the next word,
//    "pieces": how words are cut into them (lm/model_pieces.h), if they are,
//    "pairs": true, if it reads two sentences together; "next_sentence": true,
//      if it tells whether the second follows,
//    "head": "none", "softmax", ..., "samples",
//    "tied": true, if the head's rows are those of the table,
//    "output": {"char_cnn", "correction_dim"}, of CNN-softmax alone}

#ifndef FIRTH_LM_LANGUAGE_MODEL_OPTIONS_H_
#define FIRTH_LM_LANGUAGE_MODEL_OPTIONS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "firth/network_kinds.h"
#include "lm/character_ids.h"
#include "lm/json_section.h"
#include "lm/model_pieces.h"
#include "nlohmann/json.hpp"
#include "nn/bidirectional.h"
#include "nn/char_cnn.h"
#include "nn/token_encoder.h"

namespace firth {

constexpr absl::string_view kUnknown = "<UNK>";

// The marks that every model has, and their numbers.
constexpr std::array<absl::string_view, 3> kMarks = {kBeginSentence,
                                                     kEndSentence, kUnknown};
constexpr uint32_t kBeginSentenceId = 0;
constexpr uint32_t kEndSentenceId = 1;
constexpr uint32_t kUnknownId = 2;

struct LanguageModelOptions {
  nn::TokenEncoderOptions encoder;
  nn::LayersOptions layers;  // of each direction
  Reading reading = Reading::kBoth;
  // What the vocabularies of the model begin with: kMarks, and behind them what
  // its kind has besides, such as one for a word that is hidden.
  std::vector<std::string> marks = {kMarks.begin(), kMarks.end()};
  PieceOptions pieces = {};
  Prediction predict = Prediction::kNext;
  // Whether it reads two sentences together (lm/sentence_pairs.h), and also
  // tells whether the second follows the first. Of layers that see both sides.
  bool pairs = false;
  bool next_sentence = false;
  HeadKind head = HeadKind::kNone;
  // Words are scored by the rows that they are read by, which are as long as
  // what scores them; what is predicted and what is read are the same words.
  bool tied = false;
  size_t samples = 0;          // noise words a chunk; of kSampled and kNce
  double label_smoothing = 0;  // of kSoftmax, while it trains
  size_t vocab_size = 0;       // words that are predicted
  // What makes the rows of kSoftmax and kSampled; without filters: a table.
  nn::CharCnnOptions output_cnn = {};
  size_t correction_dim = 0;
};

// Of a word that is hidden; a mark of masked models.
constexpr absl::string_view kMask = "<MASK>";

inline bool IsMasked(const LanguageModelOptions& options) {
  return options.predict == Prediction::kMasked;
}
// Where kMask is among the marks of a masked model.
uint32_t MaskId(const LanguageModelOptions& options);

inline size_t NumDirections(const LanguageModelOptions& options) {
  return nn::DirectionsOf(options.reading).size();
}

// Of the vectors that words are predicted by: those of one direction or, where
// a word is hidden, of all of them side by side.
inline size_t HeadDim(const LanguageModelOptions& options) {
  return (IsMasked(options) ? NumDirections(options) : 1) *
         nn::OutputDim(options.layers);
}

std::string ToJson(const LanguageModelOptions& options);

// place: for messages. The sizes of vocabularies, which are not told, are left
// at 0.
// Errors: InvalidArgument, with the key.
absl::StatusOr<LanguageModelOptions> ParseLanguageModelOptions(
    const std::string& text, const std::string& place);

// The section "char_cnn" of ELMo's options, which ours has, too.
nlohmann::ordered_json CharCnnJson(const nn::CharCnnOptions& cnn);
absl::StatusOr<nn::CharCnnOptions> ReadCharCnn(const JsonSection& section);

// About the bytes of all parameters, not more; 2^64 - 1: more than that.
uint64_t ParameterBytes(const LanguageModelOptions& options);

}  // namespace firth

#endif  // FIRTH_LM_LANGUAGE_MODEL_OPTIONS_H_
