// Matrices of networks as tensors of a file.

#ifndef FIRTH_LM_MATRIX_TENSORS_H_
#define FIRTH_LM_MATRIX_TENSORS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "firth/matrix.h"
#include "io/checked_tensors.h"
#include "nn/matrix.h"

namespace firth {

// Borrows the matrix.
inline FloatTable TableOfMatrix(const nn::Matrix<float>& matrix) {
  return FloatTable(matrix.data(), matrix.rows(), matrix.cols(), matrix.cols(),
                    nullptr);
}

// Into a matrix that has its shape.
inline absl::Status ReadMatrix(const CheckedReader& reader,
                               absl::string_view name,
                               nn::Matrix<float>* matrix) {
  return reader.ReadInto(name, matrix->rows(), matrix->cols(), matrix->cols(),
                         matrix->data());
}

}  // namespace firth

#endif  // FIRTH_LM_MATRIX_TENSORS_H_
