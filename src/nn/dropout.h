// Inverted dropout (Srivastava et al. 2014): in training, a number is set to 0
// with probability `rate`, otherwise divided by 1 - rate.

#ifndef FIRTH_NN_DROPOUT_H_
#define FIRTH_NN_DROPOUT_H_

#include <cstdint>
#include <optional>

#include "nn/matrix.h"

namespace firth::nn {

// Key from which a layer draws in training; nullopt outside of training.
using DropoutKey = std::optional<uint64_t>;

template <class T>
class Dropout {
 public:
  // `rate` must be in [0, 1).
  explicit Dropout(double rate) : rate_(rate) {}

  // Returns `input` itself if there is nothing to drop, otherwise a view of the
  // result, valid until the next call.
  ConstView<T> Forward(ConstView<T> input, DropoutKey key);
  // Returns whether Forward() dropped something.
  bool dropped() const { return dropped_; }
  // Replaces the gradient of the output of Forward() by that of its input.
  void Backward(View<T> gradient) const;

 private:
  double rate_;
  bool dropped_ = false;
  Matrix<T> factors_;
  Matrix<T> output_;
};

}  // namespace firth::nn

#endif  // FIRTH_NN_DROPOUT_H_
