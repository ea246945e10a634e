// The rules of optimizer.h, with the constants of one step, and the arrays that
// they update.

#ifndef FIRTH_NN_OPTIMIZER_RULES_H_
#define FIRTH_NN_OPTIMIZER_RULES_H_

#include <cstddef>
#include <variant>

namespace firth::nn {

constexpr size_t kMostSlots = 2;

template <class T>
struct SgdRule {
  static constexpr size_t kSlots = 0;
  T rate;
};

template <class T>
struct AdagradRule {
  static constexpr size_t kSlots = 1;
  T rate;
  T epsilon;
};

template <class T>
struct AdamRule {
  static constexpr size_t kSlots = 2;
  T beta1;
  T beta2;
  T corrected_rate;   // rate / (1 - beta1^t)
  T root_correction;  // 1 / sqrt(1 - beta2^t)
  T epsilon;
  T kept;  // 1 - rate * weight_decay
};

// AdamRule with beta1 = 0.
template <class T>
struct SparseAdamRule {
  static constexpr size_t kSlots = 1;
  T beta2;
  T rate;
  T root_correction;
  T epsilon;
  T kept;
};

template <class T>
using Rule =
    std::variant<SgdRule<T>, AdagradRule<T>, AdamRule<T>, SparseAdamRule<T>>;

// Runs of `count` numbers, with as many slots as the rule has.
template <class T>
struct StepArrays {
  size_t count = 0;
  T* values = nullptr;
  const T* gradients = nullptr;
  T* slots[kMostSlots] = {};
};

}  // namespace firth::nn

#endif  // FIRTH_NN_OPTIMIZER_RULES_H_
