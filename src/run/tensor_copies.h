// TensorCopies: the values that tensors had at some time.

#ifndef FIRTH_RUN_TENSOR_COPIES_H_
#define FIRTH_RUN_TENSOR_COPIES_H_

#include <vector>

#include "base/matrix.h"
#include "run/learner.h"

namespace firth {

class TensorCopies {
 public:
  // Memory that was taken before serves again if it is of the same size.
  void CopyFrom(const std::vector<NamedTensor>& tensors);
  bool empty() const { return tensors_.empty(); }

  // The copies, with the names and the order of what was taken.
  const std::vector<NamedTensor>& tensors() const { return tensors_; }

 private:
  std::vector<Matrix<float>> memory_;  // a row a tensor, with its gaps
  std::vector<NamedTensor> tensors_;
};

// Between tensors of the same shapes, on all threads.
void CopyValues(const std::vector<NamedTensor>& from,
                const std::vector<NamedTensor>& to);

// Bytes that copies of them take.
uint64_t BytesOf(const std::vector<NamedTensor>& tensors);

}  // namespace firth

#endif  // FIRTH_RUN_TENSOR_COPIES_H_
