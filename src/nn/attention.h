// Multi-head attention (Vaswani et al., "Attention is all you need", 2017,
// section 3.2). In each of `heads` parts of the values, each query row takes a
// mean of the memory rows that it sees, weighted by how well they match:
//
//   q = x W_q + b_q    k = m W_k + b_k    v = m W_v + b_v
//   a_h = softmax(q_h k_h^T / sqrt(dim / heads) [+ bias]) v_h
//   y = [a_1 ... a_heads] W_o + b_o
//
// In self attention, x and m are the same. The rows that a query sees are
// consecutive. The softmax of a causal row runs over the rows up to its own, so
// only values within a tile of queries are computed and then masked. Heads are
// views with a stride, not copies.
//
// A sequence continues from chunk to chunk by the keys and values of previous
// steps, which the layers' state contains. No gradient flows back through them.

#ifndef FIRTH_NN_ATTENTION_H_
#define FIRTH_NN_ATTENTION_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "nn/matrix.h"
#include "nn/parameter.h"
#include "nn/positions.h"
#include "nn/row_layers.h"
#include "nn/sequence_layers.h"

namespace firth::nn {

// The rows of a chunk whose output is required, such as those of hidden words,
// packed into a smaller time-major chunk: row k * batch + b is the k-th of
// these rows in sequence b. Sequences with fewer of them are padded with zeros.
class AskedRows {
 public:
  // `rows` belong to a chunk of `batch` sequences and ascend in each sequence.
  void Set(absl::Span<const uint32_t> rows, size_t batch) {
    lengths_.assign(batch, 0);
    for (const uint32_t row : rows) ++lengths_[row % batch];
    steps_ = *std::max_element(lengths_.begin(), lengths_.end());
    rows_.assign(steps_ * batch, kNone);
    std::fill(lengths_.begin(), lengths_.end(), 0);
    for (const uint32_t row : rows) {
      const size_t b = row % batch;
      rows_[lengths_[b]++ * batch + b] = row;
    }
  }

  ChunkShape shape() const { return {steps_, lengths_.size(), lengths_}; }
  // Returns the step of the k-th row of sequence b.
  size_t StepOf(size_t b, size_t k) const {
    return rows_[k * lengths_.size() + b] / lengths_.size();
  }

  template <class T>
  void Gather(ConstView<T> all, Matrix<T>* asked) const {
    asked->Resize(rows_.size(), all.cols());
    ForRows(rows_.size(), all.cols(), [&](size_t begin, size_t end) {
      for (size_t r = begin; r < end; ++r) {
        if (rows_[r] == kNone) {
          std::fill_n(asked->Row(r), all.cols(), T{0});
        } else {
          std::copy_n(all.Row(rows_[r]), all.cols(), asked->Row(r));
        }
      }
    });
  }
  template <class T>
  void AddTo(View<T> all, std::type_identity_t<ConstView<T>> asked) const {
    ForRows(rows_.size(), all.cols(), [&](size_t begin, size_t end) {
      for (size_t r = begin; r < end; ++r) {
        if (rows_[r] == kNone) continue;
        AddScaled(all.cols(), T{1}, asked.Row(r), all.Row(rows_[r]));
      }
    });
  }

 private:
  static constexpr uint32_t kNone = 0xffffffff;

