// Plain loops in double: slow, obvious, and the oracle of every kernel.

#ifndef FIRTH_TESTS_SUPPORT_REFERENCE_H_
#define FIRTH_TESTS_SUPPORT_REFERENCE_H_

#include <cmath>
#include <cstddef>

#include "absl/types/span.h"

namespace firth::reference {

inline double Dot(absl::Span<const float> a, absl::Span<const float> b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += double{a[i]} * double{b[i]};
  return sum;
}

// What rounding can do to a dot product summed in floats, in any order.
inline double DotTolerance(absl::Span<const float> a,
                           absl::Span<const float> b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += std::abs(double{a[i]} * b[i]);
  return sum * static_cast<double>(a.size() + 1) * 0x1p-24;
}

// 0 if a vector is zero.
inline double Cosine(absl::Span<const float> a, absl::Span<const float> b) {
  const double norms = std::sqrt(Dot(a, a)) * std::sqrt(Dot(b, b));
  return norms == 0 ? 0 : Dot(a, b) / norms;
}

}  // namespace firth::reference

#endif  // FIRTH_TESTS_SUPPORT_REFERENCE_H_
