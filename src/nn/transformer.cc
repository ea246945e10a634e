// A part of a block (attention, feed-forward network) is a function f.
// PartForward() and PartBackward() add the norm, dropout and sum around it for
// all parts.
//
// The gradient of x + f(x) is that of x plus the gradient that flows through f;
// both are summed in the memory of the gradient.

#include "nn/transformer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/rng.h"
#include "base/saturated.h"

namespace firth::nn {
namespace {

// Maximum steps of a text that is read in one piece.
constexpr size_t kMostSteps = 1024;
constexpr double kLeastEpsilon = 1e-12;

// Returns the scale of the first weights that compute what a part adds. A norm
// before the parts leaves their sum as it is. With 1 / sqrt(number of parts),
// the sum of all parts is at first as large as a single one (Radford et al.,
// "Language models are unsupervised multitask learners", 2019, section 2.3).
double ScaleOfParts(const TransformerLayers& options) {
  if (options.norm != NormPlace::kBefore) return 1;
  const size_t parts = (options.decodes ? 3 : 2) * options.layers;
  return 1 / std::sqrt(static_cast<double>(parts));
}

DropoutKey KeyOf(DropoutKey key, size_t part) {
  return key.has_value() ? DropoutKey(CombineKeys(*key, part)) : key;
}

// Calls visit(row of the chunk, sequence of the memory, query of this sequence)
// for all rows.
template <class T, class F>
void ForEachQuery(const AttendedMemory<T>& memory, const F& visit) {
  std::vector<size_t> queries(memory.shape.batch);
  for (size_t row = 0; row < memory.sequences.size(); ++row) {
    const size_t b = memory.sequences[row];
    visit(row, b, queries[b]++);
  }
}

// Returns the number of queries of each sequence of the memory.
template <class T>
std::vector<size_t> QueriesOf(const AttendedMemory<T>& memory) {
  std::vector<size_t> queries(memory.shape.batch);
  for (const size_t b : memory.sequences) ++queries[b];
  return queries;
}

}  // namespace

FieldTable TransformerLayers::Fields() {
  using Layers = TransformerLayers;
  FieldsOf<Layers> fields;
  fields.Add("units", &Layers::units, "", Field().Range(1, kMostUnits));
  fields.Add("heads", &Layers::heads, "", Field().Range(1, kMostUnits));
  fields.Add("feed_forward", &Layers::feed_forward, "",
             Field().Range(1, kMostUnits));
  fields.Add("layers", &Layers::layers, "", Field().Range(1, kMostLayers));
  fields.Add("context", &Layers::context, "", Field().Range(2, kMostContext));
  fields.Choice("norm", &Layers::norm, kNormPlaceNames, "");
  fields.Choice("activation", &Layers::activation, kActivationNames, "");
  fields.Choice("positions", &Layers::positions, kPositionNames, "")
      .former_choices = {{"learnt", "learned"}};
  fields.Add("causal", &Layers::causal, "");
  fields.Add("scale_input", &Layers::scale_input, "");
  fields.Add("transform_top", &Layers::transform_top, "");
  fields.Add("epsilon", &Layers::epsilon, "");
  fields.Add("dropout", &Layers::dropout, "", Field().Range(0, kMostDropout));
  fields.Add("attention_dropout", &Layers::attention_dropout, "",
             Field().Range(0, kMostDropout));
  return fields;
}

template <class T>
TransformerBlock<T>::TransformerBlock(const TransformerLayers& options,
                                      absl::string_view name, uint64_t key)
    : norm_before_(options.norm == NormPlace::kBefore),
      attention_dropout_(options.attention_dropout),
      attention_(options.units, options.heads, absl::StrCat(name, ".attention"),
                 CombineKeys(key, 0), ScaleOfParts(options)),
      feed_forward_(options.units, options.feed_forward, options.activation,
                    absl::StrCat(name, ".feed_forward"), CombineKeys(key, 1),
                    ScaleOfParts(options)),
      attention_part_(options, absl::StrCat(name, ".attention_norm")),
      feed_forward_part_(options, absl::StrCat(name, ".feed_forward_norm")) {
  if (!options.decodes) return;
  cross_ = std::make_unique<Attention<T>>(
      options.units, options.heads, absl::StrCat(name, ".cross"),
      CombineKeys(key, 2), ScaleOfParts(options));
  cross_part_ =
      std::make_unique<Part>(options, absl::StrCat(name, ".cross_norm"));
}

template <class T>
void TransformerBlock<T>::AppendParameters(ParameterList<T>* list) {
  attention_.AppendParameters(list);
  attention_part_.norm.AppendParameters(list);
  if (cross_ != nullptr) {
    cross_->AppendParameters(list);
    cross_part_->norm.AppendParameters(list);
  }
  feed_forward_.AppendParameters(list);
  feed_forward_part_.norm.AppendParameters(list);
}

template <class T>
template <class F>
ConstView<T> TransformerBlock<T>::PartForward(Part& part, ConstView<T> x,
                                              DropoutKey key, const F& f) {
  part.input = norm_before_ ? part.norm.Forward(x) : x;
  const ConstView<T> added = part.dropout.Forward(f(part.input), key);
  part.sum.Resize(x.rows(), x.cols());
  const ConstView<T> sum = part.sum.view();
  ForRows(x.rows(), x.cols(), [&](size_t begin, size_t end) {
    for (size_t row = begin; row < end; ++row) {
      std::copy_n(x.Row(row), x.cols(), part.sum.Row(row));
      AddScaled(x.cols(), T{1}, added.Row(row), part.sum.Row(row));
    }
  });
  return norm_before_ ? sum : part.norm.Forward(sum);
}

template <class T>
ConstView<T> TransformerBlock<T>::AddedBackward(Part& part, View<T> gradient) {
  if (!norm_before_) part.norm.Backward(gradient);
  if (!part.dropout.dropped()) return gradient;
  d_added_.Resize(gradient.rows(), gradient.cols());
  Copy<T>(gradient, d_added_.view());
  part.dropout.Backward(d_added_.view());
  return d_added_.view();
}

template <class T>
template <class F>
void TransformerBlock<T>::PartBackward(Part& part, View<T> gradient,
                                       const F& f) {
  const ConstView<T> d_added = AddedBackward(part, gradient);
  d_input_.Resize(gradient.rows(), gradient.cols());
  f(part.input, d_added, d_input_.view());
  if (norm_before_) part.norm.Backward(d_input_.view());
  Add<T>(d_input_.view(), gradient);
}

// Steps of different hypotheses can attend to one sequence of the memory. They
// are then the steps of one sequence of queries. Their weights are kept.
template <class T>
ConstView<T> TransformerBlock<T>::CrossForward(ConstView<T> rows,
                                               const ChunkShape& shape,
                                               const AttendedMemory<T>& memory,
                                               bool training) {
  if (memory.sequences.empty()) {
    return cross_->Forward(rows, shape, memory.rows, memory.shape, {},
                           training);
  }
  const std::vector<size_t> lengths = QueriesOf(memory);
  const size_t batch = memory.shape.batch;
  const size_t most = *std::max_element(lengths.begin(), lengths.end());
  by_sequence_.Resize(most * batch, rows.cols());
  by_sequence_.Fill(0);
  ForEachQuery(memory, [&](size_t row, size_t b, size_t query) {
    std::copy_n(rows.Row(row), rows.cols(),
                by_sequence_.Row(query * batch + b));
  });
  const ConstView<T> found =
      cross_->Forward(by_sequence_.view(), {most, batch, lengths}, memory.rows,
                      memory.shape, {}, /*training=*/true);
  crossed_.Resize(rows.rows(), rows.cols());
  ForEachQuery(memory, [&](size_t row, size_t b, size_t query) {
    std::copy_n(found.Row(query * batch + b), rows.cols(), crossed_.Row(row));
  });
  return crossed_.view();
}

template <class T>
void TransformerBlock<T>::CopyMemoryWeights(const AttendedMemory<T>& memory,
                                            Matrix<T>* weights) const {
  weights->Resize(memory.sequences.size(), memory.shape.steps);
  weights->Fill(0);
  const std::vector<size_t> queries = QueriesOf(memory);
  std::vector<Matrix<T>> sums;  // of each sequence
  const size_t heads = cross_->heads();
  for (size_t b = 0; b < queries.size(); ++b) {
    Matrix<T> of_head(queries[b], memory.shape.length(b));
    sums.emplace_back(queries[b], memory.shape.length(b));
    for (size_t head = 0; head < heads && queries[b] > 0; ++head) {
      cross_->CopyWeights(b, head, of_head.view());
      AddScaled(of_head.size(), T{1} / static_cast<T>(heads), of_head.data(),
                sums[b].data());
    }
  }
  ForEachQuery(memory, [&](size_t row, size_t b, size_t query) {
    std::copy_n(sums[b].Row(query), sums[b].cols(), weights->Row(row));
  });
}

template <class T>
ConstView<T> TransformerBlock<T>::Forward(ConstView<T> input,
                                          const ChunkShape& shape,
                                          const AttentionPattern& pattern,
                                          AttentionCache<T>* cache,
                                          RelativeBias<T>* bias,
                                          const AttendedMemory<T>* memory,
                                          bool training, DropoutKey key) {
  FIRTH_CHECK((memory == nullptr) == (cross_ == nullptr));
  ConstView<T> x = PartForward(
      attention_part_, input, KeyOf(key, 0), [&](ConstView<T> rows) {
        attention_.DropWeights(attention_dropout_, KeyOf(key, 3));
        return attention_.Forward(rows, shape, pattern, cache, bias, training);
      });
  if (cross_ != nullptr) {
    x = PartForward(*cross_part_, x, KeyOf(key, 2), [&](ConstView<T> rows) {
      cross_->DropWeights(attention_dropout_, KeyOf(key, 4));
      return CrossForward(rows, shape, *memory, training);
    });
  }
  return PartForward(
      feed_forward_part_, x, KeyOf(key, 1),
      [&](ConstView<T> rows) { return feed_forward_.Forward(rows, training); });
}

template <class T>
void TransformerBlock<T>::Backward(View<T> gradient,
                                   const AttendedMemory<T>* memory,
                                   View<T> d_memory) {
  PartBackward(feed_forward_part_, gradient,
               [&](ConstView<T> input, ConstView<T> d_added, View<T> d_input) {
                 feed_forward_.Backward(input, d_added, d_input);
               });
  if (cross_ != nullptr) {
    View<T> own;
    if (!d_memory.empty()) {
      d_memory_.Resize(d_memory.rows(), d_memory.cols());
      own = d_memory_.view();
    }
    PartBackward(
        *cross_part_, gradient,
        [&](ConstView<T> input, ConstView<T> d_added, View<T> d_input) {
          cross_->Backward(input, memory->rows, d_added, d_input, own);
        });
    if (!own.empty()) Add<T>(own, d_memory);
  }
  PartBackward(attention_part_, gradient,
               [&](ConstView<T> input, ConstView<T> d_added, View<T> d_input) {
                 attention_.Backward(input, d_added, d_input);
               });
}

template <class T>
ConstView<T> TransformerBlock<T>::ForwardAsked(
    ConstView<T> input, const ChunkShape& shape, const AskedRows& asked,
    const AttentionPattern& pattern, RelativeBias<T>* bias, DropoutKey key) {
  Part& part = attention_part_;
  part.input = norm_before_ ? part.norm.Forward(input) : input;
  asked.Gather(part.input, &asked_input_);
  asked.Gather(input, &part.sum);
  attention_.DropWeights(attention_dropout_, KeyOf(key, 3));
  const ConstView<T> attended = attention_.Forward(
      asked_input_.view(), asked, part.input, shape, pattern, bias, true);
  Add(part.dropout.Forward(attended, KeyOf(key, 0)), part.sum.view());
  const ConstView<T> sum = part.sum.view();
  return PartForward(
      feed_forward_part_, norm_before_ ? sum : part.norm.Forward(sum),
      KeyOf(key, 1),
      [&](ConstView<T> rows) { return feed_forward_.Forward(rows, true); });
}

template <class T>
void TransformerBlock<T>::BackwardAsked(View<T> gradient,
                                        const AskedRows& asked,
                                        View<T> d_input) {
  PartBackward(feed_forward_part_, gradient,
               [&](ConstView<T> input, ConstView<T> d_added, View<T> d_rows) {
                 feed_forward_.Backward(input, d_added, d_rows);
               });
  Part& part = attention_part_;
  const ConstView<T> d_added = AddedBackward(part, gradient);
  d_input_.Resize(gradient.rows(), gradient.cols());
  attention_.Backward(asked_input_.view(), part.input, d_added, d_input_.view(),
                      d_input);
  asked.AddTo(d_input, d_input_.view());
  if (norm_before_) part.norm.Backward(d_input);
  asked.AddTo<T>(d_input, gradient);
}

template <class T>
Transformer<T>::Transformer(const TransformerLayers& options,
                            const LayersPlace& place)
    : options_(options),
      pattern_{.causal = options.causal,
               .reversed = place.reversed,
               .sliding = options.positions == PositionKind::kRelative,
               .context = options.context},
      dropout_(options.dropout),
      outputs_(options.layers) {
  options_.epsilon = std::max(options.epsilon, kLeastEpsilon);
  const size_t units = options.units;
  const auto name = [&](absl::string_view part) {
    return absl::StrCat(place.name, ".", part);
  };
  if (place.input_dim != units) {
    input_ =
        std::make_unique<Linear<T>>(place.input_dim, units, name("input"),
                                    CombineKeys(place.key, options.layers));
  }
  switch (options.positions) {
    case PositionKind::kRelative:
      bias_ = std::make_unique<RelativeBias<T>>(
          options.heads, options.context - 1, options.causal, name("ways"));
      break;
    case PositionKind::kSinusoidal:
      sinusoids_ = Matrix<T>(options.context, units);
      FillSinusoids(sinusoids_.view());
      break;
    case PositionKind::kLearned:
      learned_ = std::make_unique<Parameter<T>>(name("positions"),
                                                options.context, units);
      FillNormal(1 / std::sqrt(static_cast<double>(units)),
                 CombineKeys(place.key, options.layers + 1), learned_->value);
      break;
  }
  (options.norm == NormPlace::kBefore ? top_norm_ : input_norm_) =
      std::make_unique<GainedNorm<T>>(units, options_.epsilon, name("norm"));
  if (options.transform_top) {
    top_transform_ = std::make_unique<TopTransform<T>>(
        units, options.activation, options_.epsilon, name("top"),
        CombineKeys(place.key, options.layers + 2));
  }
  for (size_t l = 0; l < options.layers; ++l) {
    blocks_.push_back(std::make_unique<TransformerBlock<T>>(
        options_, absl::StrCat(place.name, ".", l), CombineKeys(place.key, l)));
  }
}

template <class T>
void Transformer<T>::AppendParameters(ParameterList<T>* list) {
  if (input_ != nullptr) input_->AppendParameters(list);
  if (learned_ != nullptr) list->push_back(learned_.get());
  if (bias_ != nullptr) bias_->AppendParameters(list);
  if (input_norm_ != nullptr) input_norm_->AppendParameters(list);
  for (const auto& block : blocks_) block->AppendParameters(list);
  if (top_norm_ != nullptr) top_norm_->AppendParameters(list);
  if (top_transform_ != nullptr) top_transform_->AppendParameters(list);
}

template <class T>
LayerState<T> Transformer<T>::MakeState(size_t batch) const {
  LayerState<T> state;
  if (!options_.causal) return state;
  state.Add("steps", batch, 1);
  const size_t cols = (options_.context - 1) * options_.units;
  for (size_t l = 0; l < blocks_.size(); ++l) {
    state.Add(absl::StrCat(l, ".keys"), batch, cols);
    state.Add(absl::StrCat(l, ".values"), batch, cols);
  }
  return state;
}

template <class T>
void Transformer<T>::SetPacked(bool packed) {
  for (const auto& block : blocks_) {
    block->ForEachLinear([packed](Linear<T>& linear) {
      packed ? linear.Pack() : linear.Unpack();
    });
  }
}

template <class T>
void Transformer<T>::ReadHeld(LayerState<T>* state) {
  held_.assign(lengths_.size(), 0);
  if (state == nullptr || state->empty()) return;
  for (size_t b = 0; b < held_.size(); ++b) {
    // The value may come from a file, so it can be anything.
    const T steps = *(*state)[0].Row(b);
    const bool can_be = steps >= 0 && steps < static_cast<T>(options_.context);
    held_[b] = can_be ? static_cast<size_t>(steps) : 0;
  }
}

template <class T>
void Transformer<T>::WriteHeld(LayerState<T>* state) const {
  for (size_t b = 0; b < held_.size(); ++b) {
    *(*state)[0].Row(b) =
        static_cast<T>(StepsToHold(pattern_, held_[b], lengths_[b]));
  }
}

template <class T>
size_t Transformer<T>::PositionOf(size_t row) const {
  const size_t b = row % lengths_.size();
  const size_t t = row / lengths_.size();
  // Rows after the end of a sequence can have any position.
  if (t >= lengths_[b]) return 0;
  const size_t step = pattern_.reversed ? lengths_[b] - 1 - t : t;
  return (held_[b] + step) % options_.context;
}

template <class T>
ConstView<T> Transformer<T>::Enter(ConstView<T> input, DropoutKey key) {
  input_rows_ = input;
  entered_.Resize(input.rows(), options_.units);
  if (input_ != nullptr) {
    input_->Forward(input, entered_.view());
  } else {
    Copy(input, entered_.view());
  }
  const T scale = static_cast<T>(
      options_.scale_input ? std::sqrt(static_cast<double>(options_.units))
                           : 1);
  const Matrix<T>* const positions =
      learned_ != nullptr ? &learned_->value : &sinusoids_;
  const size_t units = options_.units;
  ForRows(entered_.rows(), units, [&](size_t begin, size_t end) {
    for (size_t row = begin; row < end; ++row) {
      T* const values = entered_.Row(row);
      for (size_t c = 0; c < units; ++c) values[c] *= scale;
      if (bias_ != nullptr) continue;
      AddScaled(units, T{1}, positions->Row(PositionOf(row)), values);
    }
  });
  ConstView<T> x = entered_.view();
  if (input_norm_ != nullptr) x = input_norm_->Forward(x);
  return dropout_.Forward(x, key);
}

template <class T>
void Transformer<T>::Leave(View<T> gradient, View<T> d_input) {
  dropout_.Backward(gradient);
  if (input_norm_ != nullptr) input_norm_->Backward(gradient);
  const T scale = static_cast<T>(
      options_.scale_input ? std::sqrt(static_cast<double>(options_.units))
                           : 1);
  ForColumns(gradient.rows(), options_.units, [&](size_t begin, size_t end) {
    for (size_t row = 0; row < gradient.rows(); ++row) {
      T* const values = gradient.Row(row);
      if (learned_ != nullptr) {
        AddScaled(end - begin, T{1}, values + begin,
                  learned_->gradient.Row(PositionOf(row)) + begin);
      }
      for (size_t c = begin; c < end; ++c) values[c] *= scale;
    }
  });
  if (input_ != nullptr) {
    input_->Backward(input_rows_, gradient, d_input);
  } else if (!d_input.empty()) {
    Copy<T>(gradient, d_input);
  }
}

template <class T>
ConstView<T> Transformer<T>::Run(ConstView<T> input, const ChunkShape& shape,
                                 LayerState<T>* state, bool training,
                                 DropoutKey key) {
  FIRTH_CHECK(input.rows() == shape.rows());
  lengths_.clear();
  for (size_t b = 0; b < shape.batch; ++b) lengths_.push_back(shape.length(b));
  const bool goes_on = state != nullptr && !state->empty();
  some_asked_ = training && !pattern_.causal && !shape.asked.empty();
  if (some_asked_) asked_.Set(shape.asked, shape.batch);
  ReadHeld(state);
  if (bias_ != nullptr) bias_->Spread();
  ConstView<T> x = Enter(input, KeyOf(key, blocks_.size()));
  for (size_t l = 0; l < blocks_.size(); ++l) {
    if (some_asked_ && l + 1 == blocks_.size()) {
      x = outputs_[l] = blocks_[l]->ForwardAsked(x, shape, asked_, pattern_,
                                                 bias_.get(), KeyOf(key, l));
      break;
    }
    AttentionCache<T> cache;
    if (goes_on) {
      cache = {&(*state)[1 + 2 * l], &(*state)[2 + 2 * l], held_};
    }
    x = blocks_[l]->Forward(x, shape, pattern_, goes_on ? &cache : nullptr,
                            bias_.get(), Memory(), training, KeyOf(key, l));
    outputs_[l] = x;
  }
  if (goes_on) WriteHeld(state);
  if (top_norm_ != nullptr) outputs_.back() = top_norm_->Forward(x);
  ConstView<T> top = outputs_.back();
  if (top_transform_ != nullptr) top = top_transform_->Forward(top, training);
  if (!some_asked_) return top;
  top_.Resize(input.rows(), options_.units);
  SetZero(top_.view());
  asked_.AddTo(top_.view(), top);
  return std::as_const(top_).view();
}

// Backward pass of the last block and of what follows it, for the required rows
// only.
template <class T>
void Transformer<T>::LastBackward(ConstView<T> d_top) {
  asked_.Gather(d_top, &asked_gradient_);
  const View<T> gradient = asked_gradient_.view();
  if (top_transform_ != nullptr) top_transform_->Backward(gradient);
  if (top_norm_ != nullptr) top_norm_->Backward(gradient);
  blocks_.back()->BackwardAsked(gradient, asked_, gradient_.view());
}

// Rows after the end of a sequence are not outputs.
template <class T>
void Transformer<T>::ClearBehindSequences(View<T> gradient) const {
  for (size_t row = 0; row < gradient.rows(); ++row) {
    if (row / lengths_.size() < lengths_[row % lengths_.size()]) continue;
    SetZero(gradient.Rows(row, 1));
  }
}

template <class T>
void Transformer<T>::Backward(ConstView<T> d_top,
                              absl::Span<const ConstView<T>> d_outputs,
                              View<T> d_input) {
  FIRTH_CHECK(d_outputs.empty() || d_outputs.size() == blocks_.size());
  gradient_.Resize(d_top.rows(), d_top.cols());
  const View<T> gradient = gradient_.view();
  size_t left = blocks_.size();
  if (some_asked_) {
    FIRTH_CHECK(d_outputs.empty());
    LastBackward(d_top);
    --left;
  } else {
    Copy(d_top, gradient);
    if (top_transform_ != nullptr) {
      ClearBehindSequences(gradient);
      top_transform_->Backward(gradient);
    }
  }
  for (size_t l = left; l-- > 0;) {
    if (!d_outputs.empty() && !d_outputs[l].empty()) {
      Add(d_outputs[l], gradient);
    }
    ClearBehindSequences(gradient);
    if (l + 1 == blocks_.size() && top_norm_ != nullptr) {
      top_norm_->Backward(gradient);
    }
    blocks_[l]->Backward(gradient, Memory(), d_memory_);
  }
  if (bias_ != nullptr) bias_->Gather();
  Leave(gradient, d_input);
}

template <class T>
void Transformer<T>::Read(ConstView<T> input, const ChunkShape& shape,
                          LayerState<T>* state,
                          typename SequenceLayers<T>::Visit visit) {
  const auto run = [this](ConstView<T> rows, const ChunkShape& piece,
                          LayerState<T>* from) {
    return Run(rows, piece, from, /*training=*/false, {});
  };
  // For a short text, a state would take more memory than all steps at once.
  if (!options_.causal || shape.steps <= kMostSteps) {
    visit(0, run(input, shape, state));
  } else {
    ReadInPieces<T>(*this, pattern_.reversed, input, shape, state, visit, run);
  }
}

template <class T>
std::unique_ptr<SequenceLayers<T>> MakeLayers(const TransformerLayers& options,
                                              const LayersPlace& place) {
  return std::make_unique<Transformer<T>>(options, place);
}

uint64_t CountParameters(const TransformerLayers& options, size_t input_dim) {
  uint64_t values = 0;
  const auto add = [&values](uint64_t rows, uint64_t cols) {
    values = AddSaturated(values, MultiplySaturated(rows, cols));
  };
  if (input_dim != options.units) add(input_dim, options.units);
  if (options.positions == PositionKind::kLearned) {
    add(options.context, options.units);
  }
  if (options.positions == PositionKind::kRelative) {
    add(kWayBuckets, options.heads);
  }
  const uint64_t square = MultiplySaturated(options.units, options.units);
  if (options.transform_top) add(1, square);
  const uint64_t between =
      MultiplySaturated(options.units, options.feed_forward);
  add(options.layers, MultiplySaturated(options.decodes ? 8 : 4, square));
  add(options.layers, MultiplySaturated(2, between));
  return values;
}

template class TransformerBlock<float>;
template class Transformer<float>;
template std::unique_ptr<SequenceLayers<float>> MakeLayers(
    const TransformerLayers&, const LayersPlace&);
#ifdef FIRTH_DOUBLES
template class TransformerBlock<double>;
template class Transformer<double>;
template std::unique_ptr<SequenceLayers<double>> MakeLayers(
    const TransformerLayers&, const LayersPlace&);
#endif

}  // namespace firth::nn
