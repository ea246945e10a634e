// Orthogonal first weights (Saxe, McClelland and Ganguli, "Exact solutions to
// the nonlinear dynamics of learning in deep linear neural networks", 2014):
// what such a matrix multiplies keeps its length, however often.

#ifndef FIRTH_NN_ORTHOGONAL_H_
#define FIRTH_NN_ORTHOGONAL_H_

#include <cstdint>

#include "nn/matrix.h"

namespace firth::nn {

// A random matrix, from the key, whose rows, or columns if there are fewer of
// them, are orthonormal.
template <class T>
void FillOrthogonal(uint64_t key, View<T> values);

}  // namespace firth::nn

#endif  // FIRTH_NN_ORTHOGONAL_H_
