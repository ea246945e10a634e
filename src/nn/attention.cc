// The scores of a tile are those of its queries and all rows that one of them
// sees. They are replaced by weights, which are zero if a query does not see a
// row, so that all further products use whole tiles. In training, the weights
// of all tiles are kept; otherwise all tiles use the same memory.

#include "nn/attention.h"

#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/rng.h"
#include "nn/elementwise.h"

namespace firth::nn {
namespace {

// A causal sequence of n queries computes (n + kTileQueries) / 2n of a square;
// smaller tiles make small products.
constexpr size_t kTileQueries = 64;
// Lower than any score.
constexpr double kUnseen = -1e30;

struct SeenSteps {
  size_t begin;
  size_t end;
};

// Steps are counted from the first one held.
SeenSteps StepsSeen(const AttentionPattern& pattern, size_t step,
                    size_t total) {
  const size_t context = pattern.context;
  const size_t last = pattern.causal ? std::min(step + 1, total) : total;
  if (context == 0) return {0, last};
  if (!pattern.sliding) {
    const size_t begin = step - step % context;
    return {begin, std::min(begin + context, last)};
  }
  return {step + 1 - std::min(step + 1, context),
          std::min(step + context, last)};
}

// Returns the rows of sequence b in a time-major matrix, from row `first` of
// the sequence on.
template <class U>
View<U> SequenceRows(View<U> all, size_t batch, size_t b, size_t first,
                     size_t count) {
  return {all.Row(first * batch + b), count, all.cols(), all.stride() * batch};
}

template <class T>
void ScaledProduct(ConstView<T> a, Transpose a_t, ConstView<T> b, Transpose b_t,
                   T scale, Into into, View<T> c) {
  if (c.empty()) return;
  const size_t depth = a_t == Transpose::kYes ? a.rows() : a.cols();
  Gemm(a_t, b_t, c.rows(), c.cols(), depth, scale, a.data(), a.stride(),
       b.data(), b.stride(), into == Into::kAdd ? T{1} : T{0}, c.data(),
       c.stride());
}

}  // namespace

size_t StepsToHold(const AttentionPattern& pattern, size_t held,
                   size_t length) {
  FIRTH_CHECK(pattern.context > 0);
  return pattern.sliding ? std::min(held + length, pattern.context - 1)
                         : (held + length) % pattern.context;
}

template <class T>
Attention<T>::Attention(size_t dim, size_t heads, absl::string_view name,
                        uint64_t key, double scale)
    : heads_(heads),
      input_(dim, 3 * dim, absl::StrCat(name, ".input"), CombineKeys(key, 0)),
      output_(dim, dim, absl::StrCat(name, ".output"), CombineKeys(key, 1),
              scale) {
  FIRTH_CHECK(heads > 0 && dim % heads == 0);
}

template <class T>
void Attention<T>::AppendParameters(ParameterList<T>* list) {
  input_.AppendParameters(list);
  output_.AppendParameters(list);
}

template <class T>
void Attention<T>::SetShapes(const ChunkShape& shape,
                             const ChunkShape& memory_shape,
                             const AttentionPattern& pattern) {
  FIRTH_CHECK(shape.batch == memory_shape.batch);
  pattern_ = pattern;
  batch_ = shape.batch;
  lengths_.clear();
  memory_lengths_.clear();
  for (size_t b = 0; b < batch_; ++b) {
    lengths_.push_back(shape.length(b));
    memory_lengths_.push_back(memory_shape.length(b));
  }
}

template <class T>
typename Attention<T>::SeenColumns Attention<T>::ColumnsSeen(
    const Tile& tile, size_t query) const {
  const size_t held = HeldRows(tile.b);
  const size_t length = memory_lengths_[tile.b];
  const SeenSteps seen =
      StepsSeen(pattern_, held + StepOf(tile, query), held + length);
  size_t begin = std::max(seen.begin, held) - held;
  size_t end = std::max(seen.end, held) - held;
  if (pattern_.reversed) {
    std::swap(begin, end);
    begin = length - begin;
    end = length - end;
  }
  // Before PlanTiles() has set the tile's first columns, they are 0.
  return {std::min(seen.begin, held) - tile.held_first, begin - tile.own_first,
          end - tile.own_first};
}

template <class T>
void Attention<T>::PlanTiles(bool training) {
  tiles_.clear();
  size_t kept = 0, largest = 0;
  for (size_t b = 0; b < batch_; ++b) {
    for (size_t first = 0; first < lengths_[b]; first += kTileQueries) {
      Tile tile;
      tile.b = b;
      tile.first = first;
      tile.count = std::min(kTileQueries, lengths_[b] - first);
      size_t held_first = HeldRows(b);
      size_t begin = memory_lengths_[b], end = 0;
      for (size_t query = first; query < first + tile.count; ++query) {
        const SeenColumns seen = ColumnsSeen(tile, query);
        held_first = std::min(held_first, seen.held_begin);
        begin = std::min(begin, seen.own_begin);
        end = std::max(end, seen.own_end);
      }
      tile.held_first = held_first;
      tile.held = HeldRows(b) - held_first;
      tile.own_first = std::min(begin, end);
      tile.own = end - tile.own_first;
      if (training) tile.weights = kept;
      kept += heads_ * tile.size();
      largest = std::max(largest, heads_ * tile.size());
      tiles_.push_back(tile);
    }
  }
  weights_.resize(training ? kept : largest);
  if (!training) dropout_key_.reset();
  dropped_.resize(dropout_key_.has_value() ? weights_.size() : 0);
}

template <class T>
template <class U>
View<U> Attention<T>::QueriesOf(View<U> all, const Tile& tile,
                                size_t head) const {
  return SequenceRows(all, batch_, tile.b, tile.first, tile.count)
      .Cols(head * HeadDim(), HeadDim());
}

template <class T>
template <class U>
View<U> Attention<T>::OwnOf(View<U> all, const Tile& tile, size_t head) const {
  return SequenceRows(all, batch_, tile.b, tile.own_first, tile.own)
      .Cols(head * HeadDim(), HeadDim());
}

template <class T>
ConstView<T> Attention<T>::HeldOf(const Matrix<T>& cache, const Tile& tile,
                                  size_t head) const {
  return ConstView<T>(cache.Row(tile.b) + tile.held_first * dim(), tile.held,
                      dim(), dim())
      .Cols(head * HeadDim(), HeadDim());
}

template <class T>
View<T> Attention<T>::WeightsOf(const Tile& tile, size_t head) {
  return {weights_.data() + tile.weights + head * tile.size(), tile.count,
          tile.cols()};
}

template <class T>
View<T> Attention<T>::DroppedOf(const Tile& tile, size_t head) {
  if (dropped_.empty()) return WeightsOf(tile, head);
  return {dropped_.data() + tile.weights + head * tile.size(), tile.count,
          tile.cols()};
}

// The key depends on the position of the weights, so that the result does not
// depend on threads.
template <class T>
void Attention<T>::DropTile(const Tile& tile, size_t head) {
  if (dropped_.empty()) return;
  const size_t begin = tile.weights + head * tile.size();
  DropEach<T>(dropout_rate_, CombineKeys(*dropout_key_, begin),
              absl::MakeConstSpan(weights_).subspan(begin, tile.size()),
              dropped_.data() + begin);
}

// Offset 0 is at the query's own row, in both directions. The held rows are the
// steps before the first row.
template <class T>
typename Attention<T>::BiasPlaces Attention<T>::PlacesOf(
    const Tile& tile, size_t query, const SeenColumns& seen) const {
  return {-static_cast<ptrdiff_t>(StepOf(tile, query) + tile.held -
                                  seen.held_begin),
          static_cast<ptrdiff_t>(tile.own_first + seen.own_begin) -
              static_cast<ptrdiff_t>(RowOf(tile, query))};
}

// Replaces scores by weights.
template <class T>
void Attention<T>::ScoreToWeights(const Tile& tile, size_t head,
                                  View<T> weights) const {
  for (size_t r = 0; r < tile.count; ++r) {
    T* const row = weights.Row(r);
    const size_t query = tile.first + r;
    const SeenColumns seen = ColumnsSeen(tile, query);
    T* const held = row + seen.held_begin;
    T* const own = row + tile.held + seen.own_begin;
    const size_t num_held = tile.held - seen.held_begin;
    const size_t num_own = seen.own_end - seen.own_begin;
    if (bias_ != nullptr) {
      const BiasPlaces places = PlacesOf(tile, query, seen);
      if (num_held > 0) {
        AddScaled(num_held, T{1}, bias_->Rising(head) + places.held, held);
      }
      const T* const biases =
          pattern_.reversed ? bias_->Falling(head) : bias_->Rising(head);
      AddScaled(num_own, T{1}, biases + places.own, own);
    }
    T* const begin = num_held > 0 ? held : own;
    std::fill(row, begin, T{0});
    std::fill(own + num_own, row + tile.cols(), T{0});
    if (num_held + num_own == 0) continue;
    if (num_held > 0) {
      std::fill(row + tile.held, own, static_cast<T>(kUnseen));
    }
    Softmax(static_cast<size_t>(own + num_own - begin), T{1},
            static_cast<const T*>(nullptr), begin);
    if (num_held > 0) std::fill(row + tile.held, own, T{0});
  }
}

template <class T>
void Attention<T>::TileForward(const Tile& tile, size_t head) {
  const T scale = static_cast<T>(1 / std::sqrt(static_cast<double>(HeadDim())));
  const View<T> weights = WeightsOf(tile, head);
  const View<T> held = weights.Cols(0, tile.held);
  const View<T> own = weights.Cols(tile.held, tile.own);
  const ConstView<T> queries = QueriesOf(queries_, tile, head);
  if (tile.held > 0) {
    ScaledProduct<T>(queries, Transpose::kNo, HeldOf(held_keys_, tile, head),
                     Transpose::kYes, scale, Into::kOverwrite, held);
  }
  ScaledProduct<T>(queries, Transpose::kNo, OwnOf(keys_, tile, head),
                   Transpose::kYes, scale, Into::kOverwrite, own);
  ScoreToWeights(tile, head, weights);
  DropTile(tile, head);
  const View<T> dropped = DroppedOf(tile, head);
  const View<T> output = QueriesOf(heads_output_.view(), tile, head);
  if (tile.held > 0) {
    ScaledProduct<T>(dropped.Cols(0, tile.held), Transpose::kNo,
                     HeldOf(held_values_, tile, head), Transpose::kNo, T{1},
                     Into::kOverwrite, output);
  }
  if (tile.own == 0) return;
  ScaledProduct<T>(dropped.Cols(tile.held, tile.own), Transpose::kNo,
                   OwnOf(values_, tile, head), Transpose::kNo, T{1},
                   tile.held > 0 ? Into::kAdd : Into::kOverwrite, output);
}

template <class T>
ConstView<T> Attention<T>::Attend(bool training) {
  PlanTiles(training);
  const size_t rows = queries_.rows();
  heads_output_.Resize(rows, dim());
  // Clears rows that are not queries or see nothing.
  const bool whole =
      std::all_of(lengths_.begin(), lengths_.end(),
                  [&](size_t length) { return length * batch_ == rows; });
  const bool all_see = std::find(memory_lengths_.begin(), memory_lengths_.end(),
                                 0) == memory_lengths_.end();
  if (!whole || !all_see) heads_output_.Fill(0);
  const size_t at_once = training ? tiles_.size() : 1;
  for (size_t first = 0; first < tiles_.size(); first += at_once) {
    ForRanges(at_once * heads_, 1, 1, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        TileForward(tiles_[first + i / heads_], i % heads_);
      }
    });
  }
  result_.Resize(rows, dim());
  output_.Forward(heads_output_.view(), result_.view());
  return std::as_const(result_).view();
}

