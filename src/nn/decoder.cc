// Attention always reads the last recurrent layer's own output, with input
// feeding during its steps, and otherwise after all of them.

#include "nn/decoder.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/rng.h"
#include "nn/attentional_output.h"
#include "nn/stack.h"

namespace firth::nn {
namespace {

size_t Longest(absl::Span<const size_t> lengths) {
  return *std::max_element(lengths.begin(), lengths.end());
}

template <class T>
class RecurrentDecoder final : public Decoder<T> {
 public:
  RecurrentDecoder(const RecurrentLayers& layers, AttentionKind attention,
                   bool input_feeding, size_t input_dim, absl::string_view name,
                   uint64_t key)
      : dropout_(layers.dropout) {
    if (attention != AttentionKind::kNone) {
      attention_.emplace(attention, layers.output_dim(),
                         absl::StrCat(name, ".attention"),
                         CombineKeys(key, layers.layers));
    }
    feeds_ = attention_.has_value() && input_feeding;
    std::vector<std::unique_ptr<Layer<T>>> made;
    RecurrentOptions options = layers.recurrent;
    options.input_dim = input_dim;
    for (size_t l = 0; l < layers.layers; ++l) {
      if (feeds_ && l + 1 == layers.layers) {
        options.feedback_dim = layers.output_dim();
      }
      auto layer = std::make_unique<Recurrent<T>>(
          options, absl::StrCat(name, ".", l), CombineKeys(key, l));
      if (options.feedback_dim > 0) layer->set_feedback(&*attention_);
      made.push_back(std::move(layer));
      options.input_dim = layers.output_dim();
    }
    stack_.emplace(StackOptions{layers.residual, layers.dropout, false},
                   std::move(made));
  }

  size_t output_dim() const override { return stack_->output_dim(); }
  void AppendParameters(ParameterList<T>* list) override {
    stack_->AppendParameters(list);
    if (attention_.has_value()) attention_->AppendParameters(list);
  }

  ConstView<T> Forward(ConstView<T> input, const ChunkShape& shape,
                       const EncodedTexts<T>& texts, DropoutKey key) override {
    LayerState<T> state = Start(texts);
    shape_ = shape;
    const ConstView<T> top = Run(input, shape, {}, &state, key);
    if (!attention_.has_value()) return top;
    return dropout_.Forward(
        attention_->output(),
        key.has_value() ? DropoutKey(CombineKeys(*key, 0)) : key);
  }

  void Backward(ConstView<T> d_top, View<T> d_input, View<T> d_rows,
                LayerState<T>* d_state) override {
    LayerState<T> d_first = stack_->MakeState(shape_.batch);
    stack_->SetStateGradient(&d_first);
    if (attention_.has_value()) {
      AttendedBackward(d_top, d_input, d_rows);
    } else {
      stack_->Backward(d_top, {}, d_input);
    }
    for (size_t i = 0; d_state != nullptr && i < d_state->num_parts(); ++i) {
      Copy<T>(d_first[i].view(), (*d_state)[i].view());
    }
  }

  LayerState<T> Start(const EncodedTexts<T>& texts) override {
    if (attention_.has_value()) attention_->SetTexts(texts);
    LayerState<T> state = stack_->MakeState(texts.size());
    if (texts.state == nullptr) return state;
    // With feedback, the state has one more part, which is zero at first.
    for (size_t i = 0; i < texts.state->num_parts(); ++i) {
      Copy<T>((*texts.state)[i].view(), state[i].view());
    }
    return state;
  }

  ConstView<T> Step(ConstView<T> input, absl::Span<const size_t> texts,
                    LayerState<T>* state) override {
    const ConstView<T> top =
        Run(input, {1, texts.size()}, texts, state, DropoutKey());
    return attention_.has_value() ? attention_->output() : top;
  }

  bool has_attention() const override { return attention_.has_value(); }
  void CopyAttention(Matrix<T>* weights) const override {
    const size_t rows = attention_->output().rows();
    weights->Resize(rows, attention_->longest());
    weights->Fill(0);
    for (size_t r = 0; r < rows; ++r) {
      const absl::Span<const T> row = attention_->WeightsOf(r);
      std::copy(row.begin(), row.end(), weights->Row(r));
    }
  }

 private:
  ConstView<T> Run(ConstView<T> input, const ChunkShape& shape,
                   absl::Span<const size_t> texts, LayerState<T>* state,
                   DropoutKey key) {
    if (attention_.has_value()) attention_->Begin(shape, texts);
    const ConstView<T> top = stack_->Forward(input, shape, state, key);
    if (!attention_.has_value() || feeds_) return top;
    const ConstView<T> hidden = stack_->output(stack_->num_layers() - 1);
    ForSequences(shape.batch, [&](size_t step, size_t first, size_t count) {
      attention_->Forward(step, first,
                          hidden.Rows(step * shape.batch + first, count), {});
    });
    return top;
  }

  void AttendedBackward(ConstView<T> d_top, View<T> d_input, View<T> d_rows) {
    d_attended_.Resize(d_top.rows(), d_top.cols());
    Copy(d_top, d_attended_.view());
    dropout_.Backward(d_attended_.view());
    attention_->BeginBackward(d_attended_.view(), d_rows);
    // The stack's own top predicts nothing.
    zeros_.Resize(d_top.rows(), d_top.cols());
    zeros_.Fill(0);
    d_hidden_.Resize(d_top.rows(), d_top.cols());
    d_hidden_.Fill(0);
    if (!feeds_) {
      ForSequences(shape_.batch, [&](size_t k, size_t first, size_t count) {
        const size_t step = shape_.steps - 1 - k;
        attention_->Backward(
            step, first, {},
            d_hidden_.view().Rows(step * shape_.batch + first, count));
      });
    }
    std::vector<ConstView<T>> d_outputs(stack_->num_layers());
    d_outputs.back() = d_hidden_.view();
    stack_->Backward(zeros_.view(), d_outputs, d_input);
    attention_->EndBackward();
  }

