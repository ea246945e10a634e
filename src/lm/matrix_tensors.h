// Matrices of networks as tensors of a file.

#ifndef FIRTH_LM_MATRIX_TENSORS_H_
#define FIRTH_LM_MATRIX_TENSORS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/matrix.h"
#include "io/tensors/checked_tensors.h"

namespace firth {

// Into a matrix that has its shape.
inline absl::Status ReadMatrix(const CheckedReader& reader,
                               absl::string_view name, Matrix<float>* matrix) {
  return reader.ReadInto(name, matrix->rows(), matrix->cols(), matrix->cols(),
                         matrix->data());
}

}  // namespace firth

#endif  // FIRTH_LM_MATRIX_TENSORS_H_