template <class T>
ConstView<T> Attention<T>::Forward(ConstView<T> input, const ChunkShape& shape,
                                   const AttentionPattern& pattern,
                                   AttentionCache<T>* cache,
                                   RelativeBias<T>* bias, bool training) {
  FIRTH_CHECK(input.rows() == shape.rows() && input.cols() == dim());
  FIRTH_CHECK(cache == nullptr || pattern.causal);
  SetShapes(shape, shape, pattern);
  bias_ = bias;
  asked_ = nullptr;
  projected_.Resize(input.rows(), 3 * dim());
  input_.Forward(input, projected_.view());
  const ConstView<T> projected = projected_.view();
  queries_ = projected.Cols(0, dim());
  keys_ = projected.Cols(dim(), dim());
  values_ = projected.Cols(2 * dim(), dim());
  held_.clear();
  if (cache != nullptr) {
    held_.assign(cache->held.begin(), cache->held.end());
    std::swap(held_keys_, *cache->keys);
    std::swap(held_values_, *cache->values);
  }
  const ConstView<T> result = Attend(training);
  if (cache != nullptr) CarryOn(cache);
  return result;
}

template <class T>
ConstView<T> Attention<T>::Forward(ConstView<T> input, const ChunkShape& shape,
                                   ConstView<T> memory,
                                   const ChunkShape& memory_shape,
                                   const AttentionPattern& pattern,
                                   bool training) {
  FIRTH_CHECK(input.rows() == shape.rows() && input.cols() == dim());
  FIRTH_CHECK((memory.empty() ? memory_.rows() : memory.rows()) ==
              memory_shape.rows());
  FIRTH_CHECK(!pattern.reversed);
  SetShapes(shape, memory_shape, pattern);
  bias_ = nullptr;
  asked_ = nullptr;
  return AttendTo(input, memory, training);
}

