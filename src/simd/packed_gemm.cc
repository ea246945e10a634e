// Tiles of a few rows and two vectors of columns, whose sums stay in registers
// over all of the depth: a step of it is two loads, a broadcast a row and as
// many multiply-adds as there are sums.

#include "simd/packed_gemm.h"

#include <algorithm>

#include "base/check.h"
#include "simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/packed_gemm.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.h.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using PackedTag = hn::CappedTag<float, 16>;
constexpr size_t kPackedVecs = 2;
// 32 registers hold 8 x 2 sums, 16 hold 6 x 2.
constexpr size_t kPackedRows = HWY_TARGET <= HWY_AVX3 ? 8 : 6;

// A tile of kRows rows from column `at` of a panel. columns: how many of the
// tile's are in C.
template <size_t kRows>
HWY_INLINE void PackedTile(const float* HWY_RESTRICT a, size_t lda,
                           const float* HWY_RESTRICT panel, size_t depth,
                           bool add, size_t columns, float* HWY_RESTRICT c,
                           size_t ldc) {
  const PackedTag d;
  const size_t lanes = hn::Lanes(d);
  hn::Vec<PackedTag> sums[kRows * kPackedVecs];
  HWY_UNROLL(16)
  for (size_t k = 0; k < kRows * kPackedVecs; ++k) sums[k] = hn::Zero(d);
  HWY_UNROLL(2)
  for (size_t k = 0; k < depth; ++k) {
    const auto b0 = hn::Load(d, panel + k * kPanelColumns);
    const auto b1 = hn::Load(d, panel + k * kPanelColumns + lanes);
    HWY_UNROLL(8)
    for (size_t i = 0; i < kRows; ++i) {
      const auto x = hn::Set(d, a[i * lda + k]);
      sums[2 * i] = hn::MulAdd(x, b0, sums[2 * i]);
      sums[2 * i + 1] = hn::MulAdd(x, b1, sums[2 * i + 1]);
    }
  }
  for (size_t i = 0; i < kRows; ++i) {
    float* const to = c + i * ldc;
    if (columns >= kPackedVecs * lanes) {
      for (size_t v = 0; v < kPackedVecs; ++v) {
        auto sum = sums[2 * i + v];
        if (add) sum = hn::Add(sum, hn::LoadU(d, to + v * lanes));
        hn::StoreU(sum, d, to + v * lanes);
      }
      continue;
    }
    HWY_ALIGN float row[kPackedVecs * 16];
    hn::Store(sums[2 * i], d, row);
    hn::Store(sums[2 * i + 1], d, row + lanes);
    for (size_t j = 0; j < columns; ++j) to[j] = add ? to[j] + row[j] : row[j];
  }
}

// All rows for the tile's columns.
HWY_INLINE void PackedStrip(size_t m, const float* a, size_t lda,
                            const float* panel, size_t depth, bool add,
                            size_t columns, float* c, size_t ldc) {
  size_t i = 0;
  for (; i + kPackedRows <= m; i += kPackedRows) {
    PackedTile<kPackedRows>(a + i * lda, lda, panel, depth, add, columns,
                            c + i * ldc, ldc);
  }
  for (; i + 4 <= m; i += 4) {
    PackedTile<4>(a + i * lda, lda, panel, depth, add, columns, c + i * ldc,
                  ldc);
  }
  for (; i < m; ++i) {
    PackedTile<1>(a + i * lda, lda, panel, depth, add, columns, c + i * ldc,
                  ldc);
  }
}

void MultiplyPackedTarget(size_t m, const float* a, size_t lda,
                          const PackedMatrix& b, bool add, float* c,
                          size_t ldc) {
  const size_t tile = kPackedVecs * hn::Lanes(PackedTag());
  for (size_t j = 0; j < b.cols(); j += tile) {
    const size_t in_panel = j % kPanelColumns;
    PackedStrip(m, a, lda, b.Panel(j - in_panel) + in_panel, b.rows(), add,
                std::min(tile, b.cols() - j), c + j, ldc);
  }
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace firth {

HWY_EXPORT(MultiplyPackedTarget);

void PackedMatrix::Pack(Transpose transpose, size_t rows, size_t cols,
                        const float* matrix, size_t leading_dim) {
  const size_t panels = (cols + kPanelColumns - 1) / kPanelColumns;
  if (rows != rows_ || cols != cols_) {
    rows_ = rows;
    cols_ = cols;
    panels_ = AlignedMatrix(panels * rows, kPanelColumns);
  }
  for (size_t p = 0; p < panels; ++p) {
    const size_t first = p * kPanelColumns;
    const size_t count = std::min(kPanelColumns, cols - first);
    float* const panel = panels_.data() + first * rows;
    if (transpose == Transpose::kNo) {
      for (size_t r = 0; r < rows; ++r) {
        std::copy_n(matrix + r * leading_dim + first, count,
                    panel + r * kPanelColumns);
      }
      continue;
    }
    // A cache line of each column at a time.
    for (size_t begin = 0; begin < rows; begin += kRowFloats) {
      const size_t end = std::min(rows, begin + kRowFloats);
      for (size_t j = 0; j < count; ++j) {
        const float* const from = matrix + (first + j) * leading_dim;
        for (size_t r = begin; r < end; ++r) {
          panel[r * kPanelColumns + j] = from[r];
        }
      }
    }
  }
}

void MultiplyPacked(size_t m, const float* a, size_t lda, const PackedMatrix& b,
                    bool add, float* c, size_t ldc) {
  FIRTH_CHECK(lda >= b.rows() && ldc >= b.cols());
  HWY_DYNAMIC_DISPATCH(MultiplyPackedTarget)(m, a, lda, b, add, c, ldc);
}

}  // namespace firth
#endif  // HWY_ONCE
