// A rule is a formula on one value, its gradient and its slots (NewValue). It
// runs over lanes for every instruction set; doubles, which only tests use, run
// number by number. Optimizer<T> applies it to the parameters: a dense gradient
// is one run of numbers, a sparse one has a run for each row that it contains.

#include "nn/optimizer.h"

#include <cmath>
#include <utility>

#include "absl/container/inlined_vector.h"
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

template <class V, class T>
HWY_INLINE V NewValue(const SparseAdamRule<T>& rule, V value, V gradient,
                      V* slots) {
  slots[0] = slots[0] + V(1 - rule.beta2) * (gradient * gradient - slots[0]);
  return value * V(rule.kept) -
         V(rule.rate) * gradient /
             (Sqrt(slots[0]) * V(rule.root_correction) + V(rule.epsilon));
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

// The rules depend on the shape of a parameter and the kind of its gradient.
// kSparse is a sparse gradient without a mean.
enum class Form { kRow, kMatrix, kSparse };

template <class T>
Form FormOf(const OptimizerOptions& options, const Parameter<T>& parameter) {
  const auto* const adam = std::get_if<AdamOptions>(&options);
  if (adam != nullptr && !adam->sparse_mean && parameter.gradient.sparse()) {
    return Form::kSparse;
  }
  return parameter.value.rows() > 1 ? Form::kMatrix : Form::kRow;
}

template <class T>
Rule<T> MakeRule(const SgdOptions&, double learning_rate, uint64_t, Form) {
  return SgdRule<T>{static_cast<T>(learning_rate)};
}

template <class T>
Rule<T> MakeRule(const AdagradOptions& options, double learning_rate, uint64_t,
                 Form) {
  return AdagradRule<T>{static_cast<T>(learning_rate),
                        static_cast<T>(options.epsilon)};
}

template <class T>
Rule<T> MakeRule(const AdamOptions& options, double learning_rate,
                 uint64_t steps, Form form) {
  const auto t = static_cast<double>(steps);
  const double correction1 = 1 - std::pow(options.beta1, t);
  const double correction2 = 1 - std::pow(options.beta2, t);
  const auto beta2 = static_cast<T>(options.beta2);
  const auto root_correction = static_cast<T>(1 / std::sqrt(correction2));
  const auto epsilon = static_cast<T>(options.epsilon);
  const auto kept = static_cast<T>(
      1 - (form == Form::kRow ? 0 : learning_rate * options.weight_decay));
  if (form == Form::kSparse) {
    return SparseAdamRule<T>{beta2, static_cast<T>(learning_rate),
                             root_correction, epsilon, kept};
  }
  return AdamRule<T>{static_cast<T>(options.beta1),
                     beta2,
                     static_cast<T>(learning_rate / correction1),
                     root_correction,
                     epsilon,
                     kept};
}

// Names of the slots and their initial values.
struct SlotKind {
  const char* name;
  double first;
};
using SlotKinds = absl::InlinedVector<SlotKind, kMostSlots>;

SlotKinds SlotKindsOf(const OptimizerOptions& options, Form form) {
  if (const auto* const adagrad = std::get_if<AdagradOptions>(&options)) {
    return {{"sum", adagrad->first_sum}};
  }
  if (std::holds_alternative<SgdOptions>(options)) return {};
  if (form == Form::kSparse) return {{"square", 0}};
  return {{"mean", 0}, {"square", 0}};
}

}  // namespace

template <class T>
Optimizer<T>::Optimizer(const OptimizerOptions& options,
                        ParameterList<T> parameters)
    : options_(options), parameters_(std::move(parameters)) {
  for (const Parameter<T>* parameter : parameters_) {
    std::vector<Matrix<T>>& slots = slots_.emplace_back();
    if (parameter->frozen) continue;
    for (const SlotKind& kind :
         SlotKindsOf(options_, FormOf(options_, *parameter))) {
      slots.emplace_back(parameter->value.rows(), parameter->value.cols());
      slots.back().Fill(static_cast<T>(kind.first));
    }
  }
}

template <class T>
std::vector<typename Optimizer<T>::Slot> Optimizer<T>::Slots() {
  std::vector<Slot> found;
  for (size_t p = 0; p < parameters_.size(); ++p) {
    const SlotKinds kinds =
        SlotKindsOf(options_, FormOf(options_, *parameters_[p]));
    for (size_t s = 0; s < slots_[p].size(); ++s) {
      found.push_back({absl::StrCat(parameters_[p]->name, ".", kinds[s].name),
                       &slots_[p][s]});
    }
  }
  return found;
}

template <class T>
void Optimizer<T>::Step(double learning_rate) {
  ++steps_;
  Rule<T> rules[3];
  for (const Form form : {Form::kRow, Form::kMatrix, Form::kSparse}) {
    rules[static_cast<size_t>(form)] = std::visit(
        [&](const auto& options) {
          return MakeRule<T>(options, learning_rate, steps_, form);
        },
        options_);
  }
  for (size_t p = 0; p < parameters_.size(); ++p) {
    Parameter<T>& parameter = *parameters_[p];
    Gradient<T>& gradient = parameter.gradient;
    if (parameter.frozen) {
      gradient.Clear();
      continue;
    }
    const Rule<T>& rule =
        rules[static_cast<size_t>(FormOf(options_, parameter))];
    const auto step = [&](size_t count, size_t from, const T* gradients) {
      StepArrays<T> arrays;
      arrays.count = count;
      arrays.values = parameter.value.data() + from;
      arrays.gradients = gradients;
      for (size_t s = 0; s < slots_[p].size(); ++s) {
        arrays.slots[s] = slots_[p][s].data() + from;
      }
      StepAll(rule, arrays);
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