template <class T>
ConstView<T> Attention<T>::Forward(ConstView<T> asked_input,
                                   const AskedRows& asked, ConstView<T> input,
                                   const ChunkShape& shape,
                                   const AttentionPattern& pattern,
                                   RelativeBias<T>* bias, bool training) {
  SetShapes(asked.shape(), shape, pattern);
  bias_ = bias;
  asked_ = &asked;
  return AttendTo(asked_input, input, training);
}

template <class T>
ConstView<T> Attention<T>::AttendTo(ConstView<T> input, ConstView<T> memory,
                                    bool training) {
  held_.clear();
  projected_.Resize(input.rows(), dim());
  input_.Forward(input, projected_.view());
  if (!memory.empty()) {
    memory_.Resize(memory.rows(), 2 * dim());
    input_.Forward(memory, memory_.view(), dim());
  }
  const ConstView<T> projected = memory_.view();
  queries_ = projected_.view();
  keys_ = projected.Cols(0, dim());
  values_ = projected.Cols(dim(), dim());
  return Attend(training);
}

// Fills the cache for the next chunk with steps that it still sees: the last
// ones of the old cache and of this chunk.
template <class T>
void Attention<T>::CarryOn(AttentionCache<T>* cache) {
  for (Matrix<T>* const part : {cache->keys, cache->values}) {
    const bool of_keys = part == cache->keys;
    const Matrix<T>& before = of_keys ? held_keys_ : held_values_;
    const ConstView<T> now = of_keys ? keys_ : values_;
    part->Resize(before.rows(), before.cols());
    for (size_t b = 0; b < batch_; ++b) {
      const size_t length = lengths_[b];
      const size_t hold = StepsToHold(pattern_, held_[b], length);
      const size_t old = hold - std::min(hold, length);
      T* to = part->Row(b);
      to = std::copy_n(before.Row(b) + (held_[b] - old) * dim(), old * dim(),
                       to);
      for (size_t step = length - (hold - old); step < length; ++step) {
        const size_t row = pattern_.reversed ? length - 1 - step : step;
        to = std::copy_n(now.Row(row * batch_ + b), dim(), to);
      }
      std::fill(to, part->Row(b) + part->cols(), T{0});
    }
  }
}