  size_t steps_ = 0;
  std::vector<size_t> lengths_;  // of each sequence
  std::vector<uint32_t> rows_;   // [steps * batch] row of the chunk, or kNone
};

// The steps of a sequence that a step sees, numbered from the beginning of the
// sequence. Without a context, these are all steps. With a context of n steps,
// they are those less than n away if the context slides, otherwise those in its
// own block of n steps, where the first block begins with the sequence. If
// causal, a step sees only steps up to itself.
struct AttentionPattern {
  bool causal = false;
  // Whether steps go from the last row of a sequence to its first; only in self
  // attention.
  bool reversed = false;
  bool sliding = false;
  size_t context = 0;  // 0 means no limit
};

// Returns how many of the last steps a chunk of `length` steps must leave to
// the next one, if `held` steps were held before it. This is less than the
// context, which must be above 0.
size_t StepsToHold(const AttentionPattern& pattern, size_t held, size_t length);

// The steps that causal self attention keeps: the last ones of each sequence,
// oldest first.
template <class T>
struct AttentionCache {
  Matrix<T>* keys = nullptr;      // [batch, (context - 1) * dim]
  Matrix<T>* values = nullptr;    // the same
  absl::Span<const size_t> held;  // [batch] number of steps; the rest is zeros
};

template <class T>
class Attention {
 public:
  // `heads` must divide dim. Parameters are those of two Linear: "<name>.input"
  // [dim, 3 dim], which computes queries, keys and values, in this order, and
  // "<name>.output" [dim, dim]; the scale is that of the latter.
  Attention(size_t dim, size_t heads, absl::string_view name, uint64_t key,
            double scale = 1);

  size_t heads() const { return heads_; }
  void AppendParameters(ParameterList<T>* list);
  template <class F>
  void ForEachLinear(const F& f) {
    f(input_);
    f(output_);
  }

  // Self attention. If `cache` is not null, the first steps see its steps, and
  // the last steps replace them. If `bias` is not null, it is added to the
  // scores by the offset from query to memory; the caller calls its Spread()
  // and Gather(). Backward() requires `training`. Returns [rows, dim], valid
  // until the next call. Rows after the end of a sequence are finite.
  ConstView<T> Forward(ConstView<T> input, const ChunkShape& shape,
                       const AttentionPattern& pattern,
                       AttentionCache<T>* cache, RelativeBias<T>* bias,
                       bool training);
  // Overwrites d_input. Must follow Forward() with this input.
  void Backward(ConstView<T> input, ConstView<T> d_output, View<T> d_input);

  // Attention to the rows of other sequences, one per sequence of the input. If
  // `memory` is empty, these are the rows of the previous call, whose keys and
  // values are used again.
  ConstView<T> Forward(ConstView<T> input, const ChunkShape& shape,
                       ConstView<T> memory, const ChunkShape& memory_shape,
                       const AttentionPattern& pattern, bool training);
  // Self attention with only some rows of a chunk as queries; without a cache.
  ConstView<T> Forward(ConstView<T> asked_input, const AskedRows& asked,
                       ConstView<T> input, const ChunkShape& shape,
                       const AttentionPattern& pattern, RelativeBias<T>* bias,
                       bool training);
  // Backward pass of these two. Overwrites d_input, and d_memory if not empty.
  void Backward(ConstView<T> input, ConstView<T> memory, ConstView<T> d_output,
                View<T> d_input, View<T> d_memory);

  // Applies dropout to the weights in the next Forward() in training, if a key
  // is given: a weight is set to 0 with probability `rate`, otherwise divided
  // by 1 - rate.
  void DropWeights(double rate, DropoutKey key) {
    dropout_rate_ = rate;
    dropout_key_ = rate > 0 ? key : std::nullopt;
  }

  // Copies the weights of a head in sequence b: [queries, held + memory rows],
  // where the sum of each row is 1, before dropout. Must follow Forward() in
  // training.
  void CopyWeights(size_t b, size_t head, View<T> weights) const;

 private:
  // Some queries of one sequence, and the rows that any of them sees.
  struct Tile {
    size_t b = 0;
    size_t first = 0;  // first query
    size_t count = 0;
    size_t held_first = 0;  // first row of the cache
    size_t held = 0;
    size_t own_first = 0;  // first row of the memory
    size_t own = 0;
    size_t weights = 0;  // position of its weights, for all heads

