// A rule is a formula on one value, its gradient and its slots (NewValue). It
// runs over lanes for every instruction set; doubles, which only tests use, run
// number by number. Optimizer<T> applies it to the parameters: a dense gradient
// is one run of numbers, a sparse one has a run for each row that it contains.

#include "nn/optimizer.h"

#include <array>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "nn/optimizer.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// These must follow foreach_target.h.
#include "hwy/highway.h"
#include "nn/optimizer_rules.h"
#include "simd/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth::nn {
namespace HWY_NAMESPACE {

using namespace firth::HWY_NAMESPACE;  // NOLINT(google-build-using-namespace)

template <class V, class T>
HWY_INLINE V NewValue(const SgdRule<T>& rule, V value, V gradient, V*) {
  return value - V(rule.rate) * gradient;
}

template <class V, class T>
HWY_INLINE V NewValue(const AdagradRule<T>& rule, V value, V gradient,
                      V* slots) {
  slots[0] = slots[0] + gradient * gradient;
  return value - V(rule.rate) * gradient / (Sqrt(slots[0]) + V(rule.epsilon));
}

template <class V, class T>
HWY_INLINE V NewValue(const AdamRule<T>& rule, V value, V gradient, V* slots) {
  slots[0] = slots[0] + V(1 - rule.beta1) * (gradient - slots[0]);
  slots[1] = slots[1] + V(1 - rule.beta2) * (gradient * gradient - slots[1]);
  return value * V(rule.kept) -
         V(rule.corrected_rate) * slots[0] /
             (Sqrt(slots[1]) * V(rule.root_correction) + V(rule.epsilon));
}

template <class T, class Rule>
HWY_INLINE void StepWith(const Rule& rule, const StepArrays<T>& arrays) {
  ForEachLanes<T>(arrays.count, [&](auto access, size_t at) HWY_ATTR {
    using V = typename decltype(access)::Value;
    V slots[kMostSlots] = {};
    for (size_t s = 0; s != Rule::kSlots; ++s) {
      slots[s] = access.Load(arrays.slots[s] + at);
    }
    access.Store(NewValue(rule, access.Load(arrays.values + at),
                          access.Load(arrays.gradients + at), slots),
                 arrays.values + at);
    for (size_t s = 0; s != Rule::kSlots; ++s) {
      access.Store(slots[s], arrays.slots[s] + at);
    }
  });
}

void StepFloats(const Rule<float>& rule, const StepArrays<float>& arrays) {
  std::visit([&](const auto& chosen) HWY_ATTR { StepWith(chosen, arrays); },
             rule);
}

void StepDoubles(const Rule<double>& rule, const StepArrays<double>& arrays) {
  std::visit([&](const auto& chosen) HWY_ATTR { StepWith(chosen, arrays); },
             rule);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth::nn
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace firth::nn {

HWY_EXPORT(StepFloats);

namespace {

void StepAll(const Rule<float>& rule, const StepArrays<float>& arrays) {
  HWY_DYNAMIC_DISPATCH(StepFloats)(rule, arrays);
}

[[maybe_unused]] void StepAll(const Rule<double>& rule,
                              const StepArrays<double>& arrays) {
  HWY_NAMESPACE::StepDoubles(rule, arrays);
}

// `decays` is whether weight decay applies to the parameter.
template <class T>
Rule<T> MakeRule(const SgdOptions&, double learning_rate, uint64_t,
                 bool /*decays*/) {
  return SgdRule<T>{static_cast<T>(learning_rate)};
}

template <class T>
Rule<T> MakeRule(const AdagradOptions& options, double learning_rate, uint64_t,
                 bool /*decays*/) {
  return AdagradRule<T>{static_cast<T>(learning_rate),
                        static_cast<T>(options.epsilon)};
}

template <class T>
Rule<T> MakeRule(const AdamOptions& options, double learning_rate,
                 uint64_t steps, bool decays) {
  const auto t = static_cast<double>(steps);
  const double correction1 = 1 - std::pow(options.beta1, t);
  const double correction2 = 1 - std::pow(options.beta2, t);
  return AdamRule<T>{
      static_cast<T>(options.beta1),
      static_cast<T>(options.beta2),
      static_cast<T>(learning_rate / correction1),
      static_cast<T>(1 / std::sqrt(correction2)),
      static_cast<T>(options.epsilon),
      static_cast<T>(1 - (decays ? learning_rate * options.weight_decay : 0))};
}

// Names of the slots and their initial values.
struct SlotKind {
  const char* name;
  double first;
};
absl::Span<const SlotKind> SlotKinds(const SgdOptions&,
                                     std::array<SlotKind, kMostSlots>*) {
  return {};
}
absl::Span<const SlotKind> SlotKinds(const AdagradOptions& options,
                                     std::array<SlotKind, kMostSlots>* kinds) {
  (*kinds)[0] = {"sum", options.first_sum};
  return absl::MakeConstSpan(*kinds).first(1);
}
absl::Span<const SlotKind> SlotKinds(const AdamOptions&,
                                     std::array<SlotKind, kMostSlots>* kinds) {
  *kinds = {SlotKind{"mean", 0}, SlotKind{"square", 0}};
  return *kinds;
}

absl::Span<const SlotKind> SlotKindsOf(
    const OptimizerOptions& options, std::array<SlotKind, kMostSlots>* kinds) {
  return std::visit(
      [&](const auto& chosen) { return SlotKinds(chosen, kinds); }, options);
}

}  // namespace

template <class T>
Optimizer<T>::Optimizer(const OptimizerOptions& options,
                        ParameterList<T> parameters)
    : options_(options), parameters_(std::move(parameters)) {
  std::array<SlotKind, kMostSlots> kinds;
  for (const Parameter<T>* parameter : parameters_) {
    std::vector<Matrix<T>>& slots = slots_.emplace_back();
    if (parameter->frozen) continue;
    for (const SlotKind& kind : SlotKindsOf(options_, &kinds)) {
      slots.emplace_back(parameter->value.rows(), parameter->value.cols());
      slots.back().Fill(static_cast<T>(kind.first));
    }
  }
}

template <class T>
std::vector<typename Optimizer<T>::Slot> Optimizer<T>::Slots() {
  std::array<SlotKind, kMostSlots> kinds;
  const absl::Span<const SlotKind> names = SlotKindsOf(options_, &kinds);
  std::vector<Slot> found;
  for (size_t p = 0; p < parameters_.size(); ++p) {
    for (size_t s = 0; s < slots_[p].size(); ++s) {
      found.push_back({absl::StrCat(parameters_[p]->name, ".", names[s].name),
                       &slots_[p][s]});
    }
  }
  return found;
}

template <class T>
void Optimizer<T>::Step(double learning_rate) {
  ++steps_;
  const auto make_rule = [&](bool decays) {
    return std::visit(
        [&](const auto& options) {
          return MakeRule<T>(options, learning_rate, steps_, decays);
        },
        options_);
  };
  const Rule<T> of_rows = make_rule(false), of_matrices = make_rule(true);
  for (size_t p = 0; p < parameters_.size(); ++p) {
    Parameter<T>& parameter = *parameters_[p];
    Gradient<T>& gradient = parameter.gradient;
    if (parameter.frozen) {
      gradient.Clear();
      continue;
    }
    const auto step = [&](size_t count, size_t from, const T* gradients) {
      StepArrays<T> arrays;
      arrays.count = count;
      arrays.values = parameter.value.data() + from;
      arrays.gradients = gradients;
      for (size_t s = 0; s < slots_[p].size(); ++s) {
        arrays.slots[s] = slots_[p][s].data() + from;
      }
      StepAll(parameter.value.rows() > 1 ? of_matrices : of_rows, arrays);
    };
    // A dense gradient is one run of numbers; a sparse one has one run per row.
    if (gradient.sparse()) {
      const size_t cols = gradient.cols();
      ForRows(gradient.num_stored(), cols, [&](size_t begin, size_t end) {
        for (size_t k = begin; k < end; ++k) {
          step(cols, gradient.TableRow(k) * cols, gradient.Stored(k));
        }
      });
    } else {
      ForNumbers(parameter.value.size(), [&](size_t begin, size_t end) {
        step(end - begin, begin, gradient.Stored(0) + begin);
      });
    }
    gradient.Clear();
  }
}

template class Optimizer<float>;
#ifdef FIRTH_DOUBLES
template class Optimizer<double>;
#endif

}  // namespace firth::nn
#endif  // HWY_ONCE
