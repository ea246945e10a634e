// Products of many queries and many rows, one panel of 16 queries at a time.
//
// This is the kernel of batched nearest-neighbor queries. A panel is transposed
// once, and rows are read in place. A block of rows times a panel stays in
// registers, so the work is bound by arithmetic and not by memory.

#ifndef FIRTH_SIMD_DOT_PANEL_H_
#define FIRTH_SIMD_DOT_PANEL_H_

#include <cstddef>
#include <cstdint>

namespace firth {

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

}  // namespace firth

#endif  // FIRTH_SIMD_DOT_PANEL_H_
