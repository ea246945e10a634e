// The options of a language model, and the JSON form in which its file stores
// them:
//
//   {"encoder": {"table_dim", "frozen", "char_cnn": {as in ELMo's options},
//                "highways", "projection_dim"},
//    "stack": {"cell", "units", "projection_dim", "cell_clip",
//              "projection_clip", "layers", "residual", "dropout"}, or the
//      section of another kind of layers (nn/layers.h),
//    "reads": "forward" or "backward", unless both directions are read,
//    "marks": all of them, if there are more than every model has,
//    "predict": "masked", unless the next word is predicted,
//    "without_begin": true, if sentences begin without <S>,
//    "pieces": how words are cut (lm/model/model_pieces.h), if they are,
//    "pairs": true, if it reads two sentences together; "next_sentence": true,
//      if it predicts whether the second follows the first,
//    "head": "none", "softmax", ..., "samples",
//    "tied": true, if the head's rows are those of the table,
//    "output": {"char_cnn", "correction_dim"}, only for CNN-softmax}

#ifndef FIRTH_LM_MODEL_LANGUAGE_MODEL_OPTIONS_H_
#define FIRTH_LM_MODEL_LANGUAGE_MODEL_OPTIONS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "firth/network_kinds.h"
#include "lm/model/character_ids.h"
#include "lm/model/json_section.h"
#include "lm/model/model_pieces.h"
#include "nlohmann/json.hpp"
#include "nn/bidirectional.h"
#include "nn/char_cnn.h"
#include "nn/token_encoder.h"

namespace firth {

constexpr absl::string_view kUnknown = "<UNK>";

// The marks that every model has, and their ids.
constexpr std::array<absl::string_view, 3> kMarks = {kBeginSentence,
                                                     kEndSentence, kUnknown};
constexpr uint32_t kBeginSentenceId = 0;
constexpr uint32_t kEndSentenceId = 1;
constexpr uint32_t kUnknownId = 2;

struct LanguageModelOptions {
  nn::TokenEncoderOptions encoder;
  nn::LayersOptions layers;  // of each direction
  Reading reading = Reading::kBoth;
  // First words of the model's vocabularies: kMarks, followed by additional
  // marks of its kind, such as one for a hidden word.
  std::vector<std::string> marks = {kMarks.begin(), kMarks.end()};
  // Whether <S> precedes the words of a sentence.
  bool begin_mark = true;
  PieceOptions pieces = {};
  Prediction predict = Prediction::kNext;
  // Whether the model reads two sentences together (ScorePairs() in
  // lm/read/network_model.h), and whether it also predicts that the second
  // follows the first. These require layers that see both sides.
  bool pairs = false;
  bool next_sentence = false;
  HeadKind head = HeadKind::kNone;
  // Whether words are scored by the rows by which they are read. The rows then
  // have the size that the head reads, and predicted words are input words.
  bool tied = false;
  size_t samples = 0;          // noise words per chunk, for kSampled and kNce
  double label_smoothing = 0;  // for kSoftmax, in training
  size_t vocab_size = 0;       // number of predicted words
  // Network for the rows of kSoftmax and kSampled; a table if without filters.
  nn::CharCnnOptions output_cnn = {};
  size_t correction_dim = 0;
};

// The mark for a hidden word in masked models.
constexpr absl::string_view kMask = "<MASK>";

inline bool IsMasked(const LanguageModelOptions& options) {
  return options.predict == Prediction::kMasked;
}
// Returns the position of kMask among the marks of a masked model.
uint32_t MaskId(const LanguageModelOptions& options);

// Returns the step at which a sentence has its first word.
inline size_t FirstStep(const LanguageModelOptions& options) {
  return options.begin_mark ? 1 : 0;
}

inline size_t NumDirections(const LanguageModelOptions& options) {
  return nn::DirectionsOf(options.reading).size();
}

// Returns the size of the vectors that predict words: those of one direction
// or, in masked models, those of all directions side by side.
inline size_t HeadDim(const LanguageModelOptions& options) {
  return (IsMasked(options) ? NumDirections(options) : 1) *
         nn::OutputDim(options.layers);
}

std::string ToJson(const LanguageModelOptions& options);

// Parses the JSON form. `place` is used in messages. The sizes of vocabularies
// are not in the JSON and are left at 0. Errors: InvalidArgument, with the key.
absl::StatusOr<LanguageModelOptions> ParseLanguageModelOptions(
    const std::string& text, const std::string& place);

// Write and read the section "char_cnn", as in ELMo's options.
nlohmann::ordered_json CharCnnJson(const nn::CharCnnOptions& cnn);
absl::StatusOr<nn::CharCnnOptions> ReadCharCnn(const JsonSection& section);

// Returns a close lower bound of the bytes of all parameters, at most 2^64 - 1.
uint64_t ParameterBytes(const LanguageModelOptions& options);

}  // namespace firth

#endif  // FIRTH_LM_MODEL_LANGUAGE_MODEL_OPTIONS_H_
