// The network of a tagger. For each token,
//
//   x = [(static vector - m) / d ; b mix of contextual layers ; spelling]
//   h = BiLSTM(dropout(x)), or dropout(x) without one: a linear probe
//   h = [h ; dropout(b second mix)]                      optional
//   scores = h W + b, under a softmax or a CRF
//
// where each part of x is optional, including the mix if there is a second one.
// m and d (by dimension) and b are set once, so that values are about 1 for any
// vectors. The spelling is a vector for the token's casing and the output of a
// network over its characters, both trained. (Peters et al. 2018, section 3.3:
// the mix at the input and at the output of the task's network.)

#ifndef FIRTH_TAG_TAG_NETWORK_H_
#define FIRTH_TAG_TAG_NETWORK_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "lm/read/scalar_mix.h"
#include "nn/bidirectional.h"
#include "nn/crf.h"
#include "nn/row_layers.h"
#include "nn/token_encoder.h"

namespace firth {

struct TagNetworkOptions {
  size_t static_dim = 0;      // 0 means none
  size_t contextual_dim = 0;  // 0 means none
  // The table contains casings, in kNumCasings rows.
  nn::TokenEncoderOptions spelling = {};
  ScalarMixOptions mix = {};  // for both mixes
  bool mix_at_input = true;
  bool mix_at_output = false;
  size_t lstm_layers = 0;  // 0 means no BiLSTM
  size_t units = 0;        // per direction
  double dropout = 0;
  size_t num_tags = 0;
  bool crf = false;
  int threads = 2;  // 1, or one per direction

  static FieldTable Fields();  // those that model files contain
  bool has_spelling() const { return spelling.output_dim() > 0; }
  // Returns the size of the mix that the BiLSTM reads.
  size_t input_mix_dim() const { return mix_at_input ? contextual_dim : 0; }
  size_t input_dim() const {
    return static_dim + input_mix_dim() + spelling.output_dim();
  }
};

// The input for a batch of sentences, packed: one row per token, one sentence
// after another.
template <class T>
struct TokenFeatures {
  std::vector<size_t> lengths;    // of sentences, all above 0
  Matrix<T> words;                // [tokens, static_dim]
  std::vector<Matrix<T>> layers;  // [tokens, contextual_dim] each
  // Each distinct token once: its casing and its characters, [distinct,
  // max_characters]; and the index of each token among these, [tokens].
  std::vector<uint32_t> casings;
  std::vector<uint16_t> characters;
  std::vector<uint32_t> spelled_as;

  size_t tokens() const {
    return std::accumulate(lengths.begin(), lengths.end(), size_t{0});
  }
};

template <class T>
class TagNetwork {
 public:
  TagNetwork(const TagNetworkOptions& options, uint64_t key);

  const TagNetworkOptions& options() const { return options_; }
  void AppendParameters(nn::ParameterList<T>* list);
  // m and 1 / d, [2, static_dim], and b; initially 0, 1 and 1, and not trained.
  Matrix<T>& word_scales() { return word_scales_.value; }
  T layer_scale() const { return layer_scale_.value.data()[0]; }
  void set_layer_scale(T scale) { layer_scale_.value.Fill(scale); }
  // These are null if there is no such mix.
  ScalarMix<T>* input_mix() {
    return input_mix_.has_value() ? &*input_mix_ : nullptr;
  }
  ScalarMix<T>* output_mix() {
    return output_mix_.has_value() ? &*output_mix_ : nullptr;
  }

  // Returns the loss in nats, a mean over tokens, with the penalty of the
  // mixes. Adds its gradients to those of the parameters. `tags` is [tokens].
  // Dropout is applied if a key is given. Sets d_layers, if it is not null, to
  // the gradients of the contextual layers, [tokens, contextual_dim] each.
  double Train(const TokenFeatures<T>& features,
               absl::Span<const uint32_t> tags, nn::DropoutKey key,
               std::vector<Matrix<T>>* d_layers = nullptr);

  // Returns the best tag of each token.
  std::vector<uint32_t> Decode(const TokenFeatures<T>& features);
  // Checks the last Decode(). Errors: OutOfRange, an input, hidden value or
  // score that is not finite.
  absl::Status CheckFinite() const;
  // Returns the probability that each token has its tag, by the softmax or over
  // all sequences of the CRF. Must follow Decode() of sentences of these
  // lengths.
  std::vector<double> Probabilities(const std::vector<size_t>& lengths,
                                    absl::Span<const uint32_t> tags);

 private:
  bool has_lstm() const { return options_.lstm_layers > 0; }
  size_t hidden_dim() const {
    return has_lstm() ? 2 * options_.units : options_.input_dim();
  }
  // Returns the columns of input_ or its gradient that contain the spelling.
  View<T> SpellingOf(View<T> input) const {
    return input.Cols(options_.input_dim() - options_.spelling.output_dim(),
                      options_.spelling.output_dim());
  }
  void SpellingForward(const TokenFeatures<T>& features);
  void SpellingBackward(const TokenFeatures<T>& features, ConstView<T> d_rows);
  // Sets scores_.
  void Forward(const TokenFeatures<T>& features, nn::DropoutKey key);
  // Backward pass from d_scores_.
  void Backward(const TokenFeatures<T>& features,
                std::vector<Matrix<T>>* d_layers);
  // Backward pass of the mixes, given the gradients of their outputs.
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
  nn::Dropout<T> output_dropout_;  // for the second mix
  std::unique_ptr<nn::Linear<T>> linear_;
  std::optional<nn::Crf<T>> crf_;

  Matrix<T> input_;      // [tokens, input_dim]
  Matrix<T> d_spelled_;  // [distinct tokens, spelling]
  Matrix<T> joined_;     // [tokens, input of linear_]
  Matrix<T> scores_;     // [tokens, num_tags]
  Matrix<T> d_scores_;   // [tokens, num_tags]
  Matrix<T> d_joined_;
  Matrix<T> d_input_;
  std::vector<Matrix<T>> d_second_;  // gradients of the second mix, by layer
};

}  // namespace firth

#endif  // FIRTH_TAG_TAG_NETWORK_H_
