// Gradients of the losses by a teacher, against differences.

#include "nn/teacher_loss.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gtest/gtest.h"
#include "support/gradient_check.h"

namespace firth::nn {
namespace {

Matrix<double> UnitRows(size_t rows, size_t cols) {
  Matrix<double> matrix = RandomMatrix<double>(rows, cols, 9);
  for (size_t r = 0; r < rows; ++r) {
    const double norm =
        std::sqrt(DotProduct(cols, matrix.Row(r), matrix.Row(r)));
    for (size_t c = 0; c < cols; ++c) matrix.Row(r)[c] /= norm;
  }
  return matrix;
}

// Expects of `step`, which sets a gradient and returns its loss, that both
// agree.
template <class Step>
void ExpectGradient(Matrix<double>& x, const Step& step) {
  Matrix<double> d_x(x.rows(), x.cols()), ignored(x.rows(), x.cols());
  step(d_x);
  double most = 0, sum = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double n =
        NumericDerivative([&] { return step(ignored); }, x.data() + i);
    most = std::max(most, std::abs(n - d_x.data()[i]));
    sum += std::abs(n);
  }
  EXPECT_LT(most, 1e-9);
  EXPECT_GT(sum, 1e-3);
}

TEST(TeacherLossTest, GradientOfCosines) {
  Matrix<double> x = RandomMatrix<double>(4, 5, 1);
  const Matrix<double> teacher = UnitRows(4, 5);
  TeacherLosses<double> losses;
  ExpectGradient(x, [&](Matrix<double>& d_x) {
    return losses.Cosine(std::as_const(x).view(), teacher.view(), d_x.view());
  });
}

TEST(TeacherLossTest, GradientOfTheGramMatrixOfNestedPrefixes) {
  Matrix<double> x = RandomMatrix<double>(6, 5, 1);
  const Matrix<double> teacher = UnitRows(6, 3);
  TeacherLosses<double> losses;
  ExpectGradient(x, [&](Matrix<double>& d_x) {
    return losses.Gram({2, 5}, {0.5, 2}, std::as_const(x).view(),
                       teacher.view(), d_x.view());
  });
}

TEST(TeacherLossTest, AnEqualStudentHasNoLoss) {
  const Matrix<double> teacher = UnitRows(6, 3);
  Matrix<double> d_x(6, 3);
  TeacherLosses<double> losses;
  EXPECT_NEAR(losses.Cosine(teacher.view(), teacher.view(), d_x.view()), 0,
              1e-12);
  EXPECT_NEAR(losses.Gram({3}, {1}, teacher.view(), teacher.view(), d_x.view()),
              0, 1e-12);
}

}  // namespace
}  // namespace firth::nn
