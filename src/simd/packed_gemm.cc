// Tiles have a few rows and two vectors of columns, and their sums stay in
// registers over the whole depth. A step of the depth consists of two loads,
// one broadcast per row, and as many multiply-adds as there are sums.

#include "simd/packed_gemm.h"

#include <algorithm>

#include "base/check.h"
#include "base/prefetch.h"
#include "base/team.h"
#include "simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/packed_gemm.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// Must come after foreach_target.h.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using PackedTag = hn::CappedTag<float, 16>;
constexpr size_t kPackedVecs = 2;
// 32 registers hold 8 x 2 sums, and 16 hold 6 x 2.
constexpr size_t kPackedRows = HWY_TARGET <= HWY_AVX3 ? 8 : 6;

// The left-hand factor of a tile: rows of a matrix as stored, or rows of panels
// of kPackedRows rows (PackRows).
struct StoredRows {
  const float* first;
  size_t stride;

  StoredRows From(size_t row) const { return {first + row * stride, stride}; }
  float At(size_t row, size_t depth) const {
    return first[row * stride + depth];
  }
};
struct PanelRows {
  const float* first;
  size_t depth;

  // A tile does not extend beyond its panel.
  PanelRows From(size_t row) const {
    return {first + row / kPackedRows * kPackedRows * depth + row % kPackedRows,
            depth};
  }
  float At(size_t row, size_t k) const { return first[k * kPackedRows + row]; }
};

