// Dropout (Srivastava et al. 2014), inverted: while training, a number is 0
// with probability `rate`, else divided by 1 - rate; otherwise nothing is done.

#ifndef FIRTH_NN_DROPOUT_H_
#define FIRTH_NN_DROPOUT_H_

#include <cstdint>
#include <optional>

#include "nn/matrix.h"

namespace firth::nn {

// What a layer draws from while it trains; nullopt: it does not train.
using DropoutKey = std::optional<uint64_t>;

template <class T>
class Dropout {
 public:
  // rate: in [0, 1).
  explicit Dropout(double rate) : rate_(rate) {}

  // `input` itself if there is nothing to drop, else a view of the dropped
  // one, valid until the next call.
  ConstView<T> Forward(ConstView<T> input, DropoutKey key);
  // Whether Forward() dropped something.
  bool dropped() const { return dropped_; }
  // From the gradient by what Forward() returned to that by its input, in
  // place.
  void Backward(View<T> gradient) const;

 private:
  double rate_;
  bool dropped_ = false;
  Matrix<T> factors_;
  Matrix<T> output_;
};

}  // namespace firth::nn

#endif  // FIRTH_NN_DROPOUT_H_
