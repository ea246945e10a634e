// Transformers (Vaswani et al., "Attention is all you need", 2017): blocks of
// attention and a feed-forward network. The output of each part is added to its
// input, with layer normalization before or after the parts:
//
//   before   x + f(norm(x)), and a norm of the top   (as in GPT-2)
//   after    norm(x + f(x)), and a norm of the input (as in BERT)
//
// The input is the tokens' vectors. They pass a linear layer if their size
// differs, are multiplied by sqrt(units) if scale_input is set, and get the
// vectors of their positions added if these are sinusoidal or learned.
//
// A token sees at most `context` tokens, including itself. With relative
// positions, the context slides: these are the tokens before it and, if not
// causal, as many after it. Position vectors are numbered from 0 to context -
// 1, so a longer text is read in blocks of `context` tokens, counted from the
// beginning of its sequence, and a token sees only its own block. In both
// cases, the state of a layer contains the keys and values that later tokens
// still see, and the result does not depend on how a text is cut into chunks.
// Layers that are not causal see ahead and have no state: each chunk is a
// separate text.
//
// Dropout is applied to the input, to the output of each part and, at a rate of
// its own, to attention weights.

#ifndef FIRTH_NN_TRANSFORMER_H_
#define FIRTH_NN_TRANSFORMER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/network_kinds.h"
#include "nn/attention.h"
#include "nn/positions.h"
#include "nn/row_layers.h"
#include "nn/sequence_layers.h"

namespace firth::nn {

struct TransformerLayers {
  static constexpr char kSection[] = "transformer";
  static FieldTable Fields();

  size_t units = 0;         // of every layer
  size_t heads = 1;         // a divisor of units
  size_t feed_forward = 0;  // values inside the feed-forward networks
  size_t layers = 1;
  size_t context = 128;
  NormPlace norm = NormPlace::kBefore;
  Activation activation = Activation::kGelu;
  PositionKind positions = PositionKind::kRelative;
  bool causal = true;
  bool scale_input = true;
  bool transform_top = false;  // whether the output passes a TopTransform
  bool decodes = false;        // whether blocks attend to a memory
  double epsilon = 1e-5;       // of layer normalization
  double dropout = 0;
  double attention_dropout = 0;  // of attention weights

  size_t output_dim() const { return units; }
};

template <class T>
std::unique_ptr<SequenceLayers<T>> MakeLayers(const TransformerLayers& options,
                                              const LayersPlace& place);
uint64_t CountParameters(const TransformerLayers& options, size_t input_dim);

// The additional sequences that a decoder's blocks attend to.
template <class T>
struct AttendedMemory {
  // [rows, units], time-major. If empty, these are the rows of the previous
  // call, and what was computed from them is used again.
  ConstView<T> rows;
  ChunkShape shape;
  // For each sequence of the chunk, which must have one step, the sequence of
  // the memory that it attends to. If empty, it is the one with the same index.
  absl::Span<const size_t> sequences = {};
};

// One block. If it decodes, it has attention to a memory between its two parts.
// Its parameters are those of its parts, "<name>.attention", "<name>.cross" and
// "<name>.feed_forward", and of a GainedNorm for each, such as
// "<name>.attention_norm".
template <class T>
class TransformerBlock {
 public:
  TransformerBlock(const TransformerLayers& options, absl::string_view name,
                   uint64_t key);

  void AppendParameters(ParameterList<T>* list);

  // `cache` and `bias` are as in Attention::Forward(); `memory` is for
  // decoders. Backward() requires `training`. Dropout is applied if a key is
  // given. Returns [rows, units], valid until the next call.
  ConstView<T> Forward(ConstView<T> input, const ChunkShape& shape,
                       const AttentionPattern& pattern,
                       AttentionCache<T>* cache, RelativeBias<T>* bias,
                       const AttendedMemory<T>* memory, bool training,
                       DropoutKey key);
  // Replaces the gradient of the output by that of the input, and adds to
  // d_memory if it is not empty. Must follow Forward().
  void Backward(View<T> gradient, const AttendedMemory<T>* memory,
                View<T> d_memory);

  // The same for training an encoder when only some rows of the output are
  // required. The result and `gradient`, which is overwritten, have only these.
  ConstView<T> ForwardAsked(ConstView<T> input, const ChunkShape& shape,
                            const AskedRows& asked,
                            const AttentionPattern& pattern,
                            RelativeBias<T>* bias, DropoutKey key);
  void BackwardAsked(View<T> gradient, const AskedRows& asked, View<T> d_input);

  // Sets weights, [rows, longest sequence of the memory], to the means over the
  // heads of the attention to the memory. Must follow Forward() with
  // memory.sequences.
  void CopyMemoryWeights(const AttendedMemory<T>& memory,
                         Matrix<T>* weights) const;

  Attention<T>& attention() { return attention_; }
  // Calls f for all linear layers.
  template <class F>
  void ForEachLinear(const F& f) {
    attention_.ForEachLinear(f);
    if (cross_ != nullptr) cross_->ForEachLinear(f);
    feed_forward_.ForEachLinear(f);
  }

 private:
  // The members that each part has.
  struct Part {
    Part(const TransformerLayers& options, absl::string_view name)
        : norm(options.units, options.epsilon, name),
          dropout(options.dropout) {}
    GainedNorm<T> norm;
    Dropout<T> dropout;
    ConstView<T> input;
    Matrix<T> sum;
  };

