// Matrices of networks as tensors in files.

#ifndef FIRTH_LM_MODEL_MATRIX_TENSORS_H_
#define FIRTH_LM_MODEL_MATRIX_TENSORS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/matrix.h"
#include "io/tensors/checked_tensors.h"
#include "nn/optimizer.h"
#include "nn/parameter.h"
#include "run/learner.h"

namespace firth {

// Returns the matrix as a learner's tensor.
inline NamedTensor TensorOf(std::string name, Matrix<float>& matrix) {
  return {std::move(name), matrix.data(), matrix.rows(), matrix.cols(),
          matrix.cols()};
}

// Return the tensors of the parameters, and those of their optimizer.
inline std::vector<NamedTensor> TensorsOf(
    const nn::ParameterList<float>& parameters) {
  std::vector<NamedTensor> tensors;
  for (nn::Parameter<float>* parameter : parameters) {
    tensors.push_back(TensorOf(parameter->name, parameter->value));
  }
  return tensors;
}
inline std::vector<NamedTensor> TensorsOf(nn::Optimizer<float>& optimizer) {
  std::vector<NamedTensor> tensors;
  for (const auto& slot : optimizer.Slots()) {
    tensors.push_back(TensorOf(slot.name, *slot.values));
  }
  return tensors;
}

// Reads a tensor into a matrix, which must have its shape.
inline absl::Status ReadMatrix(const CheckedReader& reader,
                               absl::string_view name, Matrix<float>* matrix) {
  return reader.ReadInto(name, matrix->rows(), matrix->cols(), matrix->cols(),
                         matrix->data());
}

}  // namespace firth

#endif  // FIRTH_LM_MODEL_MATRIX_TENSORS_H_