    size_t cols() const { return held + own; }
    size_t size() const { return count * cols(); }
  };
  // The columns of a tile that one query sees: held rows, then own rows.
  struct SeenColumns {
    size_t held_begin;
    size_t own_begin;
    size_t own_end;
  };
  // Positions of these columns' first biases, relative to that of offset 0.
  struct BiasPlaces {
    ptrdiff_t held;
    ptrdiff_t own;
  };

  size_t dim() const { return output_.output_dim(); }
  size_t HeadDim() const { return dim() / heads_; }
  size_t HeldRows(size_t b) const { return held_.empty() ? 0 : held_[b]; }
  void SetShapes(const ChunkShape& shape, const ChunkShape& memory_shape,
                 const AttentionPattern& pattern);
  ConstView<T> AttendTo(ConstView<T> input, ConstView<T> memory, bool training);
  // Returns the row of a query in its sequence.
  size_t RowOf(const Tile& tile, size_t query) const {
    return asked_ == nullptr ? query : asked_->StepOf(tile.b, query);
  }
  // Returns its step, counted from the beginning of the sequence.
  size_t StepOf(const Tile& tile, size_t query) const {
    const size_t row = RowOf(tile, query);
    return pattern_.reversed ? memory_lengths_[tile.b] - 1 - row : row;
  }
  void PlanTiles(bool training);
  SeenColumns ColumnsSeen(const Tile& tile, size_t query) const;
  BiasPlaces PlacesOf(const Tile& tile, size_t query,
                      const SeenColumns& seen) const;
  // Return a head's part of a tile's queries, of its memory rows ([rows,
  // head_dim], from a matrix of all sequences) and of a cache.
  template <class U>
  View<U> QueriesOf(View<U> all, const Tile& tile, size_t head) const;
  template <class U>
  View<U> OwnOf(View<U> all, const Tile& tile, size_t head) const;
  ConstView<T> HeldOf(const Matrix<T>& cache, const Tile& tile,
                      size_t head) const;
  View<T> WeightsOf(const Tile& tile, size_t head);
  // Returns the weights with which values are summed.
  View<T> DroppedOf(const Tile& tile, size_t head);
  void DropTile(const Tile& tile, size_t head);

  ConstView<T> Attend(bool training);
  void ScoreToWeights(const Tile& tile, size_t head, View<T> weights) const;
  void TileForward(const Tile& tile, size_t head);
  // `scratch` grows to the size that a tile needs.
  void TileBackward(const Tile& tile, size_t head, std::vector<T>* scratch);
  void AttendBackward(ConstView<T> d_output);
  void CarryOn(AttentionCache<T>* cache);

  size_t heads_;
  Linear<T> input_;
  Linear<T> output_;
  AttentionPattern pattern_;
  RelativeBias<T>* bias_ = nullptr;
  const AskedRows* asked_ = nullptr;  // the queries, if not all rows
  size_t batch_ = 0;
  std::vector<size_t> lengths_;         // of the queries' sequences
  std::vector<size_t> memory_lengths_;  // of the memory's sequences
  std::vector<size_t> held_;            // rows of the cache
  std::vector<Tile> tiles_;
  Matrix<T> projected_;  // [rows, 3 dim]; for cross attention [rows, dim]
  Matrix<T> memory_;     // for cross attention: [memory rows, 2 dim]
  ConstView<T> queries_, keys_, values_;  // views of these
  Matrix<T> held_keys_;                   // cache of previous chunks
  Matrix<T> held_values_;
  std::vector<T> weights_;
  double dropout_rate_ = 0;
  DropoutKey dropout_key_;
  std::vector<T> dropped_;  // weights after dropout; empty without dropout
  Matrix<T> heads_output_;  // [rows, dim]
  Matrix<T> result_;        // [rows, dim]
  Matrix<T> d_heads_;       // gradients
  Matrix<T> d_projected_;
  Matrix<T> d_memory_;
  View<T> d_queries_, d_keys_, d_values_;
};

}  // namespace firth::nn

#endif  // FIRTH_NN_ATTENTION_H_
