#include "simd/gemm.h"

#include <cblas.h>

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "base/team.h"
#include "simd/blas.h"
#include "simd/packed_gemm.h"

namespace firth {
namespace {

int ToInt(size_t size) {
  FIRTH_CHECK(size <= static_cast<size_t>(std::numeric_limits<int>::max()));
  return static_cast<int>(size);
}

// Returns a leading dimension for rows of `cols` numbers. A BLAS requires at
// least 1.
int LeadingDim(size_t leading_dim, size_t cols) {
  FIRTH_CHECK(leading_dim >= cols);
  return leading_dim == 0 ? 1 : ToInt(leading_dim);
}

CBLAS_TRANSPOSE ToCblas(Transpose transpose) {
  return transpose == Transpose::kYes ? CblasTrans : CblasNoTrans;
}

// With fewer rows or columns, copying a factor costs more than it saves.
constexpr size_t kLeastInBlocks = 16;
// OpenBLAS has special kernels for small products, which are up to 1.4 times as
// fast, except if B is transposed (1.0-2.1 times as slow with a whole panel or
// more).
constexpr double kLeastProducts = 1e6;

bool WorthBlocks(Transpose b_t, size_t m, size_t n, size_t k) {
  if (std::min({m, n, k}) < kLeastInBlocks || !BlocksBeatBlas()) return false;
  return (b_t == Transpose::kYes && n >= kPanelColumns) ||
         static_cast<double>(m) * static_cast<double>(n) *
                 static_cast<double>(k) >
             kLeastProducts;
}

// The kernels of a BLAS for whole tiles and for the rest of a row or column may
// add in different orders (OpenBLAS's for Haswell and Zen do), so a sum depends
// on where its part of the product begins and ends. A large product is
// therefore divided into the same parts for any size of the team. Each part
// copies the factor that they share, which costs little if there are few parts
// or the factor is narrow.
constexpr size_t kLeastInPart = size_t{1} << 22;  // Multiply-adds.
constexpr size_t kMostParts = 8;
constexpr size_t kMostNarrowParts = 64;
constexpr size_t kPartStep = 16;

// Calls multiply(begin, count) for the parts of [0, size). Each row or column
// takes `products` multiply-adds.
template <class Multiply>
void ForParts(size_t size, size_t products, size_t most_parts,
              const Multiply& multiply) {
  const size_t parts =
      std::clamp<size_t>(size * products / kLeastInPart, 1, most_parts);
  const size_t steps = (size + kPartStep - 1) / kPartStep;
  const size_t part = (steps + parts - 1) / parts * kPartStep;
  ForRanges((size + part - 1) / part, 1, 1, [&](size_t first, size_t last) {
    for (size_t i = first; i < last; ++i) {
      multiply(i * part, std::min(part, size - i * part));
    }
  });
}

}  // namespace

void Gemm(Transpose a_t, Transpose b_t, size_t m, size_t n, size_t k,
          float alpha, const float* a, size_t lda, const float* b, size_t ldb,
          float beta, float* c, size_t ldc) {
  for (const size_t size : {m, n, k}) ToInt(size);
  if ((beta == 0 || beta == 1) && WorthBlocks(b_t, m, n, k)) {
    MultiplyInBlocks(a_t, b_t, m, n, k, alpha, a, lda, b, ldb, beta == 1, c,
                     ldc);
    return;
  }
  const auto multiply = [&](size_t row, size_t rows, size_t column,
                            size_t columns) {
    BlasCall()->sgemm(CblasRowMajor, ToCblas(a_t), ToCblas(b_t), ToInt(rows),
                      ToInt(columns), ToInt(k), alpha,
                      a + (a_t == Transpose::kYes ? row : row * lda),
                      LeadingDim(lda, a_t == Transpose::kYes ? m : k),
                      b + (b_t == Transpose::kYes ? column * ldb : column),
                      LeadingDim(ldb, b_t == Transpose::kYes ? k : n), beta,
                      c + row * ldc + column, LeadingDim(ldc, n));
  };
  if (m == 0 || n == 0) return;
  const size_t most_parts =
      std::min({m, n, k}) < kLeastInBlocks ? kMostNarrowParts : kMostParts;
  if (m > n) {
    ForParts(m, n * k, most_parts,
             [&](size_t row, size_t rows) { multiply(row, rows, 0, n); });
  } else {
    ForParts(n, m * k, most_parts, [&](size_t column, size_t columns) {
      multiply(0, m, column, columns);
    });
  }
}

void Gemm(Transpose a_t, Transpose b_t, size_t m, size_t n, size_t k,
          double alpha, const double* a, size_t lda, const double* b,
          size_t ldb, double beta, double* c, size_t ldc) {
  BlasCall()->dgemm(CblasRowMajor, ToCblas(a_t), ToCblas(b_t), ToInt(m),
                    ToInt(n), ToInt(k), alpha, a,
                    LeadingDim(lda, a_t == Transpose::kYes ? m : k), b,
                    LeadingDim(ldb, b_t == Transpose::kYes ? k : n), beta, c,
                    LeadingDim(ldc, n));
}

}  // namespace firth
