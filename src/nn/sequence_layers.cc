#include "nn/sequence_layers.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace firth::nn {
namespace {

constexpr size_t kMostRows = 4096;  // in a piece

}  // namespace

template <class T>
void LayerState<T>::Reset() {
  for (StatePart<T>& part : parts_) part.values.Fill(0);
}

template <class T>
void LayerState<T>::ResetRow(size_t row) {
  for (StatePart<T>& part : parts_) SetZero(part.values.view().Rows(row, 1));
}

template <class T>
void LayerState<T>::KeepRows(absl::Span<const size_t> parents) {
  for (StatePart<T>& part : parts_) {
    Matrix<T> kept(parents.size(), part.values.cols());
    for (size_t k = 0; k < parents.size(); ++k) {
      std::copy_n(part.values.Row(parents[k]), kept.cols(), kept.Row(k));
    }
    part.values = std::move(kept);
  }
}

template <class T>
void ReadInPieces(const SequenceLayers<T>& layers, bool reversed,
                  ConstView<T> input, const ChunkShape& shape,
                  LayerState<T>* state, typename SequenceLayers<T>::Visit visit,
                  RunPiece<T> run) {
  FIRTH_CHECK(input.rows() == shape.rows());
  const size_t most_steps = std::max<size_t>(1, kMostRows / shape.batch);
  const size_t pieces = (shape.steps + most_steps - 1) / most_steps;
  LayerState<T> own;
  if (state == nullptr && pieces > 1) {
    own = layers.MakeState(shape.batch);
    state = &own;
  }
  std::vector<size_t> lengths(shape.lengths.size());
  for (size_t k = 0; k < pieces; ++k) {
    const size_t first = most_steps * (reversed ? pieces - 1 - k : k);
    const size_t steps = std::min(most_steps, shape.steps - first);
    for (size_t b = 0; b < lengths.size(); ++b) {
      lengths[b] = std::min(steps, std::max(shape.lengths[b], first) - first);
    }
    visit(first, run(input.Rows(first * shape.batch, steps * shape.batch),
                     {steps, shape.batch, lengths}, state));
  }
}

template class LayerState<float>;
template void ReadInPieces(const SequenceLayers<float>&, bool, ConstView<float>,
                           const ChunkShape&, LayerState<float>*,
                           SequenceLayers<float>::Visit, RunPiece<float>);
#ifdef FIRTH_DOUBLES
template class LayerState<double>;
template void ReadInPieces(const SequenceLayers<double>&, bool,
                           ConstView<double>, const ChunkShape&,
                           LayerState<double>*, SequenceLayers<double>::Visit,
                           RunPiece<double>);
#endif

}  // namespace firth::nn
