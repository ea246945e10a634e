// The elementwise part of contrastive losses (nn/contrast.h), row by row, with
// vectors for floats and plain loops for doubles.

#ifndef FIRTH_NN_CONTRAST_ROWS_H_
#define FIRTH_NN_CONTRAST_ROWS_H_

#include <cstddef>

namespace firth::nn {

// A row of the scores of one prefix. The score of column j is products[j] *
// row_factor * column_factors[j].
template <class T>
struct ContrastRow {
  size_t count;             // Columns.
  T shift;                  // Maximum of all scores.
  T row_factor;             // 1 / |x|, or 0 for a zero vector
  const T* column_factors;  // 1 / (temperature |y|), or 0
  // Whether the scores are written past the caches, because they will be read
  // after more than fits into them.
  bool streams = false;
};

// Sets scores[j], and adds exp(scores[j] - shift) to column_sums[j]. Returns
// the sum of these exponentials. `products` and `scores` may be the same.
float ContrastScores(const ContrastRow<float>& row, const float* products,
                     float* scores, float* column_sums);
double ContrastScores(const ContrastRow<double>& row, const double* products,
                      double* scores, double* column_sums);

// Sums over the batch, by which the scores of a row become gradients.
template <class T>
struct ContrastRowSums {
  T scale;                   // weight of the prefix / (2 pairs)
  T row_inverse;             // 1 / sum of exponentials of the row
  const T* column_inverses;  // 1 / sum of those of column j, or 0
  size_t next_row;  // Distance of the next row of weights, which is prefetched.
};

// Computes the gradient by each score without the term of the pair itself, g_j
// = scale * exp(scores[j] - shift) * (row_inverse + column_inverses[j]). Sets
// weights[j] = more[j] + g_j * row_factor * column_factors[j], where `more` may
// be null, and adds g_j * scores[j] * column_factors[j]^2 to column_terms[j].
// Returns the sum of g_j * scores[j]. `weights` may be `scores`.
float ContrastGradient(const ContrastRow<float>& row,
                       const ContrastRowSums<float>& sums, const float* scores,
                       const float* more, float* weights, float* column_terms);
double ContrastGradient(const ContrastRow<double>& row,
                        const ContrastRowSums<double>& sums,
                        const double* scores, const double* more,
                        double* weights, double* column_terms);

}  // namespace firth::nn

#endif  // FIRTH_NN_CONTRAST_ROWS_H_
