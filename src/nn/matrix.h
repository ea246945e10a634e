// Matrices of the neural layers, and their products.
//
// The layer `nn` is a library of layers with forward and backward written out,
// as templates on the number type: float for work, double for the tests'
// gradient checks. From the ground up:
//
//   Matrix, View, Product          memory and the one way to multiply
//   Parameter, Gradient            what is learnt: name, values, gradient
//   cells                          the arithmetic of recurrent cells
//   Recurrent, Stack               time, layers; Dropout, Linear, Highway
//   CharCnn, TokenEncoder          tokens to vectors
//   Head, OutputRows               hidden vectors to losses
//   Optimizer, ClipGlobalNorm, Schedule
//
// A layer's Forward() keeps what its Backward() needs, in buffers that grow to
// the largest chunk seen; Backward() adds to the gradients of the parameters
// and overwrites those of the inputs. A layer is used by one thread at a time.
// Rows are time-major: row t * batch + b is step t of sequence b.

#ifndef FIRTH_NN_MATRIX_H_
#define FIRTH_NN_MATRIX_H_

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>

#include "base/check.h"
#include "simd/gemm.h"

namespace firth::nn {

// [rows, cols] of someone else's memory, a row every `stride` numbers.
template <class T>
class View {
 public:
  View() = default;
  View(T* data, size_t rows, size_t cols, size_t stride)
      : data_(data), rows_(rows), cols_(cols), stride_(stride) {}
  View(T* data, size_t rows, size_t cols) : View(data, rows, cols, cols) {}
  // A view to write through is one to read through.
  template <class U, class = std::enable_if_t<std::is_same_v<const U, T>>>
  // NOLINTNEXTLINE(google-explicit-constructor)
  View(const View<U>& other)
      : View(other.data(), other.rows(), other.cols(), other.stride()) {}

  bool empty() const { return rows_ == 0 || cols_ == 0; }
  size_t rows() const { return rows_; }
  size_t cols() const { return cols_; }
  size_t stride() const { return stride_; }
  T* data() const { return data_; }
  T* Row(size_t row) const { return data_ + row * stride_; }
  View Rows(size_t first, size_t count) const {
    return {Row(first), count, cols_, stride_};
  }
  View Cols(size_t first, size_t count) const {
    return {data_ + first, rows_, count, stride_};
  }

 private:
  T* data_ = nullptr;
  size_t rows_ = 0;
  size_t cols_ = 0;
  size_t stride_ = 0;
};

template <class T>
using ConstView = View<const T>;

// [rows, cols], rows without gaps, the first on a 64-byte border. Movable.
template <class T>
class Matrix {
 public:
  Matrix() = default;
  // Zeros.
  Matrix(size_t rows, size_t cols) {
    Resize(rows, cols);
    Fill(0);
  }

  // Keeps the memory if it is large enough; what it holds is arbitrary then.
  void Resize(size_t rows, size_t cols) {
    if (rows * cols > capacity_) {
      capacity_ = rows * cols;
      data_.reset(new (kAlignment) T[capacity_]);
    }
    rows_ = rows;
    cols_ = cols;
  }
  void Fill(T value) { std::fill_n(data(), size(), value); }

  size_t rows() const { return rows_; }
  size_t cols() const { return cols_; }
  size_t size() const { return rows_ * cols_; }
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  T* Row(size_t row) { return data() + row * cols_; }
  const T* Row(size_t row) const { return data() + row * cols_; }
  View<T> view() { return {data(), rows_, cols_}; }
  ConstView<T> view() const { return {data(), rows_, cols_}; }

 private:
  static constexpr std::align_val_t kAlignment{64};
  struct Delete {
    void operator()(T* data) const { operator delete[](data, kAlignment); }
  };
  std::unique_ptr<T[], Delete> data_;
  size_t capacity_ = 0;
  size_t rows_ = 0;
  size_t cols_ = 0;
};

template <class T>
void Copy(ConstView<T> from, View<T> to) {
  FIRTH_CHECK(from.rows() == to.rows() && from.cols() == to.cols());
  for (size_t r = 0; r < from.rows(); ++r) {
    std::copy_n(from.Row(r), from.cols(), to.Row(r));
  }
}

template <class T>
void Add(ConstView<T> from, View<T> to) {
  FIRTH_CHECK(from.rows() == to.rows() && from.cols() == to.cols());
  for (size_t r = 0; r < from.rows(); ++r) {
    const T* const source = from.Row(r);
    T* const target = to.Row(r);
    for (size_t c = 0; c < from.cols(); ++c) target[c] += source[c];
  }
}

template <class T>
void SetZero(View<T> view) {
  for (size_t r = 0; r < view.rows(); ++r) {
    std::fill_n(view.Row(r), view.cols(), T{0});
  }
}

enum class Into { kOverwrite, kAdd };

// c = op(a) op(b), or added to c. T is deduced from c alone.
template <class T>
void Product(std::type_identity_t<ConstView<T>> a, Transpose a_t,
             std::type_identity_t<ConstView<T>> b, Transpose b_t, Into into,
             View<T> c) {
  const size_t k = a_t == Transpose::kYes ? a.rows() : a.cols();
  FIRTH_CHECK(c.rows() == (a_t == Transpose::kYes ? a.cols() : a.rows()));
  FIRTH_CHECK(k == (b_t == Transpose::kYes ? b.cols() : b.rows()));
  FIRTH_CHECK(c.cols() == (b_t == Transpose::kYes ? b.rows() : b.cols()));
  Gemm(a_t, b_t, c.rows(), c.cols(), k, T{1}, a.data(), a.stride(), b.data(),
       b.stride(), into == Into::kAdd ? T{1} : T{0}, c.data(), c.stride());
}

// The three products of a layer y = x w: forward, and backward to its weights
// and to its input.
template <class T>
void Multiply(std::type_identity_t<ConstView<T>> x,
              std::type_identity_t<ConstView<T>> w, Into into, View<T> y) {
  Product<T>(x, Transpose::kNo, w, Transpose::kNo, into, y);
}
template <class T>
void AddWeightGradient(std::type_identity_t<ConstView<T>> x,
                       std::type_identity_t<ConstView<T>> d_y, View<T> d_w) {
  Product<T>(x, Transpose::kYes, d_y, Transpose::kNo, Into::kAdd, d_w);
}
template <class T>
void MultiplyBack(std::type_identity_t<ConstView<T>> d_y,
                  std::type_identity_t<ConstView<T>> w, Into into,
                  View<T> d_x) {
  Product<T>(d_y, Transpose::kNo, w, Transpose::kYes, into, d_x);
}

// sums[c] += sum of column c; the gradient of a bias.
template <class T>
void AddColumnSums(std::type_identity_t<ConstView<T>> values, T* sums) {
  for (size_t r = 0; r < values.rows(); ++r) {
    const T* const row = values.Row(r);
    for (size_t c = 0; c < values.cols(); ++c) sums[c] += row[c];
  }
}

// Adds the bias to every row.
template <class T>
void AddToRows(const T* bias, View<T> values) {
  for (size_t r = 0; r < values.rows(); ++r) {
    T* const row = values.Row(r);
    for (size_t c = 0; c < values.cols(); ++c) row[c] += bias[c];
  }
}

}  // namespace firth::nn

#endif  // FIRTH_NN_MATRIX_H_
