// The contrastive loss of pairs of vectors, for all prefixes of their
// dimensions at once.
//
// Row i of x and row i of y belong together. All other rows of y are negatives
// for x_i, and all other rows of x are negatives for y_i (van den Oord et al.
// 2018; Radford et al. 2021). For the first d_k dimensions,
//
//   s_ij = <x_i, y_j> / (t |x_i| |y_j|)
//   loss = w_k / 2B sum_i (-ln softmax_j(s_ij)_i - ln softmax_i(s_ij)_j=i)
//
// and the losses of all prefixes are added (Kusupati et al. 2022, "Matryoshka
// representation learning").
//
// Prefixes share their products. With the columns of block k, from d_{k-1} to
// d_k, called X_k and Y_k, and S^k = S^{k-1} + X_k Y_k^T, the scores are s^k =
// S^k / (t a^k b^k), where a_i^k and b_j^k are the norms of the prefixes. Let
// G^k be the gradient by s^k. Then, summed over the prefixes l >= k,
//
//   W_ij = sum G^l_ij / (t a_i^l b_j^l)
//   r_i  = sum_l sum_j G^l_ij s^l_ij / (a_i^l)^2,   c_j alike
//   dX_k = W Y_k - diag(r) X_k,   dY_k = W^T X_k - diag(c) Y_k
//
// so the gradient takes one product per block, too, and all prefixes take as
// many operations as the last one alone. Cosines are bounded, so exp(s - 1/t)
// needs no maximum.

#ifndef FIRTH_NN_CONTRAST_H_
#define FIRTH_NN_CONTRAST_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "firth/matrix.h"
#include "nn/matrix.h"

namespace firth::nn {

struct ContrastOptions {
  // Numbers of dimensions of the prefixes, increasing. The last one is that of
  // the vectors.
  std::vector<size_t> prefixes;
  std::vector<double> weights;  // of the losses of the prefixes
  double temperature = 0.05;    // at least 1/40
};

// Row of x and row of y.
using ContrastPair = std::pair<uint32_t, uint32_t>;

struct ContrastLoss {
  double loss = 0;  // weighted sum over the prefixes
  // Loss of each prefix without its weight, in nats per pair and direction.
  std::vector<double> of_prefix;
  // Number of pairs (row, prefix) whose vector is zero. Their cosines are 0,
  // and they have no gradient.
  uint64_t zeros = 0;
};

template <class T>
class Contrast {
 public:
  explicit Contrast(ContrastOptions options);

  // Returns the bytes of its matrices for `pairs` pairs and `negatives` more
  // rows of y.
  static uint64_t Bytes(const ContrastOptions& options, size_t pairs,
                        size_t negatives);

  // Computes the loss and its gradients. x: [B, dim], y: [B + negatives, dim].
  // `masked` lists negatives that do not count, such as equal texts, in any
  // order; a pair (i, i) is not allowed.
  ContrastLoss Step(ConstView<T> x, ConstView<T> y,
                    absl::Span<const ContrastPair> masked, View<T> d_x,
                    View<T> d_y);

 private:
  size_t prefixes() const { return options_.prefixes.size(); }
  size_t begin(size_t k) const { return k == 0 ? 0 : options_.prefixes[k - 1]; }
  size_t width(size_t k) const { return options_.prefixes[k] - begin(k); }

  void FindNorms(ConstView<T> x, ConstView<T> y, ContrastLoss* loss);
  void FindScores(ConstView<T> x, ConstView<T> y,
                  absl::Span<const ContrastPair> masked);
  void ScoreRows(size_t first, size_t end, ConstView<T> x, ConstView<T> y,
                 absl::Span<const ContrastPair> masked);
  void FindLosses(size_t pairs, ContrastLoss* loss);
  void FindWeights(size_t pairs, size_t columns);
  void Subtract(size_t pairs, ConstView<T> x, ConstView<T> y, View<T> d_x,
                View<T> d_y);

  ContrastOptions options_;
  std::vector<ContrastPair> masked_;  // by rows
  // By prefix. 1 / a [B]; 1 / (t b) [columns]; inverse sums.
  Matrix<T> row_factors_, column_factors_;
  Matrix<T> row_sums_, column_sums_, column_inverses_;
  Matrix<T> row_terms_, column_terms_;  // r and c
  // By block of rows and prefix, [columns]. Blocks are added in their order, so
  // that the result does not depend on the number of threads.
  Matrix<T> block_sums_;
  std::vector<Matrix<T>> scores_;     // of each prefix [B, columns]; then W
  std::vector<PackedMatrix> packed_;  // Y_k^T, if T is float
};

}  // namespace firth::nn

#endif  // FIRTH_NN_CONTRAST_H_
