// Products and sums of matrices for neural layers.
//
// The folder `nn` is a library of layers with explicit forward and backward
// passes. They are templates on the number type: float for work, double for the
// gradient checks of tests. From the bottom to the top:
//
//   Product                        the only way to multiply
//   Parameter, Gradient            what is trained: name, values, gradient
//   cells                          the arithmetic of recurrent cells
//   SequenceLayers, LayerState     layers that read text: Recurrent, Stack
//   Dropout, Linear, Highway       layers without time
//   CharCnn, TokenEncoder          tokens to vectors
//   Head, OutputRows               hidden vectors to losses
//   Optimizer, ClipGlobalNorm, Schedule
//
// A layer's Forward() keeps what its Backward() needs, in buffers that grow to
// the largest chunk. Backward() adds to the gradients of the parameters and
// overwrites those of the inputs. A layer is used by one thread at a time. Rows
// are time-major: row t * batch + b is step t of sequence b.

#ifndef FIRTH_NN_MATRIX_H_
#define FIRTH_NN_MATRIX_H_

#include <algorithm>
#include <cstddef>

#include "base/check.h"
#include "base/matrix.h"
#include "base/team.h"
#include "firth/matrix.h"
#include "nn/elementwise.h"
#include "simd/gemm.h"
#include "simd/packed_gemm.h"

namespace firth::nn {

// Divide work on a matrix among a team: ranges of rows that are independent, of
// columns whose rows are summed, or of consecutive numbers. Each takes a few
// microseconds. Ranges begin at cache lines if all rows do, so that the
// division does not change which numbers share a vector.
template <class Work>
void ForNumbers(size_t count, const Work& work) {
  constexpr size_t kStep = 4096;
  ForRanges(count, kStep, kStep, work);
}
template <class Work>
void ForRows(size_t rows, size_t cols, const Work& work) {
  constexpr size_t kLeastNumbers = 4096;
  ForRanges(rows, 1, kLeastNumbers / std::max<size_t>(cols, 1), work);
}
template <class Work>
void ForColumns(size_t rows, size_t cols, const Work& work) {
  constexpr size_t kStep = 32;
  constexpr size_t kLeastNumbers = 8192;
  ForRanges(cols, kStep, kLeastNumbers / std::max<size_t>(rows, 1), work);
}

template <class T>
void Copy(ConstView<T> from, View<T> to) {
  FIRTH_CHECK(from.rows() == to.rows() && from.cols() == to.cols());
  ForRows(from.rows(), from.cols(), [&](size_t begin, size_t end) {
    for (size_t r = begin; r < end; ++r) {
      std::copy_n(from.Row(r), from.cols(), to.Row(r));
    }
  });
}

template <class T>
void Add(ConstView<T> from, View<T> to) {
  FIRTH_CHECK(from.rows() == to.rows() && from.cols() == to.cols());
  ForRows(from.rows(), from.cols(), [&](size_t begin, size_t end) {
    for (size_t r = begin; r < end; ++r) {
      AddScaled(from.cols(), T{1}, from.Row(r), to.Row(r));
    }
  });
}

template <class T>
void SetZero(View<T> view) {
  ForRows(view.rows(), view.cols(), [&](size_t begin, size_t end) {
    for (size_t r = begin; r < end; ++r) {
      std::fill_n(view.Row(r), view.cols(), T{0});
    }
  });
}

enum class Into { kOverwrite, kAdd };

// Computes c = op(a) op(b), or adds it to c. T is deduced only from c.
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

// The three products of a layer y = x w: forward, backward to its weights, and
// backward to its input.
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

// Adds the sum of each column c to sums[c], which gives the gradient of a bias.
template <class T>
void AddColumnSums(std::type_identity_t<ConstView<T>> values, T* sums) {
  ForColumns(values.rows(), values.cols(), [&](size_t begin, size_t end) {
    for (size_t r = 0; r < values.rows(); ++r) {
      AddScaled(end - begin, T{1}, values.Row(r) + begin, sums + begin);
    }
  });
}

// Adds the bias to every row.
template <class T>
void AddToRows(const T* bias, View<T> values) {
  ForRows(values.rows(), values.cols(), [&](size_t begin, size_t end) {
    for (size_t r = begin; r < end; ++r) {
      AddScaled(values.cols(), T{1}, bias, values.Row(r));
    }
  });
}

// The right-hand side of many consecutive products, such as the recurrent
// weights of a chunk. For floats, it is packed once if this makes each product
// faster (simd/packed_gemm.h).
template <class T>
class RepeatedFactor {
 public:
  // Sets op(matrix), which must not change while it is used.
  void Set(Transpose transpose, ConstView<T> matrix) {
    transpose_ = transpose;
    matrix_ = matrix;
  }
  void Multiply(ConstView<T> a, Into into, View<T> c) const {
    Product(a, Transpose::kNo, matrix_, transpose_, into, c);
  }

 private:
  Transpose transpose_ = Transpose::kNo;
  ConstView<T> matrix_;
};

template <>
class RepeatedFactor<float> {
 public:
  void Set(Transpose transpose, ConstView<float> matrix) {
    const bool turned = transpose == Transpose::kYes;
    packed_.Pack(transpose, turned ? matrix.cols() : matrix.rows(),
                 turned ? matrix.rows() : matrix.cols(), matrix.data(),
                 matrix.stride());
  }
  void Multiply(ConstView<float> a, Into into, View<float> c) const {
    FIRTH_CHECK(a.cols() == packed_.rows() && a.rows() == c.rows() &&
                c.cols() == packed_.cols());
    MultiplyPacked(a.rows(), a.data(), a.stride(), packed_, into == Into::kAdd,
                   c.data(), c.stride());
  }

 private:
  PackedMatrix packed_;
};

}  // namespace firth::nn

#endif  // FIRTH_NN_MATRIX_H_
