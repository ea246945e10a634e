// Layers that read sequences: all that language models and taggers know of
// recurrent networks and of what else reads a text token by token.
//
// Sequences stand side by side in a chunk, rows time-major. Layers run over one
// chunk a call, so that a virtual call costs nothing, and carry a LayerState
// from one chunk to the next; gradients do not go back beyond a chunk
// (truncated back-propagation through time).
//
// To add a kind of layers, write its options and the class in a file of its own
// and name the options in LayersOptions (nn/layers.h).

#ifndef FIRTH_NN_SEQUENCE_LAYERS_H_
#define FIRTH_NN_SEQUENCE_LAYERS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "nn/dropout.h"
#include "nn/matrix.h"
#include "nn/parameter.h"

namespace firth::nn {

// A chunk: `batch` sequences of `steps` steps. If `lengths` is not empty,
// sequence b has lengths[b] <= steps steps; what stands in the rows beyond must
// be finite and has no influence. If `asked` is not empty, layers that are
// trained need to make no other rows of the top, those of a sequence rising;
// the others are finite, and gradients by them are zeros.
struct ChunkShape {
  size_t steps = 0;
  size_t batch = 0;
  absl::Span<const size_t> lengths = {};
  absl::Span<const uint32_t> asked = {};

  size_t rows() const { return steps * batch; }
  bool padded() const { return !lengths.empty(); }
  size_t length(size_t b) const { return padded() ? lengths[b] : steps; }
};

// A matrix that layers carry from chunk to chunk, with a row a sequence.
template <class T>
struct StatePart {
  std::string name;  // unique in a state: "0.output"
  Matrix<T> values;  // [batch, any]
};

// What layers carry from chunk to chunk; zeros stand for the time before a
// sequence begins.
template <class T>
class LayerState {
 public:
  void Add(std::string name, size_t batch, size_t cols) {
    parts_.push_back({std::move(name), Matrix<T>(batch, cols)});
  }

  bool empty() const { return parts_.empty(); }
  absl::Span<StatePart<T>> parts() { return absl::MakeSpan(parts_); }
  Matrix<T>& operator[](size_t part) { return parts_[part].values; }

  void Reset();
  // Starts one sequence of the batch anew.
  void ResetRow(size_t row);
  // Row k becomes what row parents[k] was; the batch becomes as large as
  // `parents`.
  void KeepRows(absl::Span<const size_t> parents);

 private:
  std::vector<StatePart<T>> parts_;
};

template <class T>
class SequenceLayers {
 public:
  virtual ~SequenceLayers() = default;

  virtual size_t output_dim() const = 0;  // of every layer
  virtual size_t num_layers() const = 0;
  virtual void AppendParameters(ParameterList<T>* list) = 0;
  virtual LayerState<T> MakeState(size_t batch) const = 0;

  // Runs over the chunk input [rows, input_dim], from *state on, and leaves the
  // last state there; null: sequences begin with the chunk, and nothing follows
  // it. Returns the top [rows, output_dim], valid until the next
  // call. With a key, dropout is at work. `input` must stay as it is until
  // Backward() is done.
  virtual ConstView<T> Forward(ConstView<T> input, const ChunkShape& shape,
                               LayerState<T>* state, DropoutKey key = {}) = 0;
  // What a layer gave the one above it, valid until the next Forward().
  virtual ConstView<T> output(size_t layer) const = 0;

  // After Forward(): adds to the gradients of the parameters, given that of the
  // loss by the top and, if not empty, one by each layer's output besides (an
  // empty view: none). Fills d_input, if it is not empty.
  virtual void Backward(ConstView<T> d_top,
                        absl::Span<const ConstView<T>> d_outputs,
                        View<T> d_input) = 0;

  // Of attention in each layer; 0: layers of another kind.
  virtual size_t num_heads() const { return 0; }
  // After Forward() without a state, of layers with heads: how much of each
  // step of sequence b a head gave to each of its steps, [length, length]; the
  // rows sum to 1.
  virtual void CopyWeights(size_t layer, size_t b, size_t head,
                           View<T> weights) const {
    (void)layer, (void)b, (void)head;
    SetZero(weights);
  }

  // Says that no parameter changes before the next Forward(), so that what
  // Read() makes of them may be kept from call to call.
  virtual void ParametersStay() {}
  // Forward() without training over a text of any length. `visit` gets the
  // first step and the top of each piece that the layers make of it, with
  // output() as of that piece. Layers that need the whole text make one piece.
  using Visit = absl::FunctionRef<void(size_t first_step, ConstView<T> top)>;
  virtual void Read(ConstView<T> input, const ChunkShape& shape,
                    LayerState<T>* state, Visit visit) {
    visit(0, Forward(input, shape, state));
  }
};

// Read() of layers whose state tells them all about the steps before: in pieces
// of limited size, from the last one to the first if `reversed`, which give
// what one piece gives and need less memory. run: Forward().
template <class T>
using RunPiece = absl::FunctionRef<ConstView<T>(
    ConstView<T> input, const ChunkShape& shape, LayerState<T>* state)>;
template <class T>
void ReadInPieces(const SequenceLayers<T>& layers, bool reversed,
                  ConstView<T> input, const ChunkShape& shape,
                  LayerState<T>* state, typename SequenceLayers<T>::Visit visit,
                  RunPiece<T> run);

// Where layers stand in a network.
struct LayersPlace {
  size_t input_dim = 0;
  bool reversed = false;  // they read from the last step to the first
  std::string name;       // parameters are called "<name>.0.input" and so on
  uint64_t key = 0;       // by which parameters are drawn
};

}  // namespace firth::nn

#endif  // FIRTH_NN_SEQUENCE_LAYERS_H_
