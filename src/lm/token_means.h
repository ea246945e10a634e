// The vector of a text as the mean of its tokens' vectors in each layer. In the
// backward pass, each token gets an equal part of the mean's gradient.

#ifndef FIRTH_LM_TOKEN_MEANS_H_
#define FIRTH_LM_TOKEN_MEANS_H_

#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "nn/matrix.h"

namespace firth {

// Sets means: [texts, layers * dim]. `layers` are [tokens, dim] each, one text
// after another. `lengths` are the tokens of each text, at least 1.
template <class T>
void MeansOfTokens(absl::Span<const Matrix<T>> layers,
                   absl::Span<const size_t> lengths, Matrix<T>* means);

// Sets the gradients with respect to the tokens' vectors, `num_layers`
// matrices, given those with respect to the means.
template <class T>
void GiveToTokens(ConstView<T> d_means, absl::Span<const size_t> lengths,
                  size_t num_layers, std::vector<Matrix<T>>* d_layers);

}  // namespace firth

#endif  // FIRTH_LM_TOKEN_MEANS_H_
