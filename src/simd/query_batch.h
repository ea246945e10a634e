// The inner loops of answering many queries at once: nearest neighbors and
// analogies.

#ifndef FIRTH_SIMD_QUERY_BATCH_H_
#define FIRTH_SIMD_QUERY_BATCH_H_

#include <cstddef>
#include <cstdint>

namespace firth {

// A panel of queries is transposed once, and rows are read in place. A block of
// rows times a panel stays in registers, so the work is bound by arithmetic and
// not by memory.
constexpr size_t kPanelQueries = 16;

// For each of num_rows rows r of `dim` floats, at rows + r * stride, and each
// query q of the panel [dim, kPanelQueries], computes
//
//   scores[r * kPanelQueries + q] = scales[r] * dot(row r, query q)
//                                   - penalties[r]
//
// The product is 0 if the scale is 0, whatever the row contains. Lists in
// hits[] the rows r, in ascending order, for which a score is at or above
// thresholds[q] or row_thresholds[r], and returns their number; hits must have
// room for num_rows. row_thresholds may be null if there are none. panel,
// thresholds and scores must be aligned to 64 bytes.
size_t DotPanel(const float* panel, const float* rows, size_t num_rows,
                size_t stride, size_t dim, const float* scales,
                const float* penalties, const float* thresholds,
                const float* row_thresholds, float* scores, uint32_t* hits);

// Computes the maximum over i < n of the score
//
//   FindBetterSum       b[i] - a[i] + c[i]                (3CosAdd)
//   FindBetterQuotient  b[i] * c[i] / (a[i] + 0.001)      (3CosMul)
//
// If it is greater than *best, sets *best to it and *best_pos to its first i,
// and returns true. The values must not be NaN.
bool FindBetterSum(const float* a, const float* b, const float* c, size_t n,
                   float* best, size_t* best_pos);
bool FindBetterQuotient(const float* a, const float* b, const float* c,
                        size_t n, float* best, size_t* best_pos);

}  // namespace firth

#endif  // FIRTH_SIMD_QUERY_BATCH_H_
