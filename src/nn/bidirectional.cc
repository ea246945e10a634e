#include "nn/bidirectional.h"

#include <algorithm>
#include <numeric>

#include "base/rng.h"
#include "base/team.h"

namespace firth::nn {
namespace {

// Calls visit(packed row, row of the time-major chunk) for every token. One
// thread of a team handles each sequence.
template <class Visit>
void ForEachToken(absl::Span<const size_t> lengths, const Visit& visit) {
  ForRanges(lengths.size(), 1, 1, [&](size_t begin, size_t end) {
    size_t packed =
        std::accumulate(lengths.begin(), lengths.begin() + begin, size_t{0});
    for (size_t b = begin; b < end; ++b) {
      for (size_t t = 0; t < lengths[b]; ++t, ++packed) {
        visit(packed, t * lengths.size() + b);
      }
    }
  });
}

// Sets the rows of padding to zeros.
template <class T>
void Unpack(ConstView<T> packed, absl::Span<const size_t> lengths,
            const ChunkShape& shape, Matrix<T>* chunk) {
  chunk->Resize(shape.rows(), packed.cols());
  SetZero(chunk->view());
  ForEachToken(lengths, [&](size_t from, size_t to) {
    std::copy_n(packed.Row(from), packed.cols(), chunk->Row(to));
  });
}

// `packed` must be in ascending order.
std::vector<uint32_t> TimeMajorRows(absl::Span<const uint32_t> packed,
                                    absl::Span<const size_t> lengths) {
  std::vector<uint32_t> rows;
  size_t b = 0;
  size_t begin = 0;
  for (const uint32_t row : packed) {
    while (row >= begin + lengths[b]) begin += lengths[b++];
    rows.push_back(static_cast<uint32_t>((row - begin) * lengths.size() + b));
  }
  return rows;
}

ChunkShape ShapeOf(absl::Span<const size_t> lengths) {
  return {*std::max_element(lengths.begin(), lengths.end()), lengths.size(),
          lengths};
}

}  // namespace

absl::Span<const Direction> DirectionsOf(Reading reading) {
  static constexpr Direction kAll[] = {Direction::kForward,
                                       Direction::kBackward};
  const absl::Span<const Direction> all = kAll;
  return reading == Reading::kBoth      ? all
         : reading == Reading::kForward ? all.first(1)
                                        : all.last(1);
}

template <class T>
Bidirectional<T>::Bidirectional(const LayersOptions& options, Reading reading,
                                size_t input_dim,
                                const std::array<uint64_t, 2>& keys)
    : directions_(DirectionsOf(reading)) {
  for (const Direction direction : directions_) {
    const auto d = static_cast<size_t>(direction);
    layers_[d] =
        MakeLayers<T>(options, {input_dim, direction == Direction::kBackward,
                                DirectionName(direction), keys[d]});
  }
}

template <class T>
void Bidirectional<T>::Forward(ConstView<T> input,
                               absl::Span<const size_t> lengths,
                               absl::Span<const uint32_t> asked, DropoutKey key,
                               int threads, View<T> output,
                               std::array<LayerState<T>, 2>* last) {
  ChunkShape shape = ShapeOf(lengths);
  asked_ = TimeMajorRows(asked, lengths);
  shape.asked = asked_;
  RunTeam(threads, [&] {
    Unpack(input, lengths, shape, &chunk_);
    ForTasks(directions_.size(), [&](size_t i) {
      const Direction direction = directions_[i];
      const auto d = static_cast<uint64_t>(direction);
      const DropoutKey own =
          key.has_value() ? DropoutKey(CombineKeys(*key, d)) : key;
      if (last != nullptr) (*last)[d] = layers_[d]->MakeState(shape.batch);
      const ConstView<T> top = layers_[d]->Forward(
          chunk_.view(), shape, last == nullptr ? nullptr : &(*last)[d], own);
      const View<T> half = output.Cols(OffsetOf(direction), top.cols());
      ForEachToken(lengths, [&](size_t to, size_t from) {
        std::copy_n(top.Row(from), top.cols(), half.Row(to));
      });
    });
  });
}

template <class T>
void Bidirectional<T>::Backward(ConstView<T> d_output,
                                absl::Span<const size_t> lengths, int threads,
                                View<T> d_input) {
  const ChunkShape shape = ShapeOf(lengths);
  RunTeam(threads, [&] {
    ForTasks(directions_.size(), [&](size_t i) {
      const Direction direction = directions_[i];
      const auto d = static_cast<size_t>(direction);
      Unpack<T>(d_output.Cols(OffsetOf(direction), direction_dim()), lengths,
                shape, &d_top_[d]);
      View<T> d_chunk;
      if (!d_input.empty()) {
        d_chunk_[d].Resize(shape.rows(), d_input.cols());
        d_chunk = d_chunk_[d].view();
      }
      layers_[d]->Backward(d_top_[d].view(), {}, d_chunk);
    });
    if (d_input.empty()) return;
    SetZero(d_input);
    for (const Direction direction : directions_) {
      const Matrix<T>& d_chunk = d_chunk_[static_cast<size_t>(direction)];
      ForEachToken(lengths, [&](size_t to, size_t from) {
        AddScaled(d_input.cols(), T{1}, d_chunk.Row(from), d_input.Row(to));
      });
    }
  });
}

template class Bidirectional<float>;
#ifdef FIRTH_DOUBLES
template class Bidirectional<double>;
#endif

}  // namespace firth::nn
