// A recurrent layer: one cell over time, for a batch of sequences.
//
// The cell's formulas are in cells.h. This file handles time, in either
// direction, and everything that cells have in common: the state that is passed
// from chunk to chunk (truncated back-propagation through time), sequences of
// different lengths, clipping, and a projection of the output (LSTMP: Sak,
// Senior and Beaufays, "Long short-term memory recurrent neural network
// architectures for large scale acoustic modeling", 2014), for any cell:
//
//   out_t = clip(P h_t), or h_t without a projection; out_t recurs
//
// The gradient of a clipped value is 0.
//
// A layer can also read, in each step, a function of its previous output, such
// as what an attention found for it (Feedback):
//
//   x_t = [input_t ; feedback(out_{t-1})]
//
// Work is done per chunk if possible: one product for the inputs of all steps,
// and one for each weight gradient. Only the recurrence needs one per step.

#ifndef FIRTH_NN_RECURRENT_H_
#define FIRTH_NN_RECURRENT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "nn/cells.h"
#include "nn/matrix.h"
#include "nn/parameter.h"
#include "nn/sequence_layers.h"
#include "nn/stack.h"

namespace firth::nn {

struct RecurrentOptions {
  CellKind cell = CellKind::kLstm;
  size_t input_dim = 0;
  size_t units = 0;
  size_t projection_dim = 0;   // 0 means none
  double cell_clip = 0;        // limit of the cell's state; 0 means none
  double projection_clip = 0;  // limit of the projection; 0 means none
  double forget_bias = 1;      // initial bias of the forget gate
  bool orthogonal = false;     // initial recurrent weights, per gate
  double radius = 1;           // factor of orthogonal weights
  bool reversed = false;       // from the last step to the first
  size_t feedback_dim = 0;     // size of what Feedback computes; 0 means none

  static FieldTable Fields();  // those that model files contain
  size_t output_dim() const {
    return projection_dim == 0 ? units : projection_dim;
  }
};

// Options of a stack of recurrent layers.
struct RecurrentLayers {
  static constexpr char kSection[] = "stack";
  static FieldTable Fields();

  // Options of every layer. LayersPlace determines input_dim and reversed.
  RecurrentOptions recurrent;
  size_t layers = 1;
  bool residual = false;
  double dropout = 0;

  size_t output_dim() const { return recurrent.output_dim(); }
};

template <class T>
std::unique_ptr<SequenceLayers<T>> MakeLayers(const RecurrentLayers& options,
                                              const LayersPlace& place);
uint64_t CountParameters(const RecurrentLayers& options, size_t input_dim);

// Computes what a layer's next step reads in addition to its input. The rows
// are those of consecutive sequences, from `first` on, at one step. Several
// threads call it at the same time, each for its own sequences, whose steps are
// in order: ascending in Forward(), descending in Backward().
template <class T>
class Feedback {
 public:
  virtual ~Feedback() = default;
  // Sets `feedback`, [sequences, feedback_dim], from the layer's output at the
  // step, [sequences, output_dim].
  virtual void Forward(size_t step, size_t first, ConstView<T> output,
                       View<T> feedback) = 0;
  // Adds to the gradient of the output, given that of the feedback.
  virtual void Backward(size_t step, size_t first, ConstView<T> d_feedback,
                        View<T> d_output) = 0;
};

// A recurrent layer. Its state has two parts: "output", the last output [batch,
// output_dim], and "state", that of the cell [batch, units]. With feedback, it
// has a third, "feedback" [batch, feedback_dim].
template <class T>
class Recurrent : public Layer<T> {
 public:
  // Parameters are named "<name>.input" and so on, and drawn by the key.
  Recurrent(const RecurrentOptions& options, absl::string_view name,
            uint64_t key);

  const RecurrentOptions& options() const { return options_; }
  size_t output_dim() const override { return options_.output_dim(); }
  void AppendParameters(ParameterList<T>* list) override;
  void AppendState(absl::string_view prefix, size_t batch,
                   LayerState<T>* state) const override;

  // Rows after the end of a sequence repeat its last state.
  ConstView<T> Forward(ConstView<T> input, const ChunkShape& shape,
                       absl::Span<StatePart<T>> state) override;

  void Backward(ConstView<T> input, ConstView<T> d_output, View<T> d_input,
                absl::Span<StatePart<T>> d_state = {}) override;

  // Required if feedback_dim is above 0. Borrowed.
  void set_feedback(Feedback<T>* feedback) { feedback_ = feedback; }

  // [input_dim + feedback_dim, planes * units] for all input planes; see
  // cells.h.
  Parameter<T>& input_weights() { return *input_weights_; }
  Parameter<T>& recurrent_weights() { return *recurrent_weights_; }
  Parameter<T>& bias() { return *bias_; }
  // [units, projection_dim]; null without a projection.
  Parameter<T>* projection() { return projection_.get(); }
  // [units, units], or [1, units] if diagonal.
  Parameter<T>& state_weights(size_t index) { return *state_weights_[index]; }

