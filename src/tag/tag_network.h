// The network of a tagger. For each token,
//
//   x = [(static vector - m) / d ; b mix of contextual layers ; spelling]
//   h = BiLSTM(dropout(x)), or dropout(x) without one: a linear probe
//   h = [h ; dropout(b second mix)]                      by option
//   scores = h W + b, under a softmax or a CRF
//
// where parts of x may lack, the mix also where there is the second one, and m,
// d (by dimension) and b are set once, so that numbers are about 1 whatever the
// vectors. The spelling is a vector of the token's casing and what a network
// makes of its characters, both learnt. (Peters et al. 2018, section 3.3: the
// mix at the input and at the output of the task's network.)

#ifndef FIRTH_TAG_TAG_NETWORK_H_
#define FIRTH_TAG_TAG_NETWORK_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "lm/scalar_mix.h"
#include "nn/bidirectional.h"
#include "nn/crf.h"
#include "nn/dropout.h"
#include "nn/linear.h"
#include "nn/token_encoder.h"

namespace firth {

struct TagNetworkOptions {
  size_t static_dim = 0;      // 0: no static vectors
  size_t contextual_dim = 0;  // 0: no contextual ones
  // The table is of casings, with kNumCasings rows.
  nn::TokenEncoderOptions spelling = {};
  ScalarMixOptions mix = {};  // of both mixes
  bool mix_at_input = true;
  bool mix_at_output = false;
  size_t lstm_layers = 0;  // 0: no BiLSTM
  size_t units = 0;        // a direction
  double dropout = 0;
  size_t num_tags = 0;
  bool crf = false;
  int threads = 2;  // 1, or one a direction

  bool has_spelling() const { return spelling.output_dim() > 0; }
  // Of the mix that the BiLSTM reads.
  size_t input_mix_dim() const { return mix_at_input ? contextual_dim : 0; }
  size_t input_dim() const {
    return static_dim + input_mix_dim() + spelling.output_dim();
  }
};

// What a batch of sentences is made of, packed: a row a token, a sentence
// after another.
template <class T>
struct TokenFeatures {
  std::vector<size_t> lengths;    // of the sentences, all above 0
  Matrix<T> words;                // [tokens, static_dim]
  std::vector<Matrix<T>> layers;  // of [tokens, contextual_dim]
  // Each different token once: its casing, and its characters, [different,
  // max_characters]; and which of them each token is, [tokens].
  std::vector<uint32_t> casings;
  std::vector<uint16_t> characters;
  std::vector<uint32_t> spelled_as;

  size_t tokens() const;
};

template <class T>
class TagNetwork {
 public:
  TagNetwork(const TagNetworkOptions& options, uint64_t key);

  const TagNetworkOptions& options() const { return options_; }
  void AppendParameters(nn::ParameterList<T>* list);
  // m and 1 / d, [2, static_dim], and b; 0, 1 and 1 at first, not learnt.
  Matrix<T>& word_scales() { return word_scales_.value; }
  T layer_scale() const { return layer_scale_.value.data()[0]; }
  void set_layer_scale(T scale) { layer_scale_.value.Fill(scale); }
  // Null where there is none.
  ScalarMix<T>* input_mix() {
    return input_mix_.has_value() ? &*input_mix_ : nullptr;
  }
  ScalarMix<T>* output_mix() {
    return output_mix_.has_value() ? &*output_mix_ : nullptr;
  }

  // The loss in nats, mean over the tokens, with the mixes' penalty; its
  // gradients are added to the parameters'. tags: [tokens]. With a key, dropout
  // is at work. d_layers, if it is not null, gets the gradients by the
  // contextual layers, [tokens, contextual_dim] each.
  double Train(const TokenFeatures<T>& features,
               absl::Span<const uint32_t> tags, nn::DropoutKey key,
               std::vector<Matrix<T>>* d_layers = nullptr);

  // The best tag of each token.
  std::vector<uint32_t> Decode(const TokenFeatures<T>& features);
  // After Decode(). Errors: OutOfRange, an input, hidden value or score that is
  // not finite.
  absl::Status CheckFinite() const;
  // After Decode(), of sentences of the same lengths: the probability that each
  // token has this tag, by the softmax or over all sequences of the CRF.
  std::vector<double> Probabilities(const std::vector<size_t>& lengths,
                                    absl::Span<const uint32_t> tags);

 private:
  bool has_lstm() const { return options_.lstm_layers > 0; }
  size_t hidden_dim() const {
    return has_lstm() ? 2 * options_.units : options_.input_dim();
  }
  // The columns of input_ or its gradient that are of the spelling.
  View<T> SpellingOf(View<T> input) const {
    return input.Cols(options_.input_dim() - options_.spelling.output_dim(),
                      options_.spelling.output_dim());
  }
  void SpellingForward(const TokenFeatures<T>& features);
  void SpellingBackward(const TokenFeatures<T>& features, ConstView<T> d_rows);
  // Fills scores_.
  void Forward(const TokenFeatures<T>& features, nn::DropoutKey key);
  // From the gradient by scores_.
  void Backward(const TokenFeatures<T>& features,
                std::vector<Matrix<T>>* d_layers);
  // Through the mixes, given the gradients by what they gave.
  void MixesBackward(View<T> d_in, View<T> d_out,
                     std::vector<Matrix<T>>* d_layers);
  double Loss(const std::vector<size_t>& lengths,
              absl::Span<const uint32_t> tags);

  TagNetworkOptions options_;
  nn::Parameter<T> word_scales_;
  nn::Parameter<T> layer_scale_;
  std::optional<nn::TokenEncoder<T>> spelling_;
  std::optional<ScalarMix<T>> input_mix_;
  std::optional<ScalarMix<T>> output_mix_;
  std::optional<nn::Bidirectional<T>> lstm_;
  nn::Dropout<T> input_dropout_;   // without a BiLSTM
  nn::Dropout<T> output_dropout_;  // of the second mix
  std::unique_ptr<nn::Linear<T>> linear_;
  std::optional<nn::Crf<T>> crf_;

  Matrix<T> input_;      // [tokens, input_dim]
  Matrix<T> d_spelled_;  // [different tokens, spelling]
  Matrix<T> joined_;     // [tokens, what the linear layer reads]
  Matrix<T> scores_;     // [tokens, num_tags]
  Matrix<T> d_scores_;   // [tokens, num_tags]
  Matrix<T> d_joined_;
  Matrix<T> d_input_;
  std::vector<Matrix<T>> d_second_;  // by the layers, of the second mix
};

}  // namespace firth

#endif  // FIRTH_TAG_TAG_NETWORK_H_