// Computes a tile of kRows rows and a panel's columns, of which `columns` are
// in C.
template <size_t kRows, class Rows>
HWY_INLINE void PackedTile(Rows a, const float* HWY_RESTRICT panel,
                           size_t depth, float alpha, bool add, size_t columns,
                           float* HWY_RESTRICT c, size_t ldc) {
  const PackedTag d;
  const size_t lanes = hn::Lanes(d);
  hn::Vec<PackedTag> sums[kRows * kPackedVecs];
  HWY_UNROLL(16)
  for (size_t k = 0; k < kRows * kPackedVecs; ++k) sums[k] = hn::Zero(d);
  // Prefetches C while the sums are computed.
  HWY_UNROLL(8)
  for (size_t i = 0; i < kRows; ++i) {
    PrefetchForWrite(c + i * ldc);
    PrefetchForWrite(c + i * ldc + columns - 1);
  }
  HWY_UNROLL(2)
  for (size_t k = 0; k < depth; ++k) {
    const auto b0 = hn::Load(d, panel + k * kPanelColumns);
    const auto b1 = hn::Load(d, panel + k * kPanelColumns + lanes);
    HWY_UNROLL(8)
    for (size_t i = 0; i < kRows; ++i) {
      const auto x = hn::Set(d, a.At(i, k));
      sums[2 * i] = hn::MulAdd(x, b0, sums[2 * i]);
      sums[2 * i + 1] = hn::MulAdd(x, b1, sums[2 * i + 1]);
    }
  }
  const auto scale = hn::Set(d, alpha);
  HWY_UNROLL(16)
  for (size_t k = 0; k < kRows * kPackedVecs; ++k) {
    sums[k] = hn::Mul(scale, sums[k]);
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

// Computes all rows of the tile's columns.
template <class Rows>
HWY_INLINE void PackedStrip(size_t m, Rows a, const float* panel, size_t depth,
                            float alpha, bool add, size_t columns, float* c,
                            size_t ldc) {
  size_t i = 0;
  for (; i + kPackedRows <= m; i += kPackedRows) {
    PackedTile<kPackedRows>(a.From(i), panel, depth, alpha, add, columns,
                            c + i * ldc, ldc);
  }
  for (; i + 4 <= m; i += 4) {
    PackedTile<4>(a.From(i), panel, depth, alpha, add, columns, c + i * ldc,
                  ldc);
  }
  for (; i < m; ++i) {
    PackedTile<1>(a.From(i), panel, depth, alpha, add, columns, c + i * ldc,
                  ldc);
  }
}

// b: panels of kPanelColumns columns, [depth, n].
template <class Rows>
HWY_INLINE void MultiplyPanels(size_t m, Rows a, const float* b, size_t depth,
                               size_t n, float alpha, bool add, float* c,
                               size_t ldc) {
  const size_t tile = kPackedVecs * hn::Lanes(PackedTag());
  for (size_t j = 0; j < n; j += tile) {
    const size_t in_panel = j % kPanelColumns;
    PackedStrip(m, a, b + (j - in_panel) * depth + in_panel, depth, alpha, add,
                std::min(tile, n - j), c + j, ldc);
  }
}

void MultiplyPackedTarget(size_t m, const float* a, size_t lda, const float* b,
                          size_t depth, size_t n, float alpha, bool add,
                          float* c, size_t ldc) {
  MultiplyPanels(m, StoredRows{a, lda}, b, depth, n, alpha, add, c, ldc);
}

void MultiplyPanelRowsTarget(size_t m, const float* a, const float* b,
                             size_t depth, size_t n, float alpha, bool add,
                             float* c, size_t ldc) {
  MultiplyPanels(m, PanelRows{a, depth}, b, depth, n, alpha, add, c, ldc);
}

constexpr size_t kTurned = 4;
// Sets panel[r * width + j] = columns[j * stride + r], for kTurned columns and
// rows.
#if HWY_TARGET == HWY_SCALAR
HWY_INLINE void TurnBlock(const float* columns, size_t stride, size_t width,
                          float* panel) {
  for (size_t r = 0; r < kTurned; ++r) {
    for (size_t j = 0; j < kTurned; ++j) {
      panel[r * width + j] = columns[j * stride + r];
    }
  }
}
#else
HWY_INLINE void TurnBlock(const float* columns, size_t stride, size_t width,
                          float* panel) {
  const hn::FixedTag<float, kTurned> d;
  const auto a = hn::LoadU(d, columns);
  const auto b = hn::LoadU(d, columns + stride);
  const auto c = hn::LoadU(d, columns + 2 * stride);
  const auto e = hn::LoadU(d, columns + 3 * stride);
  const auto low_ac = hn::InterleaveLower(d, a, c);
  const auto low_be = hn::InterleaveLower(d, b, e);
  const auto high_ac = hn::InterleaveUpper(d, a, c);
  const auto high_be = hn::InterleaveUpper(d, b, e);
  hn::StoreU(hn::InterleaveLower(d, low_ac, low_be), d, panel);
  hn::StoreU(hn::InterleaveUpper(d, low_ac, low_be), d, panel + width);
  hn::StoreU(hn::InterleaveLower(d, high_ac, high_be), d, panel + 2 * width);
  hn::StoreU(hn::InterleaveUpper(d, high_ac, high_be), d, panel + 3 * width);
}
#endif

// Fills a panel [rows, width] with `count` columns that are stored as rows.
void TurnIntoPanelTarget(const float* columns, size_t stride, size_t rows,
                         size_t count, size_t width, float* panel) {
  const size_t whole_rows = rows / kTurned * kTurned;
  const size_t whole_columns = count / kTurned * kTurned;
  // Processes one cache line of each column at a time.
  for (size_t begin = 0; begin < whole_rows; begin += kRowFloats) {
    const size_t end = std::min(whole_rows, begin + kRowFloats);
    for (size_t j = 0; j < whole_columns; j += kTurned) {
      for (size_t r = begin; r < end; r += kTurned) {
        TurnBlock(columns + j * stride + r, stride, width,
                  panel + r * width + j);
      }
    }
  }
  for (size_t r = 0; r < rows; ++r) {
    for (size_t j = r < whole_rows ? whole_columns : 0; j < count; ++j) {
      panel[r * width + j] = columns[j * stride + r];
    }
  }
}

// Copies columns of A, [depth, rows] as stored, into panels of kPackedRows, a
// few steps of the depth at a time. The same part of consecutive panels is a
// multiple of kilobytes apart, so writing all panels step by step would
// repeatedly use only a few sets of the first-level cache. The columns of the
// next steps are prefetched here, because hardware does not prefetch at such
// strides.
void PackRowsTarget(size_t rows, size_t depth, const float* a, size_t lda,
                    float* panels) {
  constexpr size_t kSteps = 32;
  const size_t whole = rows / kPackedRows * kPackedRows;
  for (size_t begin = 0; begin < depth; begin += kSteps) {
    const size_t end = std::min(depth, begin + kSteps);
    for (size_t row = 0; row < whole; row += kPackedRows) {
      float* const panel = panels + row * depth;
      for (size_t k = begin; k < end; ++k) {
        PrefetchForRead(a + (k + kSteps) * lda + row);
        for (size_t r = 0; r < kPackedRows; ++r) {
          panel[k * kPackedRows + r] = a[k * lda + row + r];
        }
      }
    }
    for (size_t k = begin; k < end; ++k) {
      float* const last = panels + whole * depth + k * kPackedRows;
      for (size_t r = 0; whole + r < rows; ++r) {
        last[r] = a[k * lda + whole + r];
      }
    }
  }
}

bool BlocksBeatBlasTarget() { return HWY_TARGET <= HWY_AVX2; }

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace firth {

HWY_EXPORT(MultiplyPackedTarget);
HWY_EXPORT(MultiplyPanelRowsTarget);
HWY_EXPORT(TurnIntoPanelTarget);
HWY_EXPORT(PackRowsTarget);
HWY_EXPORT(BlocksBeatBlasTarget);

namespace {

// A block of the right-hand side is [kBlockDepth, kBlockColumns] and stays in
// the third-level cache. kBlockRows rows of the left-hand side, which are
// copied if they are stored as columns, stay in the second-level cache.
constexpr size_t kBlockDepth = 1024;
constexpr size_t kBlockColumns = 1024;
constexpr size_t kBlockRows = 96;
// Waking a thread costs more than copying fewer numbers than this.
constexpr size_t kLeastPacked = 16384;

// Copies op(matrix), [rows, cols], into panels. The last one is padded with
// zeros.
void PackPanels(Transpose transpose, size_t rows, size_t cols,
                const float* matrix, size_t leading_dim, float* panels) {
  const size_t whole = cols / kPanelColumns * kPanelColumns;
  const size_t rest = cols - whole;
  if (transpose == Transpose::kYes) {
    for (size_t first = 0; first < cols; first += kPanelColumns) {
      HWY_DYNAMIC_DISPATCH(TurnIntoPanelTarget)
      (matrix + first * leading_dim, leading_dim, rows,
       std::min(kPanelColumns, cols - first), kPanelColumns,
       panels + first * rows);
    }
  }
  // Copies a few rows at a time. Row by row, the parts of all panels would use
  // the same sets of the first-level cache (up to 20% of a product of few
  // rows). Panel by panel, each row would be in another page of memory.
  constexpr size_t kRows = 8;
  for (size_t begin = 0; begin < rows; begin += kRows) {
    const size_t end = std::min(rows, begin + kRows);
    for (size_t first = 0; first < whole && transpose == Transpose::kNo;
         first += kPanelColumns) {
      for (size_t r = begin; r < end; ++r) {
        std::copy_n(matrix + r * leading_dim + first, kPanelColumns,
                    panels + first * rows + r * kPanelColumns);
      }
    }
    for (size_t r = begin; r < end && rest > 0; ++r) {
      float* const last = panels + whole * rows + r * kPanelColumns;
      if (transpose == Transpose::kNo) {
        std::copy_n(matrix + r * leading_dim + whole, rest, last);
      }
      std::fill_n(last + rest, kPanelColumns - rest, 0.0f);
    }
  }
}

// The blocks of both factors that a thread keeps for MultiplyInBlocks().
struct BlockMemory {
  PaddedMatrix b{kBlockDepth, kBlockColumns};
  PaddedMatrix a{kBlockDepth, kBlockRows};
};

BlockMemory& ThreadMemory() {
  thread_local BlockMemory memory;
  return memory;
}

// Rows of all tiles except the last: those of AVX-512.
constexpr size_t kRowStep = 8;

// Minimum multiply-adds of a thread's part of a product, about ten microseconds
// of work. The division of a product does not change its sums.
constexpr size_t kLeastProducts = size_t{1} << 19;

// Multiplies the rows [begin, end) of op(A) by a packed block [depth, columns].
// `c` points to the first row of all.
void MultiplyBlockRows(Transpose a_t, size_t begin, size_t end, const float* a,
                       size_t lda, const float* block, size_t depth,
                       size_t columns, float alpha, bool add, float* c,
                       size_t ldc) {
  float* const panels = ThreadMemory().a.data();
  for (size_t row = begin; row < end; row += kBlockRows) {
    const size_t rows = std::min(kBlockRows, end - row);
    float* const to = c + row * ldc;
    if (a_t == Transpose::kNo) {
      HWY_DYNAMIC_DISPATCH(MultiplyPackedTarget)
      (rows, a + row * lda, lda, block, depth, columns, alpha, add, to, ldc);
      continue;
    }
    HWY_DYNAMIC_DISPATCH(PackRowsTarget)(rows, depth, a + row, lda, panels);
    HWY_DYNAMIC_DISPATCH(MultiplyPanelRowsTarget)
    (rows, panels, block, depth, columns, alpha, add, to, ldc);
  }
}

}  // namespace

void PackedMatrix::Pack(Transpose transpose, size_t rows, size_t cols,
                        const float* matrix, size_t leading_dim) {
  if (rows != rows_ || cols != cols_) {
    panels_ = PaddedMatrix((cols + kPanelColumns - 1) / kPanelColumns * rows,
                           kPanelColumns);
    // Last, because without memory the object keeps its old panels.
    rows_ = rows;
    cols_ = cols;
  }
  PackPanels(transpose, rows, cols, matrix, leading_dim, panels_.data());
}

void MultiplyPacked(size_t m, const float* a, size_t lda, const PackedMatrix& b,
                    bool add, float* c, size_t ldc) {
  FIRTH_CHECK(lda >= b.rows() && ldc >= b.cols());
  ForRanges(b.cols(), kPanelColumns,
            kLeastProducts / std::max<size_t>(1, m * b.rows()),
            [&](size_t begin, size_t end) {
              HWY_DYNAMIC_DISPATCH(MultiplyPackedTarget)
              (m, a, lda, b.Panel(begin), b.rows(), end - begin, 1.0f, add,
               c + begin, ldc);
            });
}

bool BlocksBeatBlas() { return HWY_DYNAMIC_DISPATCH(BlocksBeatBlasTarget)(); }

size_t KeptByGemm(size_t n) {
  if (!BlocksBeatBlas()) return 0;
  // The system allocates so large a block in huge pages.
  constexpr size_t kHugePage = size_t{2} << 20;
  const size_t right = kBlockDepth * std::min(n, kBlockColumns) * sizeof(float);
  return (right + kHugePage - 1) / kHugePage * kHugePage +
         kBlockDepth * kBlockRows * sizeof(float);
}

void MultiplyInBlocks(Transpose a_t, Transpose b_t, size_t m, size_t n,
                      size_t k, float alpha, const float* a, size_t lda,
                      const float* b, size_t ldb, bool add, float* c,
                      size_t ldc) {
  FIRTH_CHECK(k > 0 && ldc >= n && lda >= (a_t == Transpose::kYes ? m : k) &&
              ldb >= (b_t == Transpose::kYes ? k : n));
  float* const block = ThreadMemory().b.data();
  for (size_t from = 0; from < k; from += kBlockDepth) {
    const size_t depth = std::min(kBlockDepth, k - from);
    const bool add_block = add || from > 0;
    for (size_t column = 0; column < n; column += kBlockColumns) {
      const size_t columns = std::min(kBlockColumns, n - column);
      const size_t b_step = b_t == Transpose::kYes ? ldb : 1;
      const float* const from_b =
          b + (b_t == Transpose::kYes ? from : from * ldb) + column * b_step;
      ForRanges(columns, kPanelColumns, kLeastPacked / depth,
                [&](size_t begin, size_t end) {
                  PackPanels(b_t, depth, end - begin, from_b + begin * b_step,
                             ldb, block + begin * depth);
                });
      const float* const from_a =
          a + (a_t == Transpose::kYes ? from * lda : from);
      ForRanges(m, kRowStep, kLeastProducts / (depth * columns),
                [&](size_t begin, size_t end) {
                  MultiplyBlockRows(a_t, begin, end, from_a, lda, block, depth,
                                    columns, alpha, add_block, c + column, ldc);
                });
    }
  }
}

}  // namespace firth
#endif  // HWY_ONCE
