// Layers of one kind that read a text forward, backward, or both. Each
// direction has its own parameters and its own thread.

#ifndef FIRTH_NN_BIDIRECTIONAL_H_
#define FIRTH_NN_BIDIRECTIONAL_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "firth/network_kinds.h"
#include "nn/layers.h"
#include "nn/matrix.h"
#include "nn/row_layers.h"

namespace firth::nn {

enum class Direction { kForward, kBackward };
absl::Span<const Direction> DirectionsOf(Reading reading);

// Returns the name of the direction in parameters and states of files.
constexpr const char* DirectionName(Direction direction) {
  return direction == Direction::kForward ? "forward" : "backward";
}

template <class T>
class Bidirectional {
 public:
  // `keys` are those for drawing the parameters of each direction.
  Bidirectional(const LayersOptions& options, Reading reading, size_t input_dim,
                const std::array<uint64_t, 2>& keys);

  absl::Span<const Direction> directions() const { return directions_; }
  bool reads(Direction direction) const {
    return layers_[static_cast<size_t>(direction)] != nullptr;
  }
  // Returns the layers of a direction that is read. The backward layers read
  // from the last row of a chunk to the first.
  SequenceLayers<T>& operator[](Direction direction) {
    return *layers_[static_cast<size_t>(direction)];
  }
  // See SequenceLayers.
  void ParametersStay() {
    for (const Direction direction : directions_) {
      (*this)[direction].ParametersStay();
    }
  }
  void AppendParameters(ParameterList<T>* list) {
    for (const Direction direction : directions_) {
      (*this)[direction].AppendParameters(list);
    }
  }

  size_t num_layers() const { return First().num_layers(); }
  size_t direction_dim() const { return First().output_dim(); }
  // Size of all directions side by side, and the position of one in it.
  size_t output_dim() const { return directions_.size() * direction_dim(); }
  size_t OffsetOf(Direction direction) const {
    return direction == directions_[0] ? 0 : direction_dim();
  }

  // Reads packed sentences (one row per token, one sentence after another) of
  // these lengths, each from a state of zeros, with a team of threads. Sets
  // output, [tokens, output_dim], to the tops of the directions side by side.
  // `asked` is as in ChunkShape, for packed rows, in ascending order. If `last`
  // is not null, sets the last state of each direction.
  void Forward(ConstView<T> input, absl::Span<const size_t> lengths,
               absl::Span<const uint32_t> asked, DropoutKey key, int threads,
               View<T> output, std::array<LayerState<T>, 2>* last = nullptr);
  // Like SequenceLayers::Backward(). Sets d_input, if it is not empty, to the
  // sum of all directions. Must follow Forward().
  void Backward(ConstView<T> d_output, absl::Span<const size_t> lengths,
                int threads, View<T> d_input);

 private:
  const SequenceLayers<T>& First() const {
    return *layers_[static_cast<size_t>(directions_[0])];
  }

  absl::Span<const Direction> directions_;
  std::unique_ptr<SequenceLayers<T>> layers_[2];
  Matrix<T> chunk_;              // the input, time-major
  std::vector<uint32_t> asked_;  // rows of chunk_
  Matrix<T> d_top_[2];
  Matrix<T> d_chunk_[2];
};

}  // namespace firth::nn

#endif  // FIRTH_NN_BIDIRECTIONAL_H_
