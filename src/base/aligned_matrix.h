// AlignedMatrix: floats in rows that start on 64-byte borders.

#ifndef FIRTH_BASE_ALIGNED_MATRIX_H_
#define FIRTH_BASE_ALIGNED_MATRIX_H_

#include <cstddef>
#include <cstdlib>
#include <memory>

namespace firth {

constexpr size_t kRowFloats = 16;  // a row is a multiple of 64 bytes

// The floats that a row of `dim` values takes.
constexpr size_t PaddedDim(size_t dim) {
  return (dim + kRowFloats - 1) / kRowFloats * kRowFloats;
}

// Memory of `count` zeroed floats, aligned to 64 bytes (to 2 MiB, with a
// request for huge pages, where it is large). Null when there is no memory.
std::unique_ptr<float[], decltype(&std::free)> AllocateFloats(size_t count);

// The same, but zeroed by the system page by page, when a page is first
// touched: for large tables that several threads fill, each its own part.
std::shared_ptr<float> MapFloats(size_t count);

// [rows, dim], rows padded with zeros to PaddedDim(dim). Owned; movable.
class AlignedMatrix {
 public:
  AlignedMatrix() : data_(nullptr, &std::free) {}
  // Zeroed. Throws std::bad_alloc when there is no memory; sizes are estimated
  // and checked before (see MemoryEstimate).
  AlignedMatrix(size_t rows, size_t dim);

  size_t rows() const { return rows_; }
  size_t dim() const { return dim_; }
  size_t stride() const { return PaddedDim(dim_); }
  float* Row(size_t row) { return data_.get() + row * stride(); }
  const float* Row(size_t row) const { return data_.get() + row * stride(); }
  float* data() { return data_.get(); }
  const float* data() const { return data_.get(); }

 private:
  std::unique_ptr<float[], decltype(&std::free)> data_;
  size_t rows_ = 0;
  size_t dim_ = 0;
};

}  // namespace firth

#endif  // FIRTH_BASE_ALIGNED_MATRIX_H_
