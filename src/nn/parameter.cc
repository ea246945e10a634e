// A sparse gradient stores the used rows one after another, in the order of
// their first use. For each row of the table, place_ contains this position, or
// 0. The cost of Clear() thus depends on the used rows, not on the table.

#include "nn/parameter.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/check.h"
#include "base/rng.h"
#include "nn/elementwise.h"

namespace firth::nn {
namespace {

thread_local int without_first_values = 0;

}  // namespace

WithoutFirstValues::WithoutFirstValues() { ++without_first_values; }
WithoutFirstValues::~WithoutFirstValues() { --without_first_values; }

template <class T>
Gradient<T>::Gradient(size_t rows, size_t cols, GradientKind kind)
    : kind_(kind), rows_(rows), cols_(cols) {
  FIRTH_CHECK(rows < std::numeric_limits<uint32_t>::max());
  if (sparse()) {
    place_.assign(rows, 0);
  } else {
    dense_ = Matrix<T>(rows, cols);
  }
}

template <class T>
T* Gradient<T>::Row(size_t row) {
  FIRTH_DCHECK(row < rows_);
  if (!sparse()) return Stored(row);
  if (place_[row] == 0) {
    stored_.push_back(static_cast<uint32_t>(row));
    place_[row] = static_cast<uint32_t>(stored_.size());
    values_.resize(stored_.size() * cols_, 0);
  }
  return Stored(place_[row] - 1);
}

template <class T>
View<T> Gradient<T>::view() {
  FIRTH_CHECK(!sparse());
  return dense_.view();
}

template <class T>
void Gradient<T>::Clear() {
  if (sparse()) {
    for (const uint32_t row : stored_) place_[row] = 0;
    stored_.clear();
    values_.clear();
  } else {
    SetZero(dense_.view());
  }
}

template <class T>
void Gradient<T>::Add(const Gradient& other) {
  FIRTH_CHECK(other.rows_ == rows_ && other.cols_ == cols_);
  for (size_t k = 0; k < other.num_stored(); ++k) {
    T* const to = Row(other.TableRow(k));
    const T* const from = other.Stored(k);
    for (size_t c = 0; c < cols_; ++c) to[c] += from[c];
  }
}

template <class T>
void Gradient<T>::Scale(T factor) {
  const absl::Span<T> values = All();
  ForNumbers(values.size(), [&](size_t begin, size_t end) {
    for (T& value : values.subspan(begin, end - begin)) value *= factor;
  });
}

template <class T>
double Gradient<T>::SquaredNorm() const {
  // Uses independent partial sums, which a compiler can keep in one vector.
  double sums[8] = {};
  const absl::Span<const T> values = All();
  size_t i = 0;
  for (; i + 8 <= values.size(); i += 8) {
    for (size_t k = 0; k < 8; ++k) {
      const double value = values[i + k];
      sums[k] += value * value;
    }
  }
  for (; i < values.size(); ++i) {
    sums[0] += static_cast<double>(values[i]) * values[i];
  }
  double sum = 0;
  for (const double partial : sums) sum += partial;
  return sum;
}

template <class T>
double GlobalNorm(const ParameterList<T>& parameters) {
  std::vector<double> squares(parameters.size());
  ForRanges(parameters.size(), 1, 1, [&](size_t begin, size_t end) {
    for (size_t p = begin; p < end; ++p) {
      if (parameters[p]->frozen) continue;
      squares[p] = parameters[p]->gradient.SquaredNorm();
    }
  });
  return std::sqrt(std::accumulate(squares.begin(), squares.end(), 0.0));
}

template <class T>
double ClipGlobalNorm(double max_norm, const ParameterList<T>& parameters) {
  const double norm = GlobalNorm(parameters);
  if (!std::isfinite(norm) || norm <= max_norm) return norm;
  for (Parameter<T>* parameter : parameters) {
    if (!parameter->frozen) {
      parameter->gradient.Scale(static_cast<T>(max_norm / norm));
    }
  }
  return norm;
}

template <class T>
void FillUniform(double limit, uint64_t key, Matrix<T>& values) {
  if (without_first_values > 0) return;
  Rng rng(key);
  for (size_t i = 0; i < values.size(); ++i) {
    values.data()[i] = static_cast<T>(limit * (2.0 * rng.NextFloat() - 1));
  }
}

template <class T>
void FillNormal(double deviation, uint64_t key, Matrix<T>& values) {
  if (without_first_values > 0) return;
  constexpr double kTwoPi = 6.283185307179586;
  Rng rng(key);
  // Uses both values that Box and Muller (1958) compute from two uniform ones.
  for (size_t i = 0; i < values.size(); i += 2) {
    const double length =
        deviation * std::sqrt(-2 * std::log(1.0 - rng.NextFloat()));
    const double angle = kTwoPi * rng.NextFloat();
    values.data()[i] = static_cast<T>(length * std::cos(angle));
    if (i + 1 == values.size()) break;
    values.data()[i + 1] = static_cast<T>(length * std::sin(angle));
  }
}

template <class T>
void FillGlorot(size_t fan_in, size_t fan_out, uint64_t key,
                Matrix<T>& values) {
  FillUniform(std::sqrt(6.0 / static_cast<double>(fan_in + fan_out)), key,
              values);
}

// Gram-Schmidt orthogonalization, done twice for each vector, which leaves only
// rounding errors (Giraud et al., "Rounding error analysis of the classical
// Gram-Schmidt orthogonalization process", 2005).
template <class T>
void FillOrthogonal(uint64_t key, View<T> values) {
  const size_t count = std::min(values.rows(), values.cols());
  const size_t size = std::max(values.rows(), values.cols());
  Matrix<double> vectors(count, size);
  FillNormal(1, key, vectors);
  for (size_t i = 0; i < count; ++i) {
    double* const vector = vectors.Row(i);
    for (size_t pass = 0; pass < 2; ++pass) {
      for (size_t j = 0; j < i; ++j) {
        const double* const other = vectors.Row(j);
        AddScaled(size, -DotProduct(size, vector, other), other, vector);
      }
    }
    const double length = std::sqrt(DotProduct(size, vector, vector));
    for (size_t c = 0; c < size; ++c) {
      const auto value = static_cast<T>(vector[c] /= length);
      (count == values.rows() ? values.Row(i)[c] : values.Row(c)[i]) = value;
    }
  }
}

template class Gradient<float>;
template double GlobalNorm(const ParameterList<float>&);
template double ClipGlobalNorm(double, const ParameterList<float>&);
template void FillUniform(double, uint64_t, Matrix<float>&);
template void FillNormal(double, uint64_t, Matrix<float>&);
template void FillGlorot(size_t, size_t, uint64_t, Matrix<float>&);
template void FillOrthogonal(uint64_t, View<float>);
#ifdef FIRTH_DOUBLES
template class Gradient<double>;
template double GlobalNorm(const ParameterList<double>&);
template double ClipGlobalNorm(double, const ParameterList<double>&);
template void FillUniform(double, uint64_t, Matrix<double>&);
template void FillNormal(double, uint64_t, Matrix<double>&);
template void FillGlorot(size_t, size_t, uint64_t, Matrix<double>&);
template void FillOrthogonal(uint64_t, View<double>);
#endif

}  // namespace firth::nn
