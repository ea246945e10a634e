#include "vectors/outer_products.h"

#include <algorithm>

#include "base/parallel_exceptions.h"
#include "simd/gemm.h"

namespace firth {
namespace {

// A sum over this many rows is accurate enough in floats.
constexpr size_t kSummedRows = 1024;

}  // namespace

std::vector<double> SumOuterProducts(size_t rows, size_t cols, FillBlock x,
                                     FillBlock y,
                                     const std::atomic<bool>* stop) {
  std::vector<double> sum(cols * cols);
  // Added in the order of the blocks, independent of the number of threads.
  ParallelExceptions exceptions;
#pragma omp parallel for ordered schedule(static, 1)
  for (size_t begin = 0; begin < rows; begin += kSummedRows) {
    const size_t count = std::min(kSummedRows, rows - begin);
    std::vector<float> products;
    exceptions.Catch([&] {
      if (stop != nullptr && stop->load(std::memory_order_relaxed)) return;
      std::vector<float> x_block(count * cols), y_block(count * cols);
      x(begin, count, x_block.data());
      y(begin, count, y_block.data());
      products.resize(cols * cols);
      Gemm(Transpose::kYes, Transpose::kNo, cols, cols, count, 1,
           x_block.data(), cols, y_block.data(), cols, 0, products.data(),
           cols);
    });
#pragma omp ordered
    for (size_t i = 0; i < products.size(); ++i) sum[i] += products[i];
  }
  exceptions.Rethrow();
  return sum;
}

}  // namespace firth
