// BiLanguageModel: a token encoder under layers that read in both directions
// (or in one), with what they read and what they predict (Peters et al., "Deep
// contextualized word representations", 2018, section 3.1). The directions
// share the token vectors and the head, and nothing else.
//
// It reads words by their rows in a table of vectors, by their characters, or
// by both. A word without a row has the mean of its n-grams where the table
// came with some, else the row of kUnknown. The two directions predict the word
// after and the word before.
//
// A model of pieces reads and predicts parts of words, which are its words
// here: those who ask it cut what it reads first (lm/model_pieces.h).
//
// A sentence of n words is
//
//   <S> w_1 ... w_n </S>
//
// The forward direction predicts all of it but <S>, the backward one all but
// </S>.

#ifndef FIRTH_LM_LANGUAGE_MODEL_H_
#define FIRTH_LM_LANGUAGE_MODEL_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "firth/matrix.h"
#include "firth/vocabulary.h"
#include "firth/word_vectors.h"
#include "lm/character_ids.h"
#include "lm/language_model_options.h"
#include "lm/model_pieces.h"
#include "nn/bidirectional.h"
#include "nn/head.h"
#include "nn/parameter.h"
#include "nn/pooled_scores.h"
#include "nn/token_encoder.h"

namespace firth {

using nn::Direction;

// What a model knows besides its parameters.
struct LanguageModelData {
  Vocabulary words;        // that are predicted; empty without a head
  Vocabulary input_words;  // with a row in the table; empty without one
  // [words.size(), any]: what a continuous head predicts; else empty.
  FloatTable output_vectors;
  // No words, but n-grams that make vectors of embedding_dim, or none.
  WordVectors n_grams;
  // Null unless its words are pieces of those that texts have.
  std::shared_ptr<const TextCutter> cutter;
  // Of the training, for people.
  std::map<std::string, std::string> metadata;
};

// Used by one thread at a time, but for its directions, which may run at once.
class BiLanguageModel {
 public:
  // Sizes of vocabularies in `options` are set from `data`. Parameters are
  // drawn by the key.
  BiLanguageModel(LanguageModelOptions options, LanguageModelData data,
                  uint64_t key);

  const LanguageModelOptions& options() const { return options_; }
  const LanguageModelData& data() const { return data_; }
  std::map<std::string, std::string>& metadata() { return data_.metadata; }
  nn::TokenEncoder<float>& encoder() { return encoder_; }
  nn::Bidirectional<float>& layers() { return layers_; }
  // Null if it has none.
  nn::Head<float>* head() { return head_.get(); }
  // Null unless it reads pairs. What the second segment has above the first
  // one: [1, what the layers read].
  nn::Parameter<float>* second_segment() {
    return second_segment_.has_value() ? &*second_segment_ : nullptr;
  }
  // Null if it has none.
  nn::PooledScores<float>* next_sentence() {
    return next_sentence_.has_value() ? &*next_sentence_ : nullptr;
  }
  nn::ParameterList<float> Parameters();

  // What is predicted where this word stands: its number, or kUnknownId.
  uint32_t TargetOf(absl::string_view word) const;

 private:
  LanguageModelOptions options_;
  LanguageModelData data_;
  nn::TokenEncoder<float> encoder_;
  nn::Bidirectional<float> layers_;
  std::unique_ptr<nn::Head<float>> head_;
  std::optional<nn::Parameter<float>> second_segment_;
  std::optional<nn::PooledScores<float>> next_sentence_;
};

}  // namespace firth

#endif  // FIRTH_LM_LANGUAGE_MODEL_H_