  // `f` computes what is added from the part's input.
  template <class F>
  ConstView<T> PartForward(Part& part, ConstView<T> x, DropoutKey key,
                           const F& f);
  // Attention to the memory, as f for PartForward().
  ConstView<T> CrossForward(ConstView<T> rows, const ChunkShape& shape,
                            const AttendedMemory<T>& memory, bool training);
  // Reverses any norm after the part. Returns the gradient of what is added.
  ConstView<T> AddedBackward(Part& part, View<T> gradient);
  // `f` takes the part's input and the gradients of what is added and of input.
  template <class F>
  void PartBackward(Part& part, View<T> gradient, const F& f);

  bool norm_before_;
  double attention_dropout_;
  Attention<T> attention_;
  std::unique_ptr<Attention<T>> cross_;
  FeedForward<T> feed_forward_;
  Part attention_part_;
  std::unique_ptr<Part> cross_part_;
  Part feed_forward_part_;
  Matrix<T> d_added_;
  Matrix<T> d_input_;
  Matrix<T> d_memory_;
  Matrix<T> asked_input_;  // for attention
  Matrix<T> by_sequence_;  // rows in the order of the memory's sequences
  Matrix<T> crossed_;
};

// The state of causal layers is "steps" [batch, 1], the number of steps held,
// and "0.keys" and "0.values" for each layer; see AttentionCache.
template <class T>
class Transformer : public SequenceLayers<T> {
 public:
  Transformer(const TransformerLayers& options, const LayersPlace& place);

  size_t output_dim() const override { return options_.units; }
  size_t num_layers() const override { return blocks_.size(); }
  void AppendParameters(ParameterList<T>* list) override;
  LayerState<T> MakeState(size_t batch) const override;
  ConstView<T> Forward(ConstView<T> input, const ChunkShape& shape,
                       LayerState<T>* state, DropoutKey key = {}) override {
    SetPacked(false);
    return Run(input, shape, state, /*training=*/true, key);
  }
  // The last output is the top, unless it is transformed.
  ConstView<T> output(size_t layer) const override { return outputs_[layer]; }
  void Backward(ConstView<T> d_top, absl::Span<const ConstView<T>> d_outputs,
                View<T> d_input) override;
  void Read(ConstView<T> input, const ChunkShape& shape, LayerState<T>* state,
            typename SequenceLayers<T>::Visit visit) override;

  void ParametersStay() override { SetPacked(true); }

  // Sets what the blocks attend to, if they decode, until the next call, and
  // where Backward() adds its gradient, if anywhere. Borrows the values.
  void set_memory(const AttendedMemory<T>& memory, View<T> d_memory = {}) {
    memory_ = memory;
    d_memory_ = d_memory;
  }
  // Sets weights to those of the last block; see TransformerBlock.
  void CopyMemoryWeights(Matrix<T>* weights) const {
    blocks_.back()->CopyMemoryWeights(memory_, weights);
  }
  // Does the same as Forward(), but without support for Backward().
  ConstView<T> Step(ConstView<T> input, const ChunkShape& shape,
                    LayerState<T>* state) {
    return Run(input, shape, state, /*training=*/false, {});
  }

  size_t num_heads() const override { return options_.heads; }
  void CopyWeights(size_t layer, size_t b, size_t head,
                   View<T> weights) const override {
    blocks_[layer]->attention().CopyWeights(b, head, weights);
  }

 private:
  ConstView<T> Run(ConstView<T> input, const ChunkShape& shape,
                   LayerState<T>* state, bool training, DropoutKey key);
  void SetPacked(bool packed);
  // Returns what blocks attend to, or null if they do not decode.
  const AttendedMemory<T>* Memory() const {
    return options_.decodes ? &memory_ : nullptr;
  }
  // Returns the position of a row in its block.
  size_t PositionOf(size_t row) const;
  void LastBackward(ConstView<T> d_top);
  ConstView<T> Enter(ConstView<T> input, DropoutKey key);
  void ClearBehindSequences(View<T> gradient) const;
  void Leave(View<T> gradient, View<T> d_input);
  void ReadHeld(LayerState<T>* state);
  void WriteHeld(LayerState<T>* state) const;

  TransformerLayers options_;
  AttentionPattern pattern_;
  std::unique_ptr<Linear<T>> input_;
  std::unique_ptr<Parameter<T>> learned_;  // positions: [context, units]
  Matrix<T> sinusoids_;                    // the same
  std::unique_ptr<RelativeBias<T>> bias_;
  std::unique_ptr<GainedNorm<T>> input_norm_;
  std::unique_ptr<GainedNorm<T>> top_norm_;
  std::unique_ptr<TopTransform<T>> top_transform_;
  Dropout<T> dropout_;
  std::vector<std::unique_ptr<TransformerBlock<T>>> blocks_;
  AttendedMemory<T> memory_;
  View<T> d_memory_;

  std::vector<size_t> lengths_;
  std::vector<size_t> held_;  // steps, by sequence
  bool some_asked_ = false;   // rows of the top
  AskedRows asked_;
  Matrix<T> asked_gradient_;
  Matrix<T> top_;  // all rows; those not required are zeros
  ConstView<T> input_rows_;
  Matrix<T> entered_;
  std::vector<ConstView<T>> outputs_;
  Matrix<T> gradient_;
};

}  // namespace firth::nn

#endif  // FIRTH_NN_TRANSFORMER_H_
