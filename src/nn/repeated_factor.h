// The right-hand side of many consecutive products, such as the recurrent
// weights of a chunk. For floats, it is packed once if this makes each product
// faster (simd/packed_gemm.h).

#ifndef FIRTH_NN_REPEATED_FACTOR_H_
#define FIRTH_NN_REPEATED_FACTOR_H_

#include "nn/matrix.h"
#include "simd/packed_gemm.h"

namespace firth::nn {

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

#endif  // FIRTH_NN_REPEATED_FACTOR_H_
