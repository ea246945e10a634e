// Optimizers: from gradients to steps. A rule works on one value and its
// slots; with a sparse gradient, only on the rows that it holds (slots of the
// others stay as they are, as in TensorFlow and PyTorch's sparse optimizers).
//
//   SGD      v -= rate g
//   Adagrad  s += g^2;  v -= rate g / (sqrt(s) + epsilon)
//            (Duchi, Hazan and Singer 2011)
//   Adam     m = b1 m + (1 - b1) g;  s = b2 s + (1 - b2) g^2
//            v -= rate m' / (sqrt(s') + epsilon),
//            m' = m / (1 - b1^t), s' = s / (1 - b2^t)   (Kingma and Ba 2015)

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
  double first_sum = 0;  // what s starts with; ELMo: 1
  double epsilon = 1e-10;
};

struct AdamOptions {
  static constexpr absl::string_view kName = "adam";
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
};

using OptimizerOptions = std::variant<SgdOptions, AdagradOptions, AdamOptions>;

template <class T>
class Optimizer {
 public:
  // The parameters must live as long. No memory for those that are frozen.
  Optimizer(const OptimizerOptions& options, ParameterList<T> parameters);

  // Moves all parameters that are not frozen one step and clears all gradients.
  void Step(double learning_rate);

  // What a checkpoint must hold besides the parameters: the number of steps,
  // and matrices with the shape of their parameter, called "<parameter>.sum"
  // and so on.
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
