// A task-specific mix of a language model's layers (Peters et al., "Deep
// contextualized word representations", 2018, eq. 1):
//
//   y = gamma * sum_j softmax(w)_j h_j       w starts at 0, gamma at 1
//
// Optionally, each h_j is normalized first. The vector of each token is
// normalized by itself (nn/row_layers.h), so that its result does not depend on
// the batch.

#ifndef FIRTH_LM_READ_SCALAR_MIX_H_
#define FIRTH_LM_READ_SCALAR_MIX_H_

#include <cstddef>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/fields.h"
#include "nn/matrix.h"
#include "nn/parameter.h"
#include "nn/row_layers.h"

namespace firth {

struct ScalarMixOptions {
  size_t layers = 0;
  bool layer_norm = false;
  bool top_only = false;  // y = gamma * the last layer
  double l2 = 0;          // penalty l2 * |w|^2, with w before its softmax

  static FieldTable Fields();  // those that model files contain
};

template <class T>
class ScalarMix {
 public:
  ScalarMix(const ScalarMixOptions& options, absl::string_view name);

  const ScalarMixOptions& options() const { return options_; }
  void AppendParameters(nn::ParameterList<T>* list);

  // Return softmax(w) and gamma.
  std::vector<T> weights() const;
  T gamma() const { return gamma_.value.data()[0]; }
  void set_weights(absl::Span<const T> w, T gamma);

  // `layers` has options().layers matrices [rows, dim]. Returns [rows, dim],
  // valid until the next call.
  ConstView<T> Forward(absl::Span<const ConstView<T>> layers);

  // Adds to the gradients of w and gamma, given the gradient with respect to
  // the output. Overwrites d_layers, which is empty if the layers are frozen.
  // Must follow Forward().
  void Backward(ConstView<T> d_output, absl::Span<const View<T>> d_layers);

  // Returns the penalty, and adds its gradient.
  double Penalize();

 private:
  size_t First() const { return options_.top_only ? options_.layers - 1 : 0; }

  ScalarMixOptions options_;
  nn::Parameter<T> w_;                   // [1, layers]
  nn::Parameter<T> gamma_;               // [1, 1]
  std::vector<T> share_;                 // softmax(w)
  std::vector<ConstView<T>> layers_;     // input of Forward()
  std::vector<nn::LayerNorm<T>> norms_;  // of each layer, if normalized
  Matrix<T> sum_;                        // y / gamma
  Matrix<T> output_;
};

}  // namespace firth

#endif  // FIRTH_LM_READ_SCALAR_MIX_H_
