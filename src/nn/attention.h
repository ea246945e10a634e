// Multi-head attention (Vaswani et al., "Attention is all you need", 2017,
// section 3.2): each query row takes a mean of the memory rows that it sees,
// weighted by how well they match, in each of `heads` parts of the values:
//
//   q = x W_q + b_q    k = m W_k + b_k    v = m W_v + b_v
//   a_h = softmax(q_h k_h^T / sqrt(dim / heads) [+ bias]) v_h
//   y = [a_1 ... a_heads] W_o + b_o
//
// In self attention x and m are one. What is seen is a run of rows: a causal
// row's softmax is one over the rows up to its own, and nothing is computed to
// be masked but inside of a tile of queries. Heads are views with a stride, not
// copies.
//
// A sequence goes on from chunk to chunk by the keys and values of the steps
// before, which the layers' state holds. No gradient goes back through them.

#ifndef FIRTH_NN_ATTENTION_H_
#define FIRTH_NN_ATTENTION_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "nn/asked_rows.h"
#include "nn/linear.h"
#include "nn/matrix.h"
#include "nn/parameter.h"
#include "nn/positions.h"
#include "nn/sequence_layers.h"

namespace firth::nn {

// Which steps of a sequence a step sees, by their number from the sequence's
// beginning: all; or, with a context of n steps, those less than n away, where
// the context slides; or else those of its own block of n, where the first
// block begins with the sequence. Of these, a causal one sees those up to
// itself.
struct AttentionPattern {
  bool causal = false;
  bool reversed = false;  // steps go from the last row of a sequence to its
                          // first; of self attention alone
  bool sliding = false;
  size_t context = 0;  // 0: no limit
};

// How many of the last steps a chunk of `length` steps must leave to the next
// one, when `held` were held before it: less than the context, which there must
// be one of.
size_t StepsToHold(const AttentionPattern& pattern, size_t held, size_t length);

// What a causal self attention remembers: of each sequence, its last steps,
// oldest first.
template <class T>
struct AttentionCache {
  Matrix<T>* keys = nullptr;      // [batch, (context - 1) * dim]
  Matrix<T>* values = nullptr;    // the same
  absl::Span<const size_t> held;  // [batch] steps in there; the rest is zeros
};

template <class T>
class Attention {
 public:
  // `heads` divides dim. Parameters are those of two Linear: "<name>.input"
  // [dim, 3 dim], which makes queries, keys and values, in this order, and
  // "<name>.output" [dim, dim].
  Attention(size_t dim, size_t heads, absl::string_view name, uint64_t key);

  void AppendParameters(ParameterList<T>* list);
  template <class F>
  void ForEachLinear(const F& f) {
    f(input_);
    f(output_);
  }

  // Self attention. `cache`, if not null, goes into the first steps and gets
  // the last ones. bias, if not null, is added to scores by the way from query
  // to memory; its Spread() and Gather() are the caller's. To go backward,
  // `training`. Returns [rows, dim], valid until the next call; a row behind
  // the end of its sequence is finite.
  ConstView<T> Forward(ConstView<T> input, const ChunkShape& shape,
                       const AttentionPattern& pattern,
                       AttentionCache<T>* cache, RelativeBias<T>* bias,
                       bool training);
  // After Forward() with this input; overwrites d_input.
  void Backward(ConstView<T> input, ConstView<T> d_output, View<T> d_input);

  // Attention to the rows of other sequences, as many as those that ask.
  ConstView<T> Forward(ConstView<T> input, const ChunkShape& shape,
                       ConstView<T> memory, const ChunkShape& memory_shape,
                       const AttentionPattern& pattern, bool training);
  // Self attention by which some rows of a chunk see all; without a cache.
  ConstView<T> Forward(ConstView<T> asked_input, const AskedRows& asked,
                       ConstView<T> input, const ChunkShape& shape,
                       const AttentionPattern& pattern, RelativeBias<T>* bias,
                       bool training);
  // Of either. Overwrites d_input, and d_memory if it is not empty.
  void Backward(ConstView<T> input, ConstView<T> memory, ConstView<T> d_output,
                View<T> d_input, View<T> d_memory);

