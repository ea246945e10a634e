// Gradients against differences of the loss, in doubles.

#ifndef FIRTH_TESTS_SUPPORT_GRADIENT_CHECK_H_
#define FIRTH_TESTS_SUPPORT_GRADIENT_CHECK_H_

#include <cmath>
#include <functional>
#include <vector>

#include "gtest/gtest.h"
#include "nn/parameter.h"

namespace firth::nn {

// The derivative of `loss` by *value, by differences of the fourth order.
inline double NumericDerivative(const std::function<double()>& loss,
                                double* value) {
  constexpr double kStep = 1e-4;
  const double before = *value;
  const auto at = [&](double steps) {
    *value = before + steps * kStep;
    return loss();
  };
  const double derivative =
      (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * kStep);
  *value = before;
  return derivative;
}

// Expects of every parameter |a - n| / (|a| + |n|) < 1e-6, where a is the
// gradient that it holds, n that of `loss` by its values, and | | the norm over
// all of them.
inline void ExpectGradients(const ParameterList<double>& parameters,
                            const std::function<double()>& loss) {
  for (Parameter<double>* parameter : parameters) {
    // `loss` must not change what is compared.
    Matrix<double> analytic(parameter->value.rows(), parameter->value.cols());
    const Gradient<double>& gradient = parameter->gradient;
    for (size_t k = 0; k < gradient.num_stored(); ++k) {
      for (size_t c = 0; c < gradient.cols(); ++c) {
        analytic.Row(gradient.TableRow(k))[c] = gradient.Stored(k)[c];
      }
    }
    double difference = 0, sum = 0;
    for (size_t i = 0; i < analytic.size(); ++i) {
      const double a = analytic.data()[i];
      const double n = NumericDerivative(loss, parameter->value.data() + i);
      difference += (a - n) * (a - n);
      sum += a * a + n * n;
    }
    EXPECT_GT(sum, 1e-8) << parameter->name << " has no influence";
    EXPECT_LT(std::sqrt(difference / (sum + 1e-300)), 1e-6) << parameter->name;
  }
}

// Values that no symmetry hides: normal, from the key and the name's place in
// the list.
template <class T>
void Randomize(const ParameterList<T>& parameters, uint64_t key,
               double deviation = 0.5) {
  for (Parameter<T>* parameter : parameters) {
    FillNormal(deviation, ++key, parameter->value);
  }
}

template <class T>
void ClearGradients(const ParameterList<T>& parameters) {
  for (Parameter<T>* parameter : parameters) parameter->gradient.Clear();
}

// The sum of a[i] b[i]: with random b, a loss that every a moves.
inline double WeightedSum(ConstView<double> a, ConstView<double> b) {
  double sum = 0;
  for (size_t r = 0; r < a.rows(); ++r) {
    for (size_t c = 0; c < a.cols(); ++c) sum += a.Row(r)[c] * b.Row(r)[c];
  }
  return sum;
}

template <class T>
Matrix<T> RandomMatrix(size_t rows, size_t cols, uint64_t key,
                       double deviation = 1) {
  Matrix<T> matrix(rows, cols);
  FillNormal(deviation, key, matrix);
  return matrix;
}

}  // namespace firth::nn

#endif  // FIRTH_TESTS_SUPPORT_GRADIENT_CHECK_H_
