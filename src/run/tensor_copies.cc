#include "run/tensor_copies.h"

#include <cstring>

#include "base/check.h"

namespace firth {
namespace {

size_t FloatsOf(const NamedTensor& tensor) {
  return tensor.rows * tensor.stride;
}

}  // namespace

void TensorCopies::CopyFrom(const std::vector<NamedTensor>& tensors) {
  memory_.resize(tensors.size());
  tensors_ = tensors;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const size_t floats = FloatsOf(tensors[i]);
    memory_[i].Resize(1, floats);
    tensors_[i].data = memory_[i].data();
  }
  CopyValues(tensors, tensors_);
}

void CopyValues(const std::vector<NamedTensor>& from,
                const std::vector<NamedTensor>& to) {
  FIRTH_CHECK(from.size() == to.size());
  for (size_t i = 0; i < from.size(); ++i) {
    const NamedTensor& source = from[i];
    const NamedTensor& target = to[i];
    FIRTH_CHECK(source.rows == target.rows && source.stride == target.stride);
#pragma omp parallel for schedule(static)
    for (size_t row = 0; row < source.rows; ++row) {
      std::memcpy(target.data + row * source.stride,
                  source.data + row * source.stride,
                  source.cols * sizeof(float));
    }
  }
}

uint64_t BytesOf(const std::vector<NamedTensor>& tensors) {
  uint64_t bytes = 0;
  for (const NamedTensor& tensor : tensors) {
    bytes += FloatsOf(tensor) * sizeof(float);
  }
  return bytes;
}

}  // namespace firth
