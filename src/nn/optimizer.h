// Optimizers compute steps from gradients. A rule updates one value and its
// slots. With a sparse gradient, it updates only the rows in the gradient; the
// slots of other rows do not change.
//
//   SGD      v -= rate g
//   Adagrad  s += g^2;  v -= rate g / (sqrt(s) + epsilon)
//            (Duchi, Hazan and Singer 2011)
//   Adam     m = b1 m + (1 - b1) g;  s = b2 s + (1 - b2) g^2
//            v -= rate m' / (sqrt(s') + epsilon),
//            m' = m / (1 - b1^t), s' = s / (1 - b2^t)   (Kingma and Ba 2015)
//   AdamW    v -= rate weight_decay v, before Adam's step, for matrices
//            (Loshchilov and Hutter, "Decoupled weight decay regularization",
//            2019)
//
// The mean of a dense gradient moves its values further in the steps that
// follow, by 1 / (1 - b1) times the first step in all. A row that rarely has a
// gradient loses all but the first of these steps, as in the sparse optimizers
// of TensorFlow and PyTorch, and learns ten times as slowly.
// AdamOptions::sparse_mean can set b1 to 0 for sparse gradients.

#ifndef FIRTH_NN_OPTIMIZER_H_
#define FIRTH_NN_OPTIMIZER_H_

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"
#include "nn/matrix.h"
#include "nn/parameter.h"

namespace firth::nn {

struct SgdOptions {
  static constexpr absl::string_view kName = "sgd";
};

struct AdagradOptions {
  static constexpr absl::string_view kName = "adagrad";
  double first_sum = 0;  // initial value of s; ELMo uses 1
  double epsilon = 1e-10;
};

struct AdamOptions {
  static constexpr absl::string_view kName = "adam";
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  // Applies to parameters of more than one row, and not to biases and gains. Of
  // a sparse gradient, only its rows decay.
  double weight_decay = 0;
  bool sparse_mean = true;  // whether b1 applies to sparse gradients
};

using OptimizerOptions = std::variant<SgdOptions, AdagradOptions, AdamOptions>;

template <class T>
class Optimizer {
 public:
  // The parameters must outlive the optimizer. Frozen ones take no memory.
  Optimizer(const OptimizerOptions& options, ParameterList<T> parameters);

  // Updates all parameters that are not frozen, and clears all gradients.
  void Step(double learning_rate);

  // The state that a checkpoint stores in addition to the parameters: the
  // number of steps, and matrices with the shape of their parameter, which are
  // named "<parameter>.sum" and so on.
  struct Slot {
    std::string name;
    Matrix<T>* values;
  };
  std::vector<Slot> Slots();
  uint64_t steps() const { return steps_; }
  void set_steps(uint64_t steps) { steps_ = steps; }

 private:
  OptimizerOptions options_;
  ParameterList<T> parameters_;
  std::vector<std::vector<Matrix<T>>> slots_;  // of each parameter
  uint64_t steps_ = 0;
};

}  // namespace firth::nn

#endif  // FIRTH_NN_OPTIMIZER_H_