  // Calls run(k, first sequence, sequences) for all steps k, with consecutive
  // sequences on one thread.
  template <class F>
  void ForSequences(size_t batch, const F& run) {
    const size_t steps = attention_->output().rows() / batch;
    ForRanges(batch, 1, 1, [&](size_t begin, size_t end) {
      for (size_t k = 0; k < steps; ++k) run(k, begin, end - begin);
    });
  }

  std::optional<AttentionalOutput<T>> attention_;
  bool feeds_ = false;
  std::optional<Stack<T>> stack_;
  Dropout<T> dropout_;
  ChunkShape shape_;
  Matrix<T> d_attended_;
  Matrix<T> d_hidden_;
  Matrix<T> zeros_;
};

template <class T>
class TransformerDecoder final : public Decoder<T> {
 public:
  TransformerDecoder(const TransformerLayers& options, size_t input_dim,
                     absl::string_view name, uint64_t key)
      : layers_(options, {input_dim, false, std::string(name), key}) {
    FIRTH_CHECK(options.causal && options.decodes);
  }

  size_t output_dim() const override { return layers_.output_dim(); }
  void AppendParameters(ParameterList<T>* list) override {
    layers_.AppendParameters(list);
  }

  ConstView<T> Forward(ConstView<T> input, const ChunkShape& shape,
                       const EncodedTexts<T>& texts, DropoutKey key) override {
    SetTexts(texts);
    d_memory_.Resize(memory_.rows(), memory_.cols());
    d_memory_.Fill(0);
    layers_.set_memory({memory_.view(), memory_shape_}, d_memory_.view());
    return layers_.Forward(input, shape, nullptr, key);
  }

  void Backward(ConstView<T> d_top, View<T> d_input, View<T> d_rows,
                LayerState<T>* d_state) override {
    layers_.Backward(d_top, {}, d_input);
    ForEachToken([&](size_t packed, size_t row) {
      AddScaled(d_rows.cols(), T{1}, d_memory_.Row(row), d_rows.Row(packed));
    });
    // The layers do not read the encoder's state.
    if (d_state != nullptr) d_state->Reset();
  }

  LayerState<T> Start(const EncodedTexts<T>& texts) override {
    SetTexts(texts);
    layers_.ParametersStay();
    memory_is_new_ = true;
    return layers_.MakeState(texts.size());
  }

  ConstView<T> Step(ConstView<T> input, absl::Span<const size_t> texts,
                    LayerState<T>* state) override {
    AttendedMemory<T> memory{{}, memory_shape_, texts};
    if (std::exchange(memory_is_new_, false)) memory.rows = memory_.view();
    layers_.set_memory(memory);
    return layers_.Step(input, {1, texts.size()}, state);
  }

  bool has_attention() const override { return true; }
  void CopyAttention(Matrix<T>* weights) const override {
    layers_.CopyMemoryWeights(weights);
  }

 private:
  // Calls visit(packed row, time-major row) for the tokens of all texts.
  template <class F>
  void ForEachToken(const F& visit) const {
    size_t packed = 0;
    for (size_t b = 0; b < lengths_.size(); ++b) {
      for (size_t t = 0; t < lengths_[b]; ++t) {
        visit(packed++, t * lengths_.size() + b);
      }
    }
  }

  void SetTexts(const EncodedTexts<T>& texts) {
    lengths_.assign(texts.lengths.begin(), texts.lengths.end());
    memory_shape_ = {Longest(lengths_), lengths_.size(), lengths_};
    memory_.Resize(memory_shape_.rows(), texts.rows.cols());
    memory_.Fill(0);
    ForEachToken([&](size_t packed, size_t row) {
      std::copy_n(texts.rows.Row(packed), memory_.cols(), memory_.Row(row));
    });
  }

  Transformer<T> layers_;
  std::vector<size_t> lengths_;
  ChunkShape memory_shape_;
  Matrix<T> memory_;  // [tokens, dim], time-major
  Matrix<T> d_memory_;
  bool memory_is_new_ = false;
};

}  // namespace

template <class T>
std::unique_ptr<Decoder<T>> MakeDecoder(const DecoderOptions& options,
                                        size_t input_dim,
                                        absl::string_view name, uint64_t key) {
  if (const auto* blocks = std::get_if<TransformerLayers>(&options.layers)) {
    return std::make_unique<TransformerDecoder<T>>(*blocks, input_dim, name,
                                                   key);
  }
  return std::make_unique<RecurrentDecoder<T>>(
      std::get<RecurrentLayers>(options.layers), options.attention,
      options.input_feeding, input_dim, name, key);
}

template std::unique_ptr<Decoder<float>> MakeDecoder(const DecoderOptions&,
                                                     size_t, absl::string_view,
                                                     uint64_t);
#ifdef FIRTH_DOUBLES
template std::unique_ptr<Decoder<double>> MakeDecoder(const DecoderOptions&,
                                                      size_t, absl::string_view,
                                                      uint64_t);
#endif

}  // namespace firth::nn
