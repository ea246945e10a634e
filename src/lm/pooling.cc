// Pools the tokens of a sentence into one vector per layer.

#include <algorithm>

#include "firth/contextualizer.h"

namespace firth {
namespace {

// Pools the tokens of one layer; there must be at least one.
void MeanOf(const TokenVectors& vectors, size_t layer, float* to) {
  std::vector<double> sums(vectors.dim);
  for (size_t token = 0; token < vectors.tokens; ++token) {
    const absl::Span<const float> vector = vectors.Vector(layer, token);
    for (size_t d = 0; d < sums.size(); ++d) {
      sums[d] += static_cast<double>(vector[d]);
    }
  }
  for (size_t d = 0; d < sums.size(); ++d) {
    to[d] = static_cast<float>(sums[d] / static_cast<double>(vectors.tokens));
  }
}

void MaxOf(const TokenVectors& vectors, size_t layer, float* to) {
  std::copy_n(vectors.Vector(layer, 0).data(), vectors.dim, to);
  for (size_t token = 1; token < vectors.tokens; ++token) {
    const absl::Span<const float> vector = vectors.Vector(layer, token);
    for (size_t d = 0; d < vectors.dim; ++d) to[d] = std::max(to[d], vector[d]);
  }
}

void PoolLayer(const TokenVectors& vectors, size_t layer, Pooling pooling,
               float* to) {
  switch (pooling) {
    case Pooling::kMean:
      return MeanOf(vectors, layer, to);
    case Pooling::kMax:
      return MaxOf(vectors, layer, to);
    case Pooling::kFirst:
    case Pooling::kLast:
      const size_t token = pooling == Pooling::kFirst ? 0 : vectors.tokens - 1;
      std::copy_n(vectors.Vector(layer, token).data(), vectors.dim, to);
  }
}

}  // namespace

TokenVectors Pool(const TokenVectors& vectors, Pooling pooling) {
  TokenVectors pooled{vectors.layers, 1, vectors.dim, {}};
  pooled.values.resize(vectors.layers * vectors.dim);
  for (size_t layer = 0; layer < vectors.layers && vectors.tokens > 0;
       ++layer) {
    PoolLayer(vectors, layer, pooling,
              pooled.values.data() + layer * vectors.dim);
  }
  return pooled;
}

}  // namespace firth
