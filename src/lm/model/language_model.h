// BiLanguageModel: a token encoder under layers that read in both directions
// (or in one), and a head that predicts words (Peters et al., "Deep
// contextualized word representations", 2018, section 3.1). The directions
// share only the token vectors and the head.
//
// The model reads words by their rows in a table of vectors, by their
// characters, or by both. A word without a row gets the mean of its n-grams if
// the table has some, otherwise the row of kUnknown. The two directions predict
// the next word and the previous word.
//
// A model of pieces reads and predicts parts of words, which are called words
// here. Callers cut their text into pieces first (lm/model/model_pieces.h).
//
// A sentence of n words is
//
//   <S> w_1 ... w_n </S>
//
// The forward direction predicts all of it except <S>, the backward direction
// all except </S>.

#ifndef FIRTH_LM_MODEL_LANGUAGE_MODEL_H_
#define FIRTH_LM_MODEL_LANGUAGE_MODEL_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "firth/matrix.h"
#include "firth/vocabulary.h"
#include "firth/word_vectors.h"
#include "lm/model/character_ids.h"
#include "lm/model/language_model_options.h"
#include "lm/model/model_pieces.h"
#include "nn/bidirectional.h"
#include "nn/head.h"
#include "nn/parameter.h"
#include "nn/pooled_scores.h"
#include "nn/token_encoder.h"

namespace firth {

using nn::Direction;

// Data of a model other than its parameters.
struct LanguageModelData {
  Vocabulary words;        // predicted words; empty without a head
  Vocabulary input_words;  // words with a row in the table; empty without one
  // [words.size(), any]: targets of a continuous head, otherwise empty.
  FloatTable output_vectors;
  // Contains no words. Its n-grams, if any, give vectors of embedding_dim.
  WordVectors n_grams;
  // Null unless the model reads pieces of words.
  std::shared_ptr<const TextCutter> cutter;
  // Facts about the training run, for users.
  std::map<std::string, std::string> metadata;
};

// Used by one thread at a time, except that directions may run concurrently.
class BiLanguageModel {
 public:
  // Takes the sizes of vocabularies from `data`, not from `options`. Initial
  // parameters are drawn by the key.
  BiLanguageModel(LanguageModelOptions options, LanguageModelData data,
                  uint64_t key);

  const LanguageModelOptions& options() const { return options_; }
  const LanguageModelData& data() const { return data_; }
  std::map<std::string, std::string>& metadata() { return data_.metadata; }
  nn::TokenEncoder<float>& encoder() { return encoder_; }
  nn::Bidirectional<float>& layers() { return layers_; }
  // Null if the model has no head.
  nn::Head<float>* head() { return head_.get(); }
  // Null unless the model reads pairs. Vector that is added to the tokens of
  // the second segment: [1, input size of the layers].
  nn::Parameter<float>* second_segment() {
    return second_segment_.has_value() ? &*second_segment_ : nullptr;
  }
  // Null if the model does not predict whether sentences follow each other.
  nn::PooledScores<float>* next_sentence() {
    return next_sentence_.has_value() ? &*next_sentence_ : nullptr;
  }
  nn::ParameterList<float> Parameters();

  // Returns the id by which the word is predicted, or kUnknownId.
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

#endif  // FIRTH_LM_MODEL_LANGUAGE_MODEL_H_
