// The interface of layers that read sequences. Language models and taggers use
// recurrent and other networks only through it.
//
// A chunk contains several sequences, one row per step and sequence, in
// time-major order. Layers process one chunk per call, so that the cost of the
// virtual call does not matter, and pass a LayerState from one chunk to the
// next. Gradients do not flow back beyond a chunk (truncated back-propagation
// through time).
//
// To add a kind of layers, write its options and its class in a file of its own
// and add the options to LayersOptions (nn/layers.h).

#ifndef FIRTH_NN_SEQUENCE_LAYERS_H_
#define FIRTH_NN_SEQUENCE_LAYERS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "firth/fields.h"
#include "nn/matrix.h"
#include "nn/parameter.h"
#include "nn/row_layers.h"

namespace firth::nn {

// Limits of sizes in files, which may have been written by anybody.
constexpr uint64_t kMostUnits = 1 << 20;
constexpr uint64_t kMostLayers = 100;
constexpr uint64_t kMostContext = 1 << 16;
constexpr double kMostDropout = 0.999;

// A chunk of `batch` sequences of `steps` steps. If `lengths` is not empty,
// sequence b has lengths[b] <= steps steps. The values of the rows after that
// must be finite and have no effect. If `asked` is not empty, training requires
// only these rows of the top. The rows of each sequence are in ascending order.
// Layers may fill the other rows with any finite values, and the gradients of
// these rows are zero.
struct ChunkShape {
  size_t steps = 0;
  size_t batch = 0;
  absl::Span<const size_t> lengths = {};
  absl::Span<const uint32_t> asked = {};

  size_t rows() const { return steps * batch; }
  bool padded() const { return !lengths.empty(); }
  size_t length(size_t b) const { return padded() ? lengths[b] : steps; }
};

// A matrix that layers pass from chunk to chunk, with one row per sequence.
template <class T>
struct StatePart {
  std::string name;  // Unique in a state, such as "0.output".
  Matrix<T> values;  // [batch, any]
};

// The state that layers pass from chunk to chunk. Before a sequence begins, it
// is zero.
template <class T>
class LayerState {
 public:
  void Add(std::string name, size_t batch, size_t cols) {
    parts_.push_back({std::move(name), Matrix<T>(batch, cols)});
  }

  bool empty() const { return parts_.empty(); }
  size_t num_parts() const { return parts_.size(); }
  absl::Span<StatePart<T>> parts() { return absl::MakeSpan(parts_); }
  Matrix<T>& operator[](size_t part) { return parts_[part].values; }
  const Matrix<T>& operator[](size_t part) const { return parts_[part].values; }

  void Reset();
  // Clears the state of one sequence of the batch.
  void ResetRow(size_t row);
  // Replaces row k by the previous row parents[k]. The new size of the batch is
  // that of `parents`.
  void KeepRows(absl::Span<const size_t> parents);

 private:
  std::vector<StatePart<T>> parts_;
};

template <class T>
class SequenceLayers {
 public:
  virtual ~SequenceLayers() = default;

  virtual size_t output_dim() const = 0;  // Of each layer.
  virtual size_t num_layers() const = 0;
  virtual void AppendParameters(ParameterList<T>* list) = 0;
  virtual LayerState<T> MakeState(size_t batch) const = 0;

  // Processes the chunk `input`, [rows, input_dim], starting from *state, and
  // sets *state to the state after the last step. If `state` is null, the
  // sequences begin and end with the chunk. Returns the top, [rows,
  // output_dim], which is valid until the next call. Dropout is applied if a
  // key is given. `input` must not change until Backward() returns.
  virtual ConstView<T> Forward(ConstView<T> input, const ChunkShape& shape,
                               LayerState<T>* state, DropoutKey key = {}) = 0;
  // Returns the output of a layer, which is valid until the next Forward().
  virtual ConstView<T> output(size_t layer) const = 0;

  // Adds to the gradients of the parameters. Must follow Forward(). `d_top` is
  // the gradient of the loss with respect to the top. `d_outputs`, if it is not
  // empty, has additional gradients with respect to the output of each layer;
  // an empty view means none. Sets d_input, if it is not empty, to the gradient
  // of the input.
  virtual void Backward(ConstView<T> d_top,
                        absl::Span<const ConstView<T>> d_outputs,
                        View<T> d_input) = 0;
  // Sets the gradient with respect to the last state of Forward(), with which
  // the next Backward() begins. That call replaces it by the gradient with
  // respect to the first state. Without this call, the gradient is zero.
  // Requires recurrent layers.
  virtual void SetStateGradient(LayerState<T>* d_state) {
    FIRTH_CHECK(d_state == nullptr || d_state->empty());
  }

  // Returns the number of attention heads per layer, or 0 for layers without
  // attention.
  virtual size_t num_heads() const { return 0; }
  // Copies the attention weights of a head in sequence b to `weights`, [length,
  // length]. Row i has the weights with which step i attends to each step, and
  // its sum is 1. Requires layers with attention, and a previous Forward()
  // without a state.
  virtual void CopyWeights(size_t layer, size_t b, size_t head,
                           View<T> weights) const {
    (void)layer, (void)b, (void)head;
    SetZero(weights);
  }

  // Declares that no parameter will change before the next Forward(). Read()
  // may then keep values that it computes from the parameters.
  virtual void ParametersStay() {}
  // Runs Forward() without training over a text of any length, in pieces. Calls
  // `visit` with the first step and the top of each piece; output() then
  // returns the outputs of this piece. Layers that need the whole text use a
  // single piece.
  using Visit = absl::FunctionRef<void(size_t first_step, ConstView<T> top)>;
  virtual void Read(ConstView<T> input, const ChunkShape& shape,
                    LayerState<T>* state, Visit visit) {
    visit(0, Forward(input, shape, state));
  }
};

// Implements Read() for layers whose state contains everything about the
// previous steps. Uses pieces of limited size, which give the same result as a
// single piece and need less memory. Reads from the last piece to the first if
// `reversed`. `run` is Forward().
template <class T>
using RunPiece = absl::FunctionRef<ConstView<T>(
    ConstView<T> input, const ChunkShape& shape, LayerState<T>* state)>;
template <class T>
void ReadInPieces(const SequenceLayers<T>& layers, bool reversed,
                  ConstView<T> input, const ChunkShape& shape,
                  LayerState<T>* state, typename SequenceLayers<T>::Visit visit,
                  RunPiece<T> run);

// The position of layers in a network.
struct LayersPlace {
  size_t input_dim = 0;
  bool reversed = false;  // Whether they read from the last step.
  std::string name;       // Prefix of parameters: "<name>.0.input".
  uint64_t key = 0;       // Key for drawing initial parameters.
};

}  // namespace firth::nn

#endif  // FIRTH_NN_SEQUENCE_LAYERS_H_
