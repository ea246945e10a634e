// Orthogonal initial weights (Saxe, McClelland and Ganguli, "Exact solutions to
// the nonlinear dynamics of learning in deep linear neural networks", 2014).
// Repeated products with such a matrix do not change the length of a vector.

#ifndef FIRTH_NN_ORTHOGONAL_H_
#define FIRTH_NN_ORTHOGONAL_H_

#include <cstdint>

#include "nn/matrix.h"

namespace firth::nn {

// Sets `values` to a random matrix, drawn by the key, whose rows are
// orthonormal, or whose columns are if there are fewer of them.
template <class T>
void FillOrthogonal(uint64_t key, View<T> values);

}  // namespace firth::nn

#endif  // FIRTH_NN_ORTHOGONAL_H_
