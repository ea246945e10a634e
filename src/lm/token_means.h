// A text's vector as the mean of those of its tokens in each layer, and the way
// back: each token gets an equal share of the gradient by the mean.

#ifndef FIRTH_LM_TOKEN_MEANS_H_
#define FIRTH_LM_TOKEN_MEANS_H_

#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "nn/matrix.h"

namespace firth {

// layers: [tokens, dim] each, a text's tokens behind another's. lengths: tokens
// of each text, at least 1. Sets means: [texts, layers * dim].
template <class T>
void MeansOfTokens(absl::Span<const Matrix<T>> layers,
                   absl::Span<const size_t> lengths, Matrix<T>* means);

// Sets the gradients by the tokens' vectors, `num_layers` matrices of them,
// given those by the means.
template <class T>
void GiveToTokens(ConstView<T> d_means, absl::Span<const size_t> lengths,
                  size_t num_layers, std::vector<Matrix<T>>* d_layers);

}  // namespace firth

#endif  // FIRTH_LM_TOKEN_MEANS_H_
