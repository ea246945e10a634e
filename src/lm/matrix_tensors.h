// Matrices of networks as tensors of a file.

#ifndef FIRTH_LM_MATRIX_TENSORS_H_
#define FIRTH_LM_MATRIX_TENSORS_H_

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/matrix.h"
#include "io/tensors/checked_tensors.h"
#include "run/learner.h"

namespace firth {

// The matrix as a learner's tensor.
inline NamedTensor TensorOf(std::string name, Matrix<float>& matrix) {
  return {std::move(name), matrix.data(), matrix.rows(), matrix.cols(),
          matrix.cols()};
}

// Into a matrix that has its shape.
inline absl::Status ReadMatrix(const CheckedReader& reader,
                               absl::string_view name, Matrix<float>* matrix) {
  return reader.ReadInto(name, matrix->rows(), matrix->cols(), matrix->cols(),
                         matrix->data());
}

}  // namespace firth

#endif  // FIRTH_LM_MATRIX_TENSORS_H_