template <class T>
void Attention<T>::TileBackward(const Tile& tile, size_t head,
                                std::vector<T>* scratch) {
  const T scale = static_cast<T>(1 / std::sqrt(static_cast<double>(HeadDim())));
  const View<T> weights = WeightsOf(tile, head);
  if (scratch->size() < tile.size()) scratch->resize(tile.size());
  const View<T> d_scores(scratch->data(), tile.count, tile.cols());
  const View<T> d_held = d_scores.Cols(0, tile.held);
  const View<T> d_own = d_scores.Cols(tile.held, tile.own);
  const ConstView<T> d_output =
      QueriesOf(ConstView<T>(d_heads_.view()), tile, head);
  const View<T> d_queries = QueriesOf(d_queries_, tile, head);
  if (tile.held > 0) {
    ScaledProduct<T>(d_output, Transpose::kNo, HeldOf(held_values_, tile, head),
                     Transpose::kYes, T{1}, Into::kOverwrite, d_held);
  }
  ScaledProduct<T>(d_output, Transpose::kNo, OwnOf(values_, tile, head),
                   Transpose::kYes, T{1}, Into::kOverwrite, d_own);
  const View<T> dropped = DroppedOf(tile, head);
  if (!dropped_.empty()) {
    UndropEach<T>(dropout_rate_, {dropped.data(), tile.size()},
                  scratch->data());
  }
  for (size_t r = 0; r < tile.count; ++r) {
    SoftmaxBackward(tile.cols(), weights.Row(r), d_scores.Row(r));
    if (bias_ == nullptr) continue;
    const size_t query = tile.first + r;
    const SeenColumns seen = ColumnsSeen(tile, query);
    const BiasPlaces places = PlacesOf(tile, query, seen);
    if (tile.held > seen.held_begin) {
      AddScaled(tile.held - seen.held_begin, T{1},
                d_held.Row(r) + seen.held_begin,
                bias_->RisingGradient(head) + places.held);
    }
    T* const d_biases = pattern_.reversed ? bias_->FallingGradient(head)
                                          : bias_->RisingGradient(head);
    AddScaled(seen.own_end - seen.own_begin, T{1},
              d_own.Row(r) + seen.own_begin, d_biases + places.own);
  }
  if (tile.held > 0) {
    ScaledProduct<T>(d_held, Transpose::kNo, HeldOf(held_keys_, tile, head),
                     Transpose::kNo, scale, Into::kOverwrite, d_queries);
  }
  if (tile.own == 0) return;
  ScaledProduct<T>(d_own, Transpose::kNo, OwnOf(keys_, tile, head),
                   Transpose::kNo, scale,
                   tile.held > 0 ? Into::kAdd : Into::kOverwrite, d_queries);
  ScaledProduct<T>(d_own, Transpose::kYes, QueriesOf(queries_, tile, head),
                   Transpose::kNo, scale, Into::kAdd,
                   OwnOf(d_keys_, tile, head));
  ScaledProduct<T>(dropped.Cols(tile.held, tile.own), Transpose::kYes, d_output,
                   Transpose::kNo, T{1}, Into::kAdd,
                   OwnOf(d_values_, tile, head));
}

