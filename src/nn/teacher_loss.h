// Losses of vectors by those of a teacher for the same texts.
//
// With u = x / |x| and unit vectors t of the teacher, for B texts:
//
//   cosine  1/B sum_i (1 - <u_i, t_i>)
//   Gram    1/B^2 sum_{i != j} (<u_i, u_j> - <t_i, t_j>)^2
//
// The second loss does not depend on the number of dimensions of the teacher.
// It is added up over prefixes of the dimensions, as in nn/contrast.h.

#ifndef FIRTH_NN_TEACHER_LOSS_H_
#define FIRTH_NN_TEACHER_LOSS_H_

#include <cstddef>
#include <vector>

#include "firth/matrix.h"
#include "nn/matrix.h"

namespace firth::nn {

template <class T>
class TeacherLosses {
 public:
  // Both set d_x [B, dim], and return the loss. A zero vector has no gradient.
  // teacher: [B, dim].
  double Cosine(ConstView<T> x, ConstView<T> teacher, View<T> d_x);
  // `weights` are those of the losses of the prefixes. teacher: [B, any].
  double Gram(const std::vector<size_t>& prefixes,
              const std::vector<double>& weights, ConstView<T> x,
              ConstView<T> teacher, View<T> d_x);

 private:
  // Sets unit_ and inverses_ from the first `dim` columns.
  void Normalize(ConstView<T> x, size_t dim);
  // Adds the gradient by x, given that by the unit vectors.
  void AddBackward(size_t dim, View<T> d_x) const;

  Matrix<T> unit_, d_unit_;
  std::vector<T> inverses_;
  Matrix<T> wanted_, scores_;  // [B, B]
};

}  // namespace firth::nn

#endif  // FIRTH_NN_TEACHER_LOSS_H_
