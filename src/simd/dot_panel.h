// Many queries against many rows: a panel of 16 queries at a time.
//
// The kernel of asking for neighbours in batches. A panel is transposed once,
// rows are read where they lie; a block of rows times a panel stays in
// registers, so that the work is bound by arithmetic and not by memory.

#ifndef FIRTH_SIMD_DOT_PANEL_H_
#define FIRTH_SIMD_DOT_PANEL_H_

#include <cstddef>
#include <cstdint>

namespace firth {

constexpr size_t kPanelQueries = 16;

// For each of num_rows rows r of `dim` floats, at rows + r * stride, and each
// query q of the panel [dim, kPanelQueries]:
//
//   scores[r * kPanelQueries + q] = scales[r] * dot(row r, query q)
//                                   - penalties[r]
//
// with 0 for the product where the scale is 0, whatever the row holds.
// Lists in hits[] the rows r, rising, for which a score is at or above
// thresholds[q] or row_thresholds[r], and returns how many; hits has room for
// num_rows. row_thresholds may be null: no row has one. panel, thresholds and
// scores are aligned to 64 bytes.
size_t DotPanel(const float* panel, const float* rows, size_t num_rows,
                size_t stride, size_t dim, const float* scales,
                const float* penalties, const float* thresholds,
                const float* row_thresholds, float* scores, uint32_t* hits);

}  // namespace firth

#endif  // FIRTH_SIMD_DOT_PANEL_H_
