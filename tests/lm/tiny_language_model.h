// A small model with random parameters, which depend on a key.

#ifndef FIRTH_TESTS_LM_TINY_LANGUAGE_MODEL_H_
#define FIRTH_TESTS_LM_TINY_LANGUAGE_MODEL_H_

#include <memory>
#include <vector>

#include "lm/model/character_ids.h"
#include "lm/model/language_model.h"

namespace firth {

enum class TinyInput { kTable, kCharacters, kBoth };

inline LanguageModelOptions TinyOptions(TinyInput input) {
  LanguageModelOptions options;
  nn::TokenEncoderOptions& encoder = options.encoder;
  if (input != TinyInput::kCharacters) encoder.embedding_dim = 6;
  if (input != TinyInput::kTable) {
    encoder.char_cnn.num_characters = kNumCharacters;
    encoder.char_cnn.padding = kPaddingCharacter;
    encoder.char_cnn.max_characters = 12;
    encoder.char_cnn.embedding_dim = 3;
    encoder.char_cnn.filters = {{1, 4}, {2, 5}};
    encoder.highways = 1;
    encoder.projection_dim = 6;
  }
  nn::RecurrentLayers stack;
  stack.recurrent.units = 8;
  stack.recurrent.projection_dim = 6;
  stack.layers = 2;
  stack.residual = true;
  stack.dropout = 0.1;
  options.layers = stack;
  options.head = HeadKind::kSampled;
  options.samples = 4;
  return options;
}

inline LanguageModelData TinyData() {
  const std::vector<absl::string_view> words = {
      kBeginSentence, kEndSentence, kUnknown, "the", "cat", "sat", "on"};
  LanguageModelData data;
  data.words = *Vocabulary::Create(words, {9, 9, 8, 7, 5, 3, 2});
  data.input_words = data.words;
  return data;
}

inline std::unique_ptr<BiLanguageModel> TinyModel(TinyInput input,
                                                  uint64_t key = 7) {
  LanguageModelData data = TinyData();
  if (input == TinyInput::kCharacters) data.input_words = Vocabulary();
  return std::make_unique<BiLanguageModel>(TinyOptions(input), data, key);
}

}  // namespace firth

#endif  // FIRTH_TESTS_LM_TINY_LANGUAGE_MODEL_H_
