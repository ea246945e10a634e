// TensorCopies: copies of the values of tensors.

#ifndef FIRTH_RUN_TENSOR_COPIES_H_
#define FIRTH_RUN_TENSOR_COPIES_H_

#include <vector>

#include "base/matrix.h"
#include "run/learner.h"

namespace firth {

class TensorCopies {
 public:
  // Reuses the memory of an earlier call if it has the same size.
  void CopyFrom(const std::vector<NamedTensor>& tensors);
  bool empty() const { return tensors_.empty(); }

  // Returns the copies, with the names and the order of the originals.
  const std::vector<NamedTensor>& tensors() const { return tensors_; }

 private:
  // One row per tensor, including its gaps.
  std::vector<Matrix<float>> memory_;
  std::vector<NamedTensor> tensors_;
};

// Copies values between tensors of the same shapes, on all threads.
void CopyValues(const std::vector<NamedTensor>& from,
                const std::vector<NamedTensor>& to);

// Returns the bytes that copies of the tensors take.
uint64_t BytesOf(const std::vector<NamedTensor>& tensors);

}  // namespace firth

#endif  // FIRTH_RUN_TENSOR_COPIES_H_