  // After Forward() in training: what a head gave in sequence b; [queries, held
  // + memory rows], each row a distribution.
  void CopyWeights(size_t b, size_t head, View<T> weights) const;

 private:
  // Some queries of one sequence, and the rows that any of them sees.
  struct Tile {
    size_t b = 0;
    size_t first = 0;  // query
    size_t count = 0;
    size_t held_first = 0;  // of the cache's rows
    size_t held = 0;
    size_t own_first = 0;  // of the memory's
    size_t own = 0;
    size_t weights = 0;  // where its weights start, for all heads

    size_t cols() const { return held + own; }
    size_t size() const { return count * cols(); }
  };
  // The columns of a tile that one query sees: of held rows, then of own ones.
  struct SeenColumns {
    size_t held_begin;
    size_t own_begin;
    size_t own_end;
  };
  // Where the biases of these columns start, from that of offset 0.
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
  // The row of its sequence in which a query stands.
  size_t RowOf(const Tile& tile, size_t query) const {
    return asked_ == nullptr ? query : asked_->StepOf(tile.b, query);
  }
  // Its number from where the sequence begins.
  size_t StepOf(const Tile& tile, size_t query) const {
    const size_t row = RowOf(tile, query);
    return pattern_.reversed ? memory_lengths_[tile.b] - 1 - row : row;
  }
  void PlanTiles(bool training);
  SeenColumns ColumnsSeen(const Tile& tile, size_t query) const;
  BiasPlaces PlacesOf(const Tile& tile, size_t query,
                      const SeenColumns& seen) const;
  // A head's part of a tile's queries, of its memory rows ([rows, head_dim]
  // from a matrix of all sequences') and of a cache's.
  template <class U>
  View<U> QueriesOf(View<U> all, const Tile& tile, size_t head) const;
  template <class U>
  View<U> OwnOf(View<U> all, const Tile& tile, size_t head) const;
  ConstView<T> HeldOf(const Matrix<T>& cache, const Tile& tile,
                      size_t head) const;
  View<T> WeightsOf(const Tile& tile, size_t head);

  ConstView<T> Attend(bool training);
  void ScoreToWeights(const Tile& tile, size_t head, View<T> weights) const;
  void TileForward(const Tile& tile, size_t head);
  // scratch: grows to what a tile needs.
  void TileBackward(const Tile& tile, size_t head, std::vector<T>* scratch);
  void AttendBackward(ConstView<T> d_output);
  void CarryOn(AttentionCache<T>* cache);

  size_t heads_;
  Linear<T> input_;
  Linear<T> output_;
  AttentionPattern pattern_;
  RelativeBias<T>* bias_ = nullptr;
  const AskedRows* asked_ = nullptr;  // what the queries are, if not all rows
  size_t batch_ = 0;
  std::vector<size_t> lengths_;         // of the queries' sequences
  std::vector<size_t> memory_lengths_;  // of the memory's
  std::vector<size_t> held_;            // rows of the cache
  std::vector<Tile> tiles_;
  Matrix<T> projected_;  // [rows, 3 dim]; of cross attention [rows, dim]
  Matrix<T> memory_;     // of cross attention [memory rows, 2 dim]
  ConstView<T> queries_, keys_, values_;  // in these
  Matrix<T> held_keys_;                   // the cache before the chunk
  Matrix<T> held_values_;
  std::vector<T> weights_;
  Matrix<T> heads_output_;  // [rows, dim]
  Matrix<T> result_;        // [rows, dim]
  Matrix<T> d_heads_;       // gradients
  Matrix<T> d_projected_;
  Matrix<T> d_memory_;
  View<T> d_queries_, d_keys_, d_values_;
};

}  // namespace firth::nn

#endif  // FIRTH_NN_ATTENTION_H_