template <class T>
void Attention<T>::AttendBackward(ConstView<T> d_output) {
  d_heads_.Resize(d_output.rows(), dim());
  output_.Backward(heads_output_.view(), d_output, d_heads_.view());
  // The tiles of a sequence add to the same rows, and those of a head to the
  // same biases.
  const size_t parts = bias_ == nullptr ? batch_ : 1;
  ForRanges(parts * heads_, 1, 1, [&](size_t begin, size_t end) {
    std::vector<T> scratch;
    for (size_t i = begin; i < end; ++i) {
      for (const Tile& tile : tiles_) {
        if (tile.b % parts != i / heads_) continue;
        TileBackward(tile, i % heads_, &scratch);
      }
    }
  });
}

template <class T>
void Attention<T>::Backward(ConstView<T> input, ConstView<T> d_output,
                            View<T> d_input) {
  d_projected_.Resize(input.rows(), 3 * dim());
  SetZero(d_projected_.view());
  const View<T> d_projected = d_projected_.view();
  d_queries_ = d_projected.Cols(0, dim());
  d_keys_ = d_projected.Cols(dim(), dim());
  d_values_ = d_projected.Cols(2 * dim(), dim());
  AttendBackward(d_output);
  input_.Backward(input, d_projected, d_input);
}

template <class T>
void Attention<T>::Backward(ConstView<T> input, ConstView<T> memory,
                            ConstView<T> d_output, View<T> d_input,
                            View<T> d_memory) {
  d_projected_.Resize(input.rows(), dim());
  SetZero(d_projected_.view());
  d_memory_.Resize(memory.rows(), 2 * dim());
  SetZero(d_memory_.view());
  d_queries_ = d_projected_.view();
  d_keys_ = d_memory_.view().Cols(0, dim());
  d_values_ = d_memory_.view().Cols(dim(), dim());
  AttendBackward(d_output);
  input_.Backward(input, d_projected_.view(), d_input);
  input_.Backward(memory, d_memory_.view(), d_memory, dim());
}

template <class T>
void Attention<T>::CopyWeights(size_t b, size_t head, View<T> weights) const {
  FIRTH_CHECK(weights.rows() == lengths_[b]);
  FIRTH_CHECK(weights.cols() == HeldRows(b) + memory_lengths_[b]);
  SetZero(weights);
  for (const Tile& tile : tiles_) {
    if (tile.b != b) continue;
    const T* from = weights_.data() + tile.weights + head * tile.size();
    for (size_t r = 0; r < tile.count; ++r, from += tile.cols()) {
      T* const row = weights.Row(tile.first + r);
      std::copy_n(from, tile.held, row + tile.held_first);
      std::copy_n(from + tile.held, tile.own,
                  row + HeldRows(b) + tile.own_first);
    }
  }
}

template class Attention<float>;
#ifdef FIRTH_DOUBLES
template class Attention<double>;
#endif

}  // namespace firth::nn
