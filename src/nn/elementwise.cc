// Each function is a loop over lanes, written once as a template that Highway
// compiles for every instruction set. For doubles, which gradient checks use,
// the same formulas run number by number.

#include "nn/elementwise.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "nn/elementwise.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// These must follow foreach_target.h.
#include "hwy/highway.h"
#include "simd/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth::nn {
namespace HWY_NAMESPACE {

using namespace firth::HWY_NAMESPACE;  // NOLINT(google-build-using-namespace)

template <class T>
HWY_INLINE void ActivateOf(Activation activation, size_t count, T* values) {
  ForEachLanes<T>(count, [&](auto access, size_t at) HWY_ATTR {
    const auto x = access.Load(values + at);
    access.Store(
        activation == Activation::kRelu ? WherePositive(x, x) : Tanh(x),
        values + at);
  });
}

// Number type for constants in formulas for V.
template <class V>
using NumberOf = std::conditional_t<std::is_same_v<V, double>, double, float>;

template <class V>
struct Activated {
  V value;
  V slope;
};

// P(z < x) = (1 + erf(x / sqrt 2)) / 2, whose slope is the normal density.
template <class V>
HWY_INLINE Activated<V> Gelu(V x) {
  constexpr double kDensity = 0.3989422804014327;  // 1 / sqrt(2 pi)
  using Number = NumberOf<V>;
  const V bell = Exp(V(-0.5f) * x * x);
  const V share = NormalShare(x, bell);
  return {x * share, share + V(Number(kDensity)) * x * bell};
}

// x (1 + tanh u) / 2 with u = sqrt(2 / pi) (x + 0.044715 x^3).
template <class V>
HWY_INLINE Activated<V> GeluTanh(V x) {
  constexpr double kFactor = 0.7978845608028654;
  constexpr double kCube = 0.044715;
  using Number = NumberOf<V>;
  const V square = x * x;
  const V t = Tanh(V(Number(kFactor)) * x * (V(1) + V(Number(kCube)) * square));
  const V share = V(0.5f) * (V(1) + t);
  const V inner = V(Number(kFactor)) * (V(1) + V(Number(3 * kCube)) * square);
  return {x * share, share + V(0.5f) * x * (V(1) - t * t) * inner};
}

template <class V>
HWY_INLINE Activated<V> ActivatedAt(Activation activation, V x) {
  switch (activation) {
    case Activation::kRelu:
      return {WherePositive(x, x), WherePositive(x, V(1))};
    case Activation::kGelu:
      return Gelu(x);
    case Activation::kGeluTanh:
      return GeluTanh(x);
    case Activation::kTanh:
      break;
  }
  const V y = Tanh(x);
  return {y, V(1) - y * y};
}

template <class T>
HWY_INLINE void ActivateWithSlopes(Activation activation, size_t count,
                                   T* values, T* slopes) {
  ForEachLanes<T>(count, [&](auto access, size_t at) HWY_ATTR {
    const auto y = ActivatedAt(activation, access.Load(values + at));
    access.Store(y.value, values + at);
    if (slopes != nullptr) access.Store(y.slope, slopes + at);
  });
}

template <class T>
HWY_INLINE void ActivateBackwardOf(Activation activation, size_t count,
                                   const T* output, T* gradient) {
  ForEachLanes<T>(count, [&](auto access, size_t at) HWY_ATTR {
    using V = typename decltype(access)::Value;
    const V y = access.Load(output + at);
    const V d_y = access.Load(gradient + at);
    access.Store(activation == Activation::kRelu ? WherePositive(y, d_y)
                                                 : d_y * (V(1) - y * y),
                 gradient + at);
  });
}

template <class T>
HWY_INLINE void HighwayForwardOf(size_t dim, const T* bias, const T* input,
                                 T* parts, T* output) {
  ForEachLanes<T>(dim, [&](auto access, size_t at) HWY_ATTR {
    using V = typename decltype(access)::Value;
    const V gate = Sigmoid(access.Load(parts + at) + access.Load(bias + at));
    const V linear =
        access.Load(parts + dim + at) + access.Load(bias + dim + at);
    const V transform = WherePositive(linear, linear);
    const V x = access.Load(input + at);
    access.Store(gate, parts + at);
    access.Store(transform, parts + dim + at);
    access.Store(x + gate * (transform - x), output + at);
  });
}

template <class T>
HWY_INLINE void HighwayBackwardOf(size_t dim, const T* input, const T* d_output,
                                  T* parts, T* d_input) {
  ForEachLanes<T>(dim, [&](auto access, size_t at) HWY_ATTR {
    using V = typename decltype(access)::Value;
    const V gate = access.Load(parts + at);
    const V transform = access.Load(parts + dim + at);
    const V d_y = access.Load(d_output + at);
    access.Store(
        d_y * (transform - access.Load(input + at)) * gate * (V(1) - gate),
        parts + at);
    access.Store(WherePositive(transform, d_y * gate), parts + dim + at);
    access.Store(d_y * (V(1) - gate), d_input + at);
  });
}

template <class T>
HWY_INLINE T DotProductOf(size_t count, const T* a, const T* b) {
  return SumOver<T>(count, [&](auto access, size_t at) HWY_ATTR {
    return access.Load(a + at) * access.Load(b + at);
  });
}

template <class T>
HWY_INLINE T GreatestOf(size_t count, const T* values) {
  T greatest = values[0];
  size_t at = 0;
  if constexpr (std::is_same_v<T, float>) {
    const hn::ScalableTag<float> d;
    const size_t lanes = hn::Lanes(d);
    auto most = hn::Set(d, values[0]);
    for (; at + lanes <= count; at += lanes) {
      most = hn::Max(most, hn::LoadU(d, values + at));
    }
    greatest = hn::GetLane(hn::MaxOfLanes(d, most));
  }
  for (; at < count; ++at) greatest = std::max(greatest, values[at]);
  return greatest;
}

template <class T>
HWY_INLINE T SoftmaxOf(size_t count, T scale, const T* offsets, T* scores) {
  if (offsets != nullptr) {
    ForEachLanes<T>(count, [&](auto access, size_t at) HWY_ATTR {
      access.Store(access.Load(scores + at) + access.Load(offsets + at),
                   scores + at);
    });
  }
  const T greatest = GreatestOf(count, scores);
  const T sum = SumOver<T>(count, [&](auto access, size_t at) HWY_ATTR {
    using V = typename decltype(access)::Value;
    const V e = Exp(access.Load(scores + at) - V(greatest));
    access.Store(e, scores + at);
    return e;
  });
  const T factor = scale / sum;
  ForEachLanes<T>(count, [&](auto access, size_t at) HWY_ATTR {
    using V = typename decltype(access)::Value;
    access.Store(access.Load(scores + at) * V(factor), scores + at);
  });
  return greatest + std::log(sum);
}

template <class T>
HWY_INLINE void SoftmaxBackwardOf(size_t count, const T* shares, T* gradient) {
  const T mean = DotProductOf(count, shares, gradient);
  ForEachLanes<T>(count, [&](auto access, size_t at) HWY_ATTR {
    using V = typename decltype(access)::Value;
    access.Store(
        access.Load(shares + at) * (access.Load(gradient + at) - V(mean)),
        gradient + at);
  });
}

template <class T>
HWY_INLINE T NormalizeOf(size_t count, T epsilon, const T* input, T* output) {
  const T share = 1 / static_cast<T>(count);
  const T mean =
      share * SumOver<T>(count, [&](auto access, size_t at) HWY_ATTR {
        return access.Load(input + at);
      });
  const T variance =
      share * SumOver<T>(count, [&](auto access, size_t at) HWY_ATTR {
        using V = typename decltype(access)::Value;
        const V x = access.Load(input + at) - V(mean);
        access.Store(x, output + at);
        return x * x;
      });
  const T inverse = 1 / std::sqrt(variance + epsilon);
  ForEachLanes<T>(count, [&](auto access, size_t at) HWY_ATTR {
    using V = typename decltype(access)::Value;
    access.Store(access.Load(output + at) * V(inverse), output + at);
  });
  return inverse;
}

template <class T>
HWY_INLINE void NormalizeBackwardOf(size_t count, T inverse, const T* output,
                                    T* gradient) {
  const T share = 1 / static_cast<T>(count);
  const T mean =
      share * SumOver<T>(count, [&](auto access, size_t at) HWY_ATTR {
        return access.Load(gradient + at);
      });
  const T along = share * DotProductOf(count, output, gradient);
  ForEachLanes<T>(count, [&](auto access, size_t at) HWY_ATTR {
    using V = typename decltype(access)::Value;
    access.Store((access.Load(gradient + at) - V(mean) -
                  access.Load(output + at) * V(along)) *
                     V(inverse),
                 gradient + at);
  });
}

template <class T>
HWY_INLINE void MultiplyEachOf(size_t count, const T* a, const T* b, T* to) {
  ForEachLanes<T>(count, [&](auto access, size_t at) HWY_ATTR {
    access.Store(access.Load(a + at) * access.Load(b + at), to + at);
  });
}

template <class T>
HWY_INLINE void AddProductsOf(size_t count, const T* a, const T* b, T* to) {
  ForEachLanes<T>(count, [&](auto access, size_t at) HWY_ATTR {
    access.Store(
        access.Load(to + at) + access.Load(a + at) * access.Load(b + at),
        to + at);
  });
}

// ln(1 + exp(x)) = max(x, 0) + ln(1 + exp(-|x|)). The logarithms of 64 factors,
// each in (1, 2], are computed as that of their product.
template <class T>
HWY_INLINE double LogisticOf(size_t count, T scale, const T* offsets,
                             T* scores) {
  double loss = 0;
  double product = 1;
  for (size_t i = 0; i < count; ++i) {
    if (offsets != nullptr) scores[i] += offsets[i];
    loss += scores[i] > 0 ? scores[i] : 0;
  }
  ForEachLanes<T>(count, [&](auto access, size_t at) HWY_ATTR {
    access.Store(Sigmoid(access.Load(scores + at)), scores + at);
  });
  for (size_t i = 0; i < count; ++i) {
    // 1 / max(s, 1 - s) = 1 + exp(-|x|), also for NaN.
    product *= scores[i] < T{0.5} ? 1 - static_cast<double>(scores[i])
                                  : static_cast<double>(scores[i]);
    if (i % 64 == 63 || i + 1 == count) {
      loss -= std::log(product);
      product = 1;
    }
    scores[i] *= scale;
  }
  return loss;
}

template <class T>
HWY_INLINE void AddScaledOf(size_t count, T factor, const T* from, T* to) {
  ForEachLanes<T>(count, [&](auto access, size_t at) HWY_ATTR {
    using V = typename decltype(access)::Value;
    access.Store(access.Load(to + at) + V(factor) * access.Load(from + at),
                 to + at);
  });
}

template <class T>
HWY_INLINE void KeepGreatestOf(size_t count, const T* values, int place,
                               T* best, int* places) {
  for (size_t i = 0; i < count; ++i) {
    const bool greater = values[i] > best[i];
    best[i] = greater ? values[i] : best[i];
    places[i] = greater ? place : places[i];
  }
}

// Entry points for floats. Doubles need none, because they use plain loops.
void ActivateFloats(Activation activation, size_t count, float* values) {
  ActivateOf(activation, count, values);
}
void ActivateBackwardFloats(Activation activation, size_t count,
                            const float* output, float* gradient) {
  ActivateBackwardOf(activation, count, output, gradient);
}
void ActivateWithSlopesFloats(Activation activation, size_t count,
                              float* values, float* slopes) {
  ActivateWithSlopes(activation, count, values, slopes);
}
void SoftmaxBackwardFloats(size_t count, const float* shares, float* gradient) {
  SoftmaxBackwardOf(count, shares, gradient);
}
float NormalizeFloats(size_t count, float epsilon, const float* input,
                      float* output) {
  return NormalizeOf(count, epsilon, input, output);
}
void NormalizeBackwardFloats(size_t count, float inverse, const float* output,
                             float* gradient) {
  NormalizeBackwardOf(count, inverse, output, gradient);
}
void MultiplyEachFloats(size_t count, const float* a, const float* b,
                        float* to) {
  MultiplyEachOf(count, a, b, to);
}
void AddProductsFloats(size_t count, const float* a, const float* b,
                       float* to) {
  AddProductsOf(count, a, b, to);
}
void HighwayForwardFloats(size_t dim, const float* bias, const float* input,
                          float* parts, float* output) {
  HighwayForwardOf(dim, bias, input, parts, output);
}
void HighwayBackwardFloats(size_t dim, const float* input,
                           const float* d_output, float* parts,
                           float* d_input) {
  HighwayBackwardOf(dim, input, d_output, parts, d_input);
}
float SoftmaxFloats(size_t count, float scale, const float* offsets,
                    float* scores) {
  return SoftmaxOf(count, scale, offsets, scores);
}
double LogisticFloats(size_t count, float scale, const float* offsets,
                      float* scores) {
  return LogisticOf(count, scale, offsets, scores);
}
void AddScaledFloats(size_t count, float factor, const float* from, float* to) {
  AddScaledOf(count, factor, from, to);
}
float DotProductFloats(size_t count, const float* a, const float* b) {
  return DotProductOf(count, a, b);
}
void KeepGreatestFloats(size_t count, const float* values, int place,
                        float* best, int* places) {
  KeepGreatestOf(count, values, place, best, places);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth::nn
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace firth::nn {

HWY_EXPORT(ActivateFloats);
HWY_EXPORT(ActivateBackwardFloats);
HWY_EXPORT(ActivateWithSlopesFloats);
HWY_EXPORT(SoftmaxBackwardFloats);
HWY_EXPORT(NormalizeFloats);
HWY_EXPORT(NormalizeBackwardFloats);
HWY_EXPORT(MultiplyEachFloats);
HWY_EXPORT(AddProductsFloats);
HWY_EXPORT(HighwayForwardFloats);
HWY_EXPORT(HighwayBackwardFloats);
HWY_EXPORT(SoftmaxFloats);
HWY_EXPORT(LogisticFloats);
HWY_EXPORT(AddScaledFloats);
HWY_EXPORT(DotProductFloats);
HWY_EXPORT(KeepGreatestFloats);

// The functions for doubles are compiled for the baseline. Their callers need
// its attributes to inline them, which are not empty for NEON.

void Activate(Activation activation, size_t count, float* values) {
  HWY_DYNAMIC_DISPATCH(ActivateFloats)(activation, count, values);
}
HWY_ATTR void Activate(Activation activation, size_t count, double* values) {
  HWY_NAMESPACE::ActivateOf(activation, count, values);
}

void ActivateBackward(Activation activation, size_t count, const float* output,
                      float* gradient) {
  HWY_DYNAMIC_DISPATCH(ActivateBackwardFloats)
  (activation, count, output, gradient);
}
HWY_ATTR void ActivateBackward(Activation activation, size_t count,
                               const double* output, double* gradient) {
  HWY_NAMESPACE::ActivateBackwardOf(activation, count, output, gradient);
}

void Activate(Activation activation, size_t count, float* values,
              float* slopes) {
  HWY_DYNAMIC_DISPATCH(ActivateWithSlopesFloats)
  (activation, count, values, slopes);
}
HWY_ATTR void Activate(Activation activation, size_t count, double* values,
                       double* slopes) {
  HWY_NAMESPACE::ActivateWithSlopes(activation, count, values, slopes);
}

void SoftmaxBackward(size_t count, const float* shares, float* gradient) {
  HWY_DYNAMIC_DISPATCH(SoftmaxBackwardFloats)(count, shares, gradient);
}
HWY_ATTR void SoftmaxBackward(size_t count, const double* shares,
                              double* gradient) {
  HWY_NAMESPACE::SoftmaxBackwardOf(count, shares, gradient);
}

float Normalize(size_t count, float epsilon, const float* input,
                float* output) {
  return HWY_DYNAMIC_DISPATCH(NormalizeFloats)(count, epsilon, input, output);
}
HWY_ATTR double Normalize(size_t count, double epsilon, const double* input,
                          double* output) {
  return HWY_NAMESPACE::NormalizeOf(count, epsilon, input, output);
}

void NormalizeBackward(size_t count, float inverse_deviation,
                       const float* output, float* gradient) {
  HWY_DYNAMIC_DISPATCH(NormalizeBackwardFloats)
  (count, inverse_deviation, output, gradient);
}
HWY_ATTR void NormalizeBackward(size_t count, double inverse_deviation,
                                const double* output, double* gradient) {
  HWY_NAMESPACE::NormalizeBackwardOf(count, inverse_deviation, output,
                                     gradient);
}

void MultiplyEach(size_t count, const float* a, const float* b, float* to) {
  HWY_DYNAMIC_DISPATCH(MultiplyEachFloats)(count, a, b, to);
}
HWY_ATTR void MultiplyEach(size_t count, const double* a, const double* b,
                           double* to) {
  HWY_NAMESPACE::MultiplyEachOf(count, a, b, to);
}

void AddProducts(size_t count, const float* a, const float* b, float* to) {
  HWY_DYNAMIC_DISPATCH(AddProductsFloats)(count, a, b, to);
}
HWY_ATTR void AddProducts(size_t count, const double* a, const double* b,
                          double* to) {
  HWY_NAMESPACE::AddProductsOf(count, a, b, to);
}

void HighwayForward(size_t dim, const float* bias, const float* input,
                    float* parts, float* output) {
  HWY_DYNAMIC_DISPATCH(HighwayForwardFloats)(dim, bias, input, parts, output);
}
HWY_ATTR void HighwayForward(size_t dim, const double* bias,
                             const double* input, double* parts,
                             double* output) {
  HWY_NAMESPACE::HighwayForwardOf(dim, bias, input, parts, output);
}

void HighwayBackward(size_t dim, const float* input, const float* d_output,
                     float* parts, float* d_input) {
  HWY_DYNAMIC_DISPATCH(HighwayBackwardFloats)
  (dim, input, d_output, parts, d_input);
}
HWY_ATTR void HighwayBackward(size_t dim, const double* input,
                              const double* d_output, double* parts,
                              double* d_input) {
  HWY_NAMESPACE::HighwayBackwardOf(dim, input, d_output, parts, d_input);
}

float Softmax(size_t count, float scale, const float* offsets, float* scores) {
  return HWY_DYNAMIC_DISPATCH(SoftmaxFloats)(count, scale, offsets, scores);
}
HWY_ATTR double Softmax(size_t count, double scale, const double* offsets,
                        double* scores) {
  return HWY_NAMESPACE::SoftmaxOf(count, scale, offsets, scores);
}

double Logistic(size_t count, float scale, const float* offsets,
                float* scores) {
  return HWY_DYNAMIC_DISPATCH(LogisticFloats)(count, scale, offsets, scores);
}
HWY_ATTR double Logistic(size_t count, double scale, const double* offsets,
                         double* scores) {
  return HWY_NAMESPACE::LogisticOf(count, scale, offsets, scores);
}

void AddScaled(size_t count, float factor, const float* from, float* to) {
  HWY_DYNAMIC_DISPATCH(AddScaledFloats)(count, factor, from, to);
}
HWY_ATTR void AddScaled(size_t count, double factor, const double* from,
                        double* to) {
  HWY_NAMESPACE::AddScaledOf(count, factor, from, to);
}

float DotProduct(size_t count, const float* a, const float* b) {
  return HWY_DYNAMIC_DISPATCH(DotProductFloats)(count, a, b);
}
HWY_ATTR double DotProduct(size_t count, const double* a, const double* b) {
  return HWY_NAMESPACE::DotProductOf(count, a, b);
}

void KeepGreatest(size_t count, const float* values, int place, float* best,
                  int* places) {
  HWY_DYNAMIC_DISPATCH(KeepGreatestFloats)(count, values, place, best, places);
}
HWY_ATTR void KeepGreatest(size_t count, const double* values, int place,
                           double* best, int* places) {
  HWY_NAMESPACE::KeepGreatestOf(count, values, place, best, places);
}

}  // namespace firth::nn
#endif  // HWY_ONCE
