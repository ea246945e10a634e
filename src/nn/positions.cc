#include "nn/positions.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

namespace firth::nn {

template <class T>
void FillSinusoids(View<T> rows) {
  const auto dim = static_cast<double>(rows.cols());
  for (size_t c = 0; c < rows.cols(); ++c) {
    const auto pair = static_cast<double>(c - c % 2);
    const double period = std::pow(10000.0, pair / dim);
    for (size_t p = 0; p < rows.rows(); ++p) {
      const double angle = static_cast<double>(p) / period;
      rows.Row(p)[c] =
          static_cast<T>(c % 2 == 0 ? std::sin(angle) : std::cos(angle));
    }
  }
}

size_t WayBucket(ptrdiff_t offset, bool causal) {
  size_t buckets = kWayBuckets;
  size_t first = 0;
  size_t way = 0;
  if (causal) {
    way = offset < 0 ? static_cast<size_t>(-offset) : 0;
  } else {
    buckets /= 2;
    first = offset > 0 ? buckets : 0;
    way = static_cast<size_t>(std::abs(offset));
  }
  const size_t exact = buckets / 2;
  if (way < exact) return first + way;
  const auto half = static_cast<double>(exact);
  const double share = std::log(static_cast<double>(way) / half) /
                       std::log(static_cast<double>(kFarthestWay) / half);
  const auto above =
      static_cast<size_t>(share * static_cast<double>(buckets - exact));
  return first + std::min(exact + above, buckets - 1);
}

template <class T>
RelativeBias<T>::RelativeBias(size_t heads, size_t reach, bool causal,
                              absl::string_view name)
    : reach_(reach),
      causal_(causal),
      table_(std::string(name), kWayBuckets, heads),
      rising_(heads, 2 * reach + 1),
      falling_(heads, 2 * reach + 1),
      d_rising_(heads, 2 * reach + 1),
      d_falling_(heads, 2 * reach + 1) {}

template <class T>
void RelativeBias<T>::Spread() {
  const size_t last = rising_.cols() - 1;
  for (size_t place = 0; place <= last; ++place) {
    const T* const values = table_.value.Row(BucketAt(place));
    for (size_t head = 0; head < rising_.rows(); ++head) {
      rising_.Row(head)[place] = values[head];
      falling_.Row(head)[last - place] = values[head];
    }
  }
}

template <class T>
void RelativeBias<T>::Gather() {
  const size_t last = rising_.cols() - 1;
  for (size_t place = 0; place <= last; ++place) {
    T* const gradient = table_.gradient.Row(BucketAt(place));
    for (size_t head = 0; head < rising_.rows(); ++head) {
      gradient[head] +=
          d_rising_.Row(head)[place] + d_falling_.Row(head)[last - place];
    }
  }
  d_rising_.Fill(0);
  d_falling_.Fill(0);
}

template void FillSinusoids(View<float>);
template class RelativeBias<float>;
#ifdef FIRTH_DOUBLES
template void FillSinusoids(View<double>);
template class RelativeBias<double>;
#endif

}  // namespace firth::nn