 private:
  // Some sequences of the batch, which are independent of the others.
  struct Sequences {
    size_t first;
    size_t count;
  };

  // Return the positions of the rows of a step and of the previous one. Buffers
  // of outputs and states have an additional block for the initial state, in
  // front or, if reversed, at the end.
  size_t StepAt(size_t k) const {
    return options_.reversed ? shape_.steps - 1 - k : k;
  }
  size_t BlockBefore(size_t t) const { return options_.reversed ? t + 1 : t; }
  size_t BlockAfter(size_t t) const { return options_.reversed ? t : t + 1; }
  size_t FirstBlock() const { return options_.reversed ? shape_.steps : 0; }
  size_t LastBlock() const { return options_.reversed ? 0 : shape_.steps; }
  View<T> Block(Matrix<T>& matrix, size_t block) {
    return matrix.view().Rows(block * shape_.batch, shape_.batch);
  }
  View<T> Block(Matrix<T>& matrix, size_t block, Sequences rows) {
    return Block(matrix, block).Rows(rows.first, rows.count);
  }
  // Calls run(sequences) for all of them, in parts for the threads of a team.
  template <class Run>
  void ForSequences(const Run& run) const;
  ConstView<T> OutputView() const {
    return outputs_.view().Rows(BlockAfter(0) * shape_.batch, shape_.rows());
  }
  View<T> Planes(View<T> gates, PlaneRange range) const {
    return gates.Cols(range.begin * options_.units,
                      range.size() * options_.units);
  }
  View<T> Plane(View<T> gates, size_t plane) const {
    return Planes(gates, {plane, plane + 1});
  }
  // Returns whether sequence b has a step t.
  bool Active(size_t b, size_t t) const {
    return shape_.lengths.empty() || t < shape_.lengths[b];
  }

  void Allocate(const ChunkShape& shape);
  void SetFactors(Transpose transpose);
  void MultiplyInputs(ConstView<T> input);
  CellStep<T> MakeStep(size_t t, Sequences rows);
  void AddStateProducts(StateWeights::From from, ConstView<T> source,
                        View<T> gates);
  void StepForward(size_t t, Sequences rows);
  void Project(size_t t, Sequences rows);
  // Returns the rows of the input weights that are for feedback.
  View<T> FeedbackRows(View<T> input_weights) const {
    return input_weights.Rows(options_.input_dim, options_.feedback_dim);
  }
  // Backward pass of what a step passed to the next one.
  void FeedbackBackward(size_t t, Sequences rows);
  void StepBackward(size_t t, Sequences rows);
  void CellBackward(size_t t, Sequences rows, const T* d_cell_output);
  void StateProductsBackward(StateWeights::From from, View<T> gates, Into into,
                             View<T> d_source);
  void AddWeightGradients(ConstView<T> input);
  void AddStateWeightGradients();

  RecurrentOptions options_;
  const CellShape& cell_;
  std::unique_ptr<Parameter<T>> input_weights_;
  std::unique_ptr<Parameter<T>> recurrent_weights_;
  std::unique_ptr<Parameter<T>> bias_;
  std::unique_ptr<Parameter<T>> projection_;
  std::array<std::unique_ptr<Parameter<T>>, kMostStateWeights> state_weights_;

  RepeatedFactor<T> recurrent_factor_;   // R forward, R^T backward
  RepeatedFactor<T> projection_factor_;  // P and P^T
  RepeatedFactor<T> feedback_factor_;    // the input weights for feedback
  Feedback<T>* feedback_ = nullptr;
  ChunkShape shape_;
  std::vector<size_t> lengths_;
  std::vector<uint8_t> active_;  // [steps, batch], if padded
  Matrix<T> gates_;              // [rows, planes * units]
  Matrix<T> states_;             // [rows + batch, units]
  Matrix<T> outputs_;            // [rows + batch, output_dim]
  Matrix<T> cell_outputs_;       // [rows, units], with a projection
  Matrix<T> middles_;            // [rows, units], if the cell has one
  Matrix<T> feedbacks_;          // [rows + batch, feedback_dim]
  Matrix<T> d_outputs_;          // [rows, output_dim]
  Matrix<T> d_cell_output_;      // [batch, units], with a projection
  Matrix<T> d_middle_;           // [batch, units]
  Matrix<T> carry_output_;       // gradients of the previous step: [batch,
  Matrix<T> carry_state_;        // output_dim] and [batch, units]
  Matrix<T> carry_feedback_;     // [batch, feedback_dim]
  Matrix<T> d_feedback_;         // the same, without sequences that ended
};

}  // namespace firth::nn

#endif  // FIRTH_NN_RECURRENT_H_
