#include "nn/teacher_loss.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace firth::nn {

template <class T>
void TeacherLosses<T>::Normalize(ConstView<T> x, size_t dim) {
  unit_.Resize(x.rows(), dim);
  d_unit_.Resize(x.rows(), dim);
  inverses_.resize(x.rows());
  for (size_t i = 0; i < x.rows(); ++i) {
    const T inverse = 1 / std::sqrt(DotProduct(dim, x.Row(i), x.Row(i)));
    inverses_[i] = std::isfinite(inverse) ? inverse : 0;
    std::transform(x.Row(i), x.Row(i) + dim, unit_.Row(i),
                   [&](T value) { return value * inverses_[i]; });
  }
}

template <class T>
void TeacherLosses<T>::AddBackward(size_t dim, View<T> d_x) const {
  for (size_t i = 0; i < d_x.rows(); ++i) {
    const T along = DotProduct(dim, unit_.Row(i), d_unit_.Row(i));
    AddScaled(dim, inverses_[i], d_unit_.Row(i), d_x.Row(i));
    AddScaled(dim, -along * inverses_[i], unit_.Row(i), d_x.Row(i));
  }
}

template <class T>
double TeacherLosses<T>::Cosine(ConstView<T> x, ConstView<T> teacher,
                                View<T> d_x) {
  FIRTH_CHECK(x.rows() == teacher.rows() && x.cols() == teacher.cols());
  Normalize(x, x.cols());
  SetZero(d_x);
  const auto share = static_cast<T>(1 / static_cast<double>(x.rows()));
  double loss = 1;
  for (size_t i = 0; i < x.rows(); ++i) {
    loss -= share * DotProduct(x.cols(), unit_.Row(i), teacher.Row(i));
    std::transform(teacher.Row(i), teacher.Row(i) + x.cols(), d_unit_.Row(i),
                   [&](T value) { return -share * value; });
  }
  AddBackward(x.cols(), d_x);
  return loss;
}

template <class T>
double TeacherLosses<T>::Gram(const std::vector<size_t>& prefixes,
                              const std::vector<double>& weights,
                              ConstView<T> x, ConstView<T> teacher,
                              View<T> d_x) {
  FIRTH_CHECK(x.rows() == teacher.rows() && prefixes.back() == x.cols());
  const size_t count = x.rows();
  wanted_.Resize(count, count);
  scores_.Resize(count, count);
  Product<T>(teacher, Transpose::kNo, teacher, Transpose::kYes,
             Into::kOverwrite, wanted_.view());
  SetZero(d_x);
  double loss = 0;
  const double share =
      1 / (static_cast<double>(count) * static_cast<double>(count));
  for (size_t k = 0; k < prefixes.size(); ++k) {
    Normalize(x, prefixes[k]);
    Product<T>(unit_.view(), Transpose::kNo, unit_.view(), Transpose::kYes,
               Into::kOverwrite, scores_.view());
    double sum = 0;
    // Each pair is in both halves, so its vectors have twice its gradient.
    const auto factor = static_cast<T>(4 * share * weights[k]);
    for (size_t i = 0; i < count; ++i) {
      for (size_t j = 0; j < count; ++j) {
        const T difference =
            i == j ? T{0} : scores_.Row(i)[j] - wanted_.Row(i)[j];
        sum += static_cast<double>(difference) * difference;
        scores_.Row(i)[j] = factor * difference;
      }
    }
    loss += weights[k] * share * sum;
    Product<T>(scores_.view(), Transpose::kNo, unit_.view(), Transpose::kNo,
               Into::kOverwrite, d_unit_.view());
    AddBackward(prefixes[k], d_x);
  }
  return loss;
}

template class TeacherLosses<float>;
#ifdef FIRTH_DOUBLES
template class TeacherLosses<double>;
#endif

}  // namespace firth::nn
