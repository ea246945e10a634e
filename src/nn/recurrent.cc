// A chunk is processed in three phases: one product adds the inputs to the
// gates of all steps, then the recurrence runs step by step, and finally the
// output is projected. Backward() replaces the gates by their gradients, step
// by step from the last one. One product per weight matrix then computes its
// gradient over the whole chunk.

#include "nn/recurrent.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/rng.h"
#include "base/saturated.h"

namespace firth::nn {
namespace {

template <class T>
T ClipOrInfinity(double clip) {
  return clip > 0 ? static_cast<T>(clip) : std::numeric_limits<T>::infinity();
}

template <class T>
void ClipAll(T limit, View<T> values) {
  for (size_t r = 0; r < values.rows(); ++r) {
    T* const row = values.Row(r);
    for (size_t c = 0; c < values.cols(); ++c) {
      const T low = row[c] < -limit ? -limit : row[c];
      row[c] = low > limit ? limit : low;
    }
  }
}

}  // namespace

FieldTable RecurrentOptions::Fields() {
  using Options = RecurrentOptions;
  FieldsOf<Options> fields;
  fields.Choice("cell", &Options::cell, kCellNames, "");
  fields.Add("units", &Options::units, "", Field().Range(1, kMostUnits));
  fields.Add("projection_dim", &Options::projection_dim, "",
             Field().Range(0, kMostUnits));
  fields.Add("cell_clip", &Options::cell_clip, "");
  fields.Add("projection_clip", &Options::projection_clip, "");
  return fields;
}

FieldTable RecurrentLayers::Fields() {
  using Layers = RecurrentLayers;
  FieldsOf<Layers> fields;
  fields.Part(&Layers::recurrent);
  fields.Add("layers", &Layers::layers, "", Field().Range(1, kMostLayers));
  fields.Add("residual", &Layers::residual, "");
  fields.Add("dropout", &Layers::dropout, "", Field().Range(0, kMostDropout));
  return fields;
}

template <class T>
Recurrent<T>::Recurrent(const RecurrentOptions& options, absl::string_view name,
                        uint64_t key)
    : options_(options), cell_(ShapeOf(options.cell)) {
  const size_t units = options.units;
  const size_t output_dim = options.output_dim();
  uint64_t drawn = 0;
  const auto make = [&](absl::string_view part, size_t rows, size_t planes,
                        size_t fan_in) {
    auto made = std::make_unique<Parameter<T>>(absl::StrCat(name, ".", part),
                                               rows, planes);
    FillGlorot(fan_in, planes, CombineKeys(key, ++drawn), made->value);
    return made;
  };
  const size_t input_dim = options.input_dim + options.feedback_dim;
  const size_t fan_in = input_dim + output_dim;
  input_weights_ = make("input", input_dim, cell_.input.size() * units, fan_in);
  recurrent_weights_ =
      make("recurrent", output_dim, cell_.recurrent.size() * units, fan_in);
  for (size_t plane = 0; options.orthogonal && plane < cell_.recurrent.size();
       ++plane) {
    const View<T> weights =
        recurrent_weights_->value.view().Cols(plane * units, units);
    FillOrthogonal(CombineKeys(CombineKeys(key, 0), plane), weights);
    for (size_t row = 0; row < output_dim; ++row) {
      for (size_t unit = 0; unit < units; ++unit) {
        weights.Row(row)[unit] *= static_cast<T>(options.radius);
      }
    }
  }
  for (size_t w = 0; w < cell_.num_state_weights; ++w) {
    state_weights_[w] = make(cell_.state_weights[w].name,
                             cell_.diagonal ? 1 : units, units, units);
    if (cell_.diagonal) state_weights_[w]->value.Fill(0);
  }
  if (options.projection_dim > 0) {
    projection_ = make("projection", units, options.projection_dim, units);
  }
  bias_ = std::make_unique<Parameter<T>>(absl::StrCat(name, ".bias"), 1,
                                         cell_.planes * units);
  if (cell_.forget_plane != kNoPlane) {
    std::fill_n(bias_->value.data() + cell_.forget_plane * units, units,
                static_cast<T>(options.forget_bias));
  }
}

template <class T>
void Recurrent<T>::AppendParameters(ParameterList<T>* list) {
  list->push_back(input_weights_.get());
  list->push_back(recurrent_weights_.get());
  list->push_back(bias_.get());
  for (size_t w = 0; w < cell_.num_state_weights; ++w) {
    list->push_back(state_weights_[w].get());
  }
  if (projection_ != nullptr) list->push_back(projection_.get());
}

template <class T>
void Recurrent<T>::AppendState(absl::string_view prefix, size_t batch,
                               LayerState<T>* state) const {
  state->Add(absl::StrCat(prefix, "output"), batch, options_.output_dim());
  state->Add(absl::StrCat(prefix, "state"), batch, options_.units);
  if (options_.feedback_dim == 0) return;
  state->Add(absl::StrCat(prefix, "feedback"), batch, options_.feedback_dim);
}

template <class T>
void Recurrent<T>::Allocate(const ChunkShape& shape) {
  lengths_.assign(shape.lengths.begin(), shape.lengths.end());
  shape_ = {shape.steps, shape.batch, lengths_};
  const size_t rows = shape.rows();
  const size_t units = options_.units;
  gates_.Resize(rows, cell_.planes * units);
  states_.Resize(rows + shape.batch, units);
  outputs_.Resize(rows + shape.batch, options_.output_dim());
  if (projection_ != nullptr) cell_outputs_.Resize(rows, units);
  if (cell_.has_middle) middles_.Resize(rows, units);
  feedbacks_.Resize(rows + shape.batch, options_.feedback_dim);
  active_.clear();
  if (!shape_.padded()) return;
  FIRTH_CHECK(lengths_.size() == shape.batch);
  for (size_t t = 0; t < shape.steps; ++t) {
    for (size_t b = 0; b < shape.batch; ++b) active_.push_back(Active(b, t));
  }
}

template <class T>
void Recurrent<T>::SetFactors(Transpose transpose) {
  recurrent_factor_.Set(transpose, recurrent_weights_->value.view());
  if (projection_ != nullptr) {
    projection_factor_.Set(transpose, projection_->value.view());
  }
  if (options_.feedback_dim > 0) {
    feedback_factor_.Set(transpose, FeedbackRows(input_weights_->value.view()));
  }
}

template <class T>
ConstView<T> Recurrent<T>::Forward(ConstView<T> input, const ChunkShape& shape,
                                   absl::Span<StatePart<T>> state) {
  FIRTH_CHECK(input.rows() == shape.rows());
  Allocate(shape);
  SetFactors(Transpose::kNo);
  MultiplyInputs(input);
  Copy<T>(state[0].values.view(), Block(outputs_, FirstBlock()));
  Copy<T>(state[1].values.view(), Block(states_, FirstBlock()));
  if (state.size() > 2) {
    Copy<T>(state[2].values.view(), Block(feedbacks_, FirstBlock()));
  }
  ForSequences([&](Sequences rows) {
    for (size_t k = 0; k < shape.steps; ++k) StepForward(StepAt(k), rows);
  });
  Copy<T>(Block(outputs_, LastBlock()), state[0].values.view());
  Copy<T>(Block(states_, LastBlock()), state[1].values.view());
  if (state.size() > 2) {
    Copy<T>(Block(feedbacks_, LastBlock()), state[2].values.view());
  }
  return OutputView();
}

template <class T>
void Recurrent<T>::MultiplyInputs(ConstView<T> input) {
  const View<T> gates = gates_.view();
  SetZero(Planes(gates, {0, cell_.input.begin}));
  SetZero(Planes(gates, {cell_.input.end, cell_.planes}));
  Multiply(input, input_weights_->value.view().Rows(0, options_.input_dim),
           Into::kOverwrite, Planes(gates, cell_.input));
}

// Sequences are independent, so each thread runs its own sequences through all
// steps. With fewer than eight per thread, reading the weights would take as
// long as using them. Cells with matrices on their state are not divided,
// because a BLAS sums few rows in another order than many.
template <class T>
template <class Run>
void Recurrent<T>::ForSequences(const Run& run) const {
  constexpr size_t kLeast = 8;
  constexpr size_t kStep = 4;
  const bool alone = cell_.num_state_weights > 0 && !cell_.diagonal;
  ForRanges(
      shape_.batch, kStep,
      alone ? shape_.batch : std::max(kLeast, shape_.batch / team_place.share),
      [&](size_t begin, size_t end) {
        run({begin, end - begin});
      });
}

template <class T>
CellStep<T> Recurrent<T>::MakeStep(size_t t, Sequences rows) {
  CellStep<T> step;
  step.rows = rows.count;
  step.units = options_.units;
  step.gates = Block(gates_, t, rows).data();
  step.bias = bias_->value.data();
  step.previous = Block(states_, BlockBefore(t), rows).data();
  step.state = Block(states_, BlockAfter(t), rows).data();
  step.output = projection_ != nullptr
                    ? Block(cell_outputs_, t, rows).data()
                    : Block(outputs_, BlockAfter(t), rows).data();
  if (cell_.has_middle) step.middle = Block(middles_, t, rows).data();
  for (size_t w = 0; w < cell_.num_state_weights; ++w) {
    step.state_weights[w] = state_weights_[w]->value.data();
  }
  step.clip = ClipOrInfinity<T>(options_.cell_clip);
  if (shape_.padded()) {
    step.active = active_.data() + t * shape_.batch + rows.first;
  }
  return step;
}

// Adds the products of the matrices on a cell's state.
template <class T>
void Recurrent<T>::AddStateProducts(StateWeights::From from,
                                    ConstView<T> source, View<T> gates) {
  if (cell_.diagonal) return;
  for (size_t w = 0; w < cell_.num_state_weights; ++w) {
    if (cell_.state_weights[w].from != from) continue;
    Multiply(source, state_weights_[w]->value.view(), Into::kAdd,
             Plane(gates, cell_.state_weights[w].plane));
  }
}

template <class T>
void Recurrent<T>::StepForward(size_t t, Sequences rows) {
  const View<T> gates = Block(gates_, t, rows);
  recurrent_factor_.Multiply(Block(outputs_, BlockBefore(t), rows), Into::kAdd,
                             Planes(gates, cell_.recurrent));
  if (options_.feedback_dim > 0) {
    feedback_factor_.Multiply(Block(feedbacks_, BlockBefore(t), rows),
                              Into::kAdd, Planes(gates, cell_.input));
  }
  AddStateProducts(StateWeights::From::kPrevious,
                   Block(states_, BlockBefore(t), rows), gates);
  const CellStep<T> step = MakeStep(t, rows);
  if (cell_.has_middle) {
    RunCell(options_.cell, CellPhase::kStart, step);
    AddStateProducts(StateWeights::From::kMiddle, Block(middles_, t, rows),
                     gates);
  }
  RunCell(options_.cell, CellPhase::kFinish, step);
  if (projection_ != nullptr) Project(t, rows);
  if (options_.feedback_dim > 0) {
    feedback_->Forward(t, rows.first, Block(outputs_, BlockAfter(t), rows),
                       Block(feedbacks_, BlockAfter(t), rows));
  }
  if (!shape_.padded()) return;
  for (size_t b = rows.first; b < rows.first + rows.count; ++b) {
    if (Active(b, t)) continue;
    for (Matrix<T>* const values : {&outputs_, &feedbacks_}) {
      std::copy_n(Block(*values, BlockBefore(t)).Row(b), values->cols(),
                  Block(*values, BlockAfter(t)).Row(b));
    }
  }
}

template <class T>
void Recurrent<T>::Project(size_t t, Sequences rows) {
  const View<T> output = Block(outputs_, BlockAfter(t), rows);
  projection_factor_.Multiply(Block(cell_outputs_, t, rows), Into::kOverwrite,
                              output);
  if (options_.projection_clip > 0) {
    ClipAll(static_cast<T>(options_.projection_clip), output);
  }
}

template <class T>
void Recurrent<T>::Backward(ConstView<T> input, ConstView<T> d_output,
                            View<T> d_input, absl::Span<StatePart<T>> d_state) {
  FIRTH_CHECK(d_output.rows() == shape_.rows());
  FIRTH_CHECK(d_output.cols() == options_.output_dim());
  d_outputs_.Resize(d_output.rows(), d_output.cols());
  Copy(d_output, d_outputs_.view());
  carry_output_.Resize(shape_.batch, options_.output_dim());
  carry_state_.Resize(shape_.batch, options_.units);
  carry_feedback_.Resize(shape_.batch, options_.feedback_dim);
  d_feedback_.Resize(shape_.batch, options_.feedback_dim);
  Matrix<T>* const carries[] = {&carry_output_, &carry_state_,
                                &carry_feedback_};
  for (size_t i = 0; i < std::size(carries); ++i) {
    carries[i]->Fill(0);
    if (i < d_state.size()) {
      Copy<T>(d_state[i].values.view(), carries[i]->view());
    }
  }
  SetFactors(Transpose::kYes);
  if (projection_ != nullptr) {
    d_cell_output_.Resize(shape_.batch, options_.units);
  }
  if (cell_.has_middle) d_middle_.Resize(shape_.batch, options_.units);
  ForSequences([&](Sequences rows) {
    for (size_t k = shape_.steps; k-- > 0;) StepBackward(StepAt(k), rows);
  });
  AddWeightGradients(input);
  if (!d_input.empty()) {
    MultiplyBack(Planes(gates_.view(), cell_.input),
                 input_weights_->value.view().Rows(0, options_.input_dim),
                 Into::kOverwrite, d_input);
  }
  for (size_t i = 0; i < d_state.size(); ++i) {
    Copy<T>(carries[i]->view(), d_state[i].values.view());
  }
}

template <class T>
void Recurrent<T>::FeedbackBackward(size_t t, Sequences rows) {
  const View<T> d_feedback = Block(d_feedback_, 0, rows);
  for (size_t b = 0; b < rows.count; ++b) {
    T* const carry = Block(carry_feedback_, 0, rows).Row(b);
    const bool active = Active(rows.first + b, t);
    for (size_t c = 0; c < options_.feedback_dim; ++c) {
      d_feedback.Row(b)[c] = active ? carry[c] : 0;
    }
  }
  feedback_->Backward(t, rows.first, d_feedback, Block(d_outputs_, t, rows));
}

template <class T>
void Recurrent<T>::StepBackward(size_t t, Sequences rows) {
  const View<T> d_output = Block(d_outputs_, t, rows);
  const View<T> carry = Block(carry_output_, 0, rows);
  Add<T>(carry, d_output);
  if (options_.feedback_dim > 0) FeedbackBackward(t, rows);
  const T* d_cell_output = d_output.data();
  if (projection_ != nullptr) {
    const T limit = ClipOrInfinity<T>(options_.projection_clip);
    const ConstView<T> output = Block(outputs_, BlockAfter(t), rows);
    for (size_t b = 0; b < rows.count && options_.projection_clip > 0; ++b) {
      if (!Active(rows.first + b, t)) continue;
      for (size_t c = 0; c < output.cols(); ++c) {
        if (std::abs(output.Row(b)[c]) >= limit) d_output.Row(b)[c] = 0;
      }
    }
    const View<T> of_cell = Block(d_cell_output_, 0, rows);
    projection_factor_.Multiply(d_output, Into::kOverwrite, of_cell);
    d_cell_output = of_cell.data();
  }
  CellBackward(t, rows, d_cell_output);
  const View<T> gates = Block(gates_, t, rows);
  recurrent_factor_.Multiply(Planes(gates, cell_.recurrent), Into::kOverwrite,
                             carry);
  if (options_.feedback_dim > 0) {
    feedback_factor_.Multiply(Planes(gates, cell_.input), Into::kOverwrite,
                              Block(d_feedback_, 0, rows));
  }
  if (!shape_.padded() && options_.feedback_dim == 0) return;
  for (size_t b = 0; b < rows.count; ++b) {
    if (Active(rows.first + b, t)) {
      std::copy_n(Block(d_feedback_, 0, rows).Row(b), options_.feedback_dim,
                  Block(carry_feedback_, 0, rows).Row(b));
    } else {
      std::copy_n(d_output.Row(b), d_output.cols(), carry.Row(b));
    }
  }
}

template <class T>
void Recurrent<T>::CellBackward(size_t t, Sequences rows,
                                const T* d_cell_output) {
  const View<T> gates = Block(gates_, t, rows);
  CellStep<T> step = MakeStep(t, rows);
  step.d_output = d_cell_output;
  step.d_state = Block(carry_state_, 0, rows).data();
  RunCell(options_.cell, CellPhase::kFinishBackward, step);
  if (cell_.has_middle) {
    const View<T> d_middle = Block(d_middle_, 0, rows);
    step.d_middle = d_middle.data();
    StateProductsBackward(StateWeights::From::kMiddle, gates, Into::kOverwrite,
                          d_middle);
    RunCell(options_.cell, CellPhase::kStartBackward, step);
  }
  StateProductsBackward(StateWeights::From::kPrevious, gates, Into::kAdd,
                        Block(carry_state_, 0, rows));
}

template <class T>
void Recurrent<T>::StateProductsBackward(StateWeights::From from, View<T> gates,
                                         Into into, View<T> d_source) {
  if (cell_.diagonal) return;
  for (size_t w = 0; w < cell_.num_state_weights; ++w) {
    if (cell_.state_weights[w].from != from) continue;
    MultiplyBack(Plane(gates, cell_.state_weights[w].plane),
                 state_weights_[w]->value.view(), into, d_source);
    into = Into::kAdd;
  }
}

template <class T>
void Recurrent<T>::AddWeightGradients(ConstView<T> input) {
  const View<T> d_gates = gates_.view();
  const View<T> d_input_weights = input_weights_->gradient.view();
  AddWeightGradient(input, Planes(d_gates, cell_.input),
                    d_input_weights.Rows(0, options_.input_dim));
  if (options_.feedback_dim > 0) {
    AddWeightGradient(
        feedbacks_.view().Rows(BlockBefore(0) * shape_.batch, shape_.rows()),
        Planes(d_gates, cell_.input), FeedbackRows(d_input_weights));
  }
  const ConstView<T> before =
      outputs_.view().Rows(BlockBefore(0) * shape_.batch, shape_.rows());
  AddWeightGradient(before, Planes(d_gates, cell_.recurrent),
                    recurrent_weights_->gradient.view());
  AddColumnSums(d_gates, bias_->gradient.Row(0));
  if (projection_ != nullptr) {
    AddWeightGradient(cell_outputs_.view(), d_outputs_.view(),
                      projection_->gradient.view());
  }
  AddStateWeightGradients();
}

template <class T>
void Recurrent<T>::AddStateWeightGradients() {
  for (size_t w = 0; w < cell_.num_state_weights; ++w) {
    const StateWeights& weights = cell_.state_weights[w];
    const View<T> d_plane = Plane(gates_.view(), weights.plane);
    const size_t block = weights.from == StateWeights::From::kPrevious
                             ? BlockBefore(0)
                             : BlockAfter(0);
    const ConstView<T> source =
        weights.from == StateWeights::From::kMiddle
            ? middles_.view()
            : states_.view().Rows(block * shape_.batch, shape_.rows());
    if (!cell_.diagonal) {
      AddWeightGradient(source, d_plane, state_weights_[w]->gradient.view());
      continue;
    }
    T* const sums = state_weights_[w]->gradient.Row(0);
    ForColumns(source.rows(), source.cols(), [&](size_t begin, size_t end) {
      for (size_t r = 0; r < source.rows(); ++r) {
        for (size_t u = begin; u < end; ++u) {
          sums[u] += d_plane.Row(r)[u] * source.Row(r)[u];
        }
      }
    });
  }
}

template <class T>
std::unique_ptr<SequenceLayers<T>> MakeLayers(const RecurrentLayers& options,
                                              const LayersPlace& place) {
  std::vector<std::unique_ptr<Layer<T>>> layers;
  RecurrentOptions layer = options.recurrent;
  layer.input_dim = place.input_dim;
  layer.reversed = place.reversed;
  for (size_t l = 0; l < options.layers; ++l) {
    layers.push_back(std::make_unique<Recurrent<T>>(
        layer, absl::StrCat(place.name, ".", l), CombineKeys(place.key, l)));
    layer.input_dim = layer.output_dim();
  }
  return std::make_unique<Stack<T>>(
      StackOptions{options.residual, options.dropout, place.reversed},
      std::move(layers));
}

uint64_t CountParameters(const RecurrentLayers& options, size_t input_dim) {
  const RecurrentOptions& layer = options.recurrent;
  const CellShape& shape = ShapeOf(layer.cell);
  uint64_t values = 0;
  const auto add = [&values](uint64_t rows, uint64_t cols) {
    values = AddSaturated(values, MultiplySaturated(rows, cols));
  };
  for (size_t l = 0; l < options.layers; ++l) {
    add(l == 0 ? input_dim : layer.output_dim(),
        shape.input.size() * layer.units);
    add(layer.output_dim(), shape.recurrent.size() * layer.units);
    add(layer.units, layer.projection_dim);
    if (shape.diagonal) continue;
    add(layer.units, shape.num_state_weights * layer.units);
  }
  return values;
}

template class Recurrent<float>;
template std::unique_ptr<SequenceLayers<float>> MakeLayers(
    const RecurrentLayers&, const LayersPlace&);
#ifdef FIRTH_DOUBLES
template class Recurrent<double>;
template std::unique_ptr<SequenceLayers<double>> MakeLayers(
    const RecurrentLayers&, const LayersPlace&);
#endif

}  // namespace firth::nn
