// ContextTuner: trains the weights of a contextualizer for a task, using the
// gradients with respect to its vectors. At the start, these gradients come
// from a task model that is not trained yet, and large steps would destroy
// pretrained weights. The rate of Adam therefore rises over the first tenth of
// all steps before it falls to 0 (Devlin et al. 2019, section A.2).

#ifndef FIRTH_LM_LEARN_CONTEXT_TUNER_H_
#define FIRTH_LM_LEARN_CONTEXT_TUNER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/mapped_file.h"
#include "firth/contextualizer.h"
#include "lm/model/language_model.h"
#include "lm/model/text_words.h"
#include "lm/read/sentence_batch.h"
#include "nn/bidirectional.h"
#include "nn/matrix.h"
#include "nn/optimizer.h"
#include "nn/row_layers.h"
#include "nn/schedule.h"
#include "nn/token_encoder.h"
#include "run/learner.h"

namespace firth {

// All layers of a contextualizer over some sentences, and the backward pass
// through the whole network. It is used when a task trains the contextualizer
// as well, and not only the network that reads its output (fine-tuning: Devlin
// et al., "BERT: pre-training of deep bidirectional transformers for language
// understanding", 2019, section 3.2).
//
//   layer 0   the token vectors, twice, or once followed by zeros
//   layer j   the output of layer j of all directions, side by side
//
// as in Contextualizer::Embed(). If the network reads pieces, a token's vector
// is the mean of the vectors of its pieces.

// Sentences in the form that the network reads, and the rows of their tokens.
// Borrows the spans.
struct TunedBatch {
  nn::TokenBatch words;  // distinct words
  // Index in `words` of each row of the chunk, time-major.
  absl::Span<const uint32_t> word_of_row;
  std::vector<size_t> lengths;  // of the chunk's sequences
  // Token t is the mean of the chunk's rows[first[t]] up to rows[first[t + 1]].
  std::vector<uint32_t> rows;
  std::vector<size_t> first = {0};
  // Rows of the chunk in the second segment, if the network reads pairs.
  absl::Span<const uint32_t> second_rows = {};

  size_t tokens() const { return first.size() - 1; }
  nn::ChunkShape shape() const {
    return {word_of_row.size() / lengths.size(), lengths.size(), lengths};
  }
};

template <class T>
class TunedLayers {
 public:
  // `threads` is 1 or the number of directions. Borrows the network;
  // second_segment is null unless it reads pairs.
  TunedLayers(nn::TokenEncoder<T>& encoder, nn::Bidirectional<T>& layers,
              int threads, nn::Parameter<T>* second_segment = nullptr)
      : encoder_(encoder),
        layers_(layers),
        threads_(threads),
        second_segment_(second_segment) {}

  // Sets the tokens' vectors in all layers, [tokens, dim] each. Dropout is
  // applied if a key is given.
  void Forward(const TunedBatch& batch, nn::DropoutKey key,
               std::vector<Matrix<T>>* vectors);
  // Adds to the gradients of the network's parameters, given the gradients with
  // respect to the vectors. Must follow Forward() with the same batch.
  void Backward(const TunedBatch& batch, absl::Span<const Matrix<T>> d_vectors);

 private:
  // Buffers of one direction.
  struct Side {
    Matrix<T> d_top;
    std::vector<Matrix<T>> d_outputs;
    Matrix<T> d_chunk;
  };

  // Returns the first column of each copy of the token vectors in layer 0.
  std::vector<size_t> TokenColumns() const;
  void ForwardDirection(nn::Direction direction, const TunedBatch& batch,
                        nn::DropoutKey key, std::vector<Matrix<T>>* vectors);
  void BackwardDirection(nn::Direction direction, const TunedBatch& batch,
                         absl::Span<const Matrix<T>> d_vectors);
  void EncoderBackward(const TunedBatch& batch, const Matrix<T>& d_tokens);

  nn::TokenEncoder<T>& encoder_;
  nn::Bidirectional<T>& layers_;
  int threads_;
  nn::Parameter<T>* second_segment_;
  Matrix<T> chunk_;  // input of the layers
  Side sides_[2];
  Matrix<T> d_words_;
};

// The vector of a text as the mean of its tokens' vectors in each layer. In the
// backward pass, each token gets an equal part of the mean's gradient.

// Sets means: [texts, layers * dim]. `layers` are [tokens, dim] each, one text
// after another. `lengths` are the tokens of each text, at least 1.
template <class T>
void MeansOfTokens(absl::Span<const Matrix<T>> layers,
                   absl::Span<const size_t> lengths, Matrix<T>* means);

// Sets the gradients with respect to the tokens' vectors, `num_layers`
// matrices, given those with respect to the means.
template <class T>
void GiveToTokens(ConstView<T> d_means, absl::Span<const size_t> lengths,
                  size_t num_layers, std::vector<Matrix<T>>* d_layers);

class SentenceWindows;  // lm/read/sentence_windows.h

class ContextTuner {
 public:
  using Sentence = Contextualizer::Sentence;

  // Borrows the contextualizer. `rate` is Adam's peak learning rate; `threads`
  // is as in EmbedOptions.
  ContextTuner(Contextualizer& contextualizer, double rate, int threads);

  // Returns all parameters except those that are used only to predict words.
  // The word table may be frozen.
  const nn::ParameterList<float>& parameters() const { return parameters_; }

  // Sets *vectors to the vectors of all tokens in each layer, [tokens, dim]
  // each, one sentence after another. They equal those of Embed(), except that
  // dropout is applied if a key is given. No sentence may be empty. The tokens
  // must stay valid from now on.
  void Forward(absl::Span<const Sentence> sentences, nn::DropoutKey key,
               std::vector<Matrix<float>>* vectors);
  // Adds to the gradients of the parameters. Must follow Forward().
  void Backward(absl::Span<const Matrix<float>> d_vectors) {
    layers_.Backward(batch_, d_vectors);
  }

  // Sets the total number of steps, which determines the learning rates.
  void SetTotalSteps(uint64_t steps);
  // Updates the parameters at `factor` times the rate, and clears their
  // gradients.
  void Step(double factor);
  void ClearGradients();
  // Resets the optimizer to its state before the first step.
  void ForgetSteps();
  uint64_t steps() const { return optimizer_.steps(); }
  void set_steps(uint64_t steps) { optimizer_.set_steps(steps); }

  // Append the tensors that checkpoints store, under names of their own: the
  // parameters, and the state of the optimizer.
  void AppendLearnt(std::vector<NamedTensor>* tensors);
  void AppendOthers(std::vector<NamedTensor>* tensors);

  // Must be called before Embed(), because the parameters may have changed
  // since its last call.
  void ParametersStay() { model_.layers().ParametersStay(); }

  // Returns the model as a file without a name. `path` is used in messages.
  absl::StatusOr<MappedFilePtr> File(const std::string& path);

 private:
  // Sets batch_.rows and batch_.first, the rows of the vectors of all tokens.
  // `first` has the first piece of each token (see CutSentences).
  void FindTokens(const SentenceWindows& windows,
                  absl::Span<const std::vector<size_t>> first);

  BiLanguageModel& model_;
  TextWords text_words_;
  ChunkWords words_;
  TunedLayers<float> layers_;
  nn::ParameterList<float> parameters_;
  nn::Optimizer<float> optimizer_;
  nn::Schedule rate_;
  SentenceChunk chunk_;
  TunedBatch batch_;
};

}  // namespace firth

#endif  // FIRTH_LM_LEARN_CONTEXT_TUNER_H_
