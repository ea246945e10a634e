// The network of a sequence-to-sequence model:
//
//   m = encoder(source table[words])        with the end of the text
//   h = decoder(target table[<S>, words], m)
//   p(next word) = softmax(h W^T + b)

#ifndef FIRTH_SEQ2SEQ_SEQ2SEQ_NETWORK_H_
#define FIRTH_SEQ2SEQ_SEQ2SEQ_NETWORK_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "firth/seq2seq.h"
#include "nn/decoder.h"
#include "nn/encoder.h"
#include "nn/head.h"
#include "nn/matrix.h"
#include "nn/parameter.h"

namespace firth {

// Returns the layers of each direction of the encoder, and its directions.
nn::LayersOptions EncoderLayers(const Seq2SeqShape& shape, double dropout);
Reading EncoderReading(const Seq2SeqShape& shape);

// Sizes of a network that depend on its vocabularies and their vectors.
struct Seq2SeqSizes {
  size_t source_words = 0;
  size_t target_words = 0;
  size_t source_dim = 0;
  size_t target_dim = 0;
};

// Returns a lower bound, close to the value, of the bytes of all parameters.
uint64_t ParameterBytes(const Seq2SeqShape& shape, const Seq2SeqSizes& sizes);

// Pairs of texts as ids of words, each side packed: one text after another.
struct PairBatch {
  std::vector<uint32_t> source;
  std::vector<size_t> source_lengths;
  std::vector<uint32_t> target;  // With the end of each text.
  std::vector<size_t> target_lengths;

  // Adds a pair, neither side of which is empty. The target may be null.
  void Add(absl::Span<const uint32_t> source_ids,
           absl::Span<const uint32_t> target_ids);
};

class Seq2SeqNetwork {
 public:
  // Dropout and label smoothing only matter in training.
  Seq2SeqNetwork(const Seq2SeqShape& shape, const Seq2SeqSizes& sizes,
                 double dropout, double label_smoothing, uint64_t key);

  void AppendParameters(nn::ParameterList<float>* list);
  nn::Encoder<float>& encoder() { return encoder_; }
  Matrix<float>& source_table() { return source_table_.value; }
  Matrix<float>& target_table() { return target_table_.value; }

  // Returns the mean loss per target token in nats, with label smoothing, and
  // adds its gradients to those of the parameters.
  double Train(const PairBatch& batch, uint64_t key, int threads);
  // Returns the sums over the tokens of each target of -ln p.
  std::vector<double> Losses(const PairBatch& batch, int threads);

  // For reading and writing, while no parameter changes. Encodes the sources of
  // a batch; the result is valid until the next call.
  // `key` is that of dropout.
  nn::EncodedTexts<float> Encode(const PairBatch& batch, int threads,
                                 nn::DropoutKey key = {});
  nn::Decoder<float>& decoder() { return *decoder_; }
  const nn::Decoder<float>& decoder() const { return *decoder_; }
  // Sets rows, [words, target_dim], to what the decoder reads for these words.
  void TargetRows(absl::Span<const uint32_t> words, Matrix<float>* rows) const;
  // Declares that no parameter will change any more. Must precede Scores().
  void ParametersStay();
  // Sets scores, [rows, target_words], to logits of the next word.
  void Scores(ConstView<float> hidden, View<float> scores) const {
    head_->Scores(hidden, scores);
  }
  size_t target_words() const { return target_table_.value.rows(); }

 private:
  ConstView<float> Forward(const PairBatch& batch, nn::DropoutKey key,
                           int threads);
  void Backward(const PairBatch& batch, ConstView<float> d_top, int threads);
  // Returns the row of the chunk with token t of target b.
  static size_t RowOf(const PairBatch& batch, size_t b, size_t t) {
    return t * batch.target_lengths.size() + b;
  }

  nn::Parameter<float> source_table_;  // [source_words, source_dim]
  nn::Parameter<float> target_table_;  // [target_words, target_dim]
  nn::Encoder<float> encoder_;
  std::unique_ptr<nn::Decoder<float>> decoder_;
  std::unique_ptr<nn::Head<float>> head_;

  Matrix<float> source_rows_;  // [tokens, source_dim]
  Matrix<float> target_rows_;  // [steps * batch, target_dim]
  nn::EncodedTexts<float> encoded_;
  nn::Targets targets_;
  nn::HeadWork<float> work_;
  Matrix<float> d_source_rows_;
  Matrix<float> d_target_rows_;
  Matrix<float> d_encoded_;
};

}  // namespace firth

#endif  // FIRTH_SEQ2SEQ_SEQ2SEQ_NETWORK_H_
