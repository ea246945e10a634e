#include "lm/token_means.h"

#include <numeric>

#include "nn/elementwise.h"

namespace firth {
namespace {

size_t SumOf(absl::Span<const size_t> lengths) {
  return std::accumulate(lengths.begin(), lengths.end(), size_t{0});
}

}  // namespace

template <class T>
void MeansOfTokens(absl::Span<const Matrix<T>> layers,
                   absl::Span<const size_t> lengths, Matrix<T>* means) {
  const size_t dim = layers[0].cols();
  means->Resize(lengths.size(), layers.size() * dim);
  means->Fill(0);
  for (size_t layer = 0; layer < layers.size(); ++layer) {
    size_t token = 0;
    for (size_t text = 0; text < lengths.size(); ++text) {
      const T share = T{1} / static_cast<T>(lengths[text]);
      T* const mean = means->Row(text) + layer * dim;
      for (size_t i = 0; i < lengths[text]; ++i, ++token) {
        nn::AddScaled(dim, share, layers[layer].Row(token), mean);
      }
    }
  }
}

template <class T>
void GiveToTokens(ConstView<T> d_means, absl::Span<const size_t> lengths,
                  size_t num_layers, std::vector<Matrix<T>>* d_layers) {
  const size_t dim = d_means.cols() / num_layers;
  d_layers->resize(num_layers);
  for (size_t layer = 0; layer < num_layers; ++layer) {
    Matrix<T>& d_tokens = (*d_layers)[layer];
    d_tokens.Resize(SumOf(lengths), dim);
    d_tokens.Fill(0);
    size_t token = 0;
    for (size_t text = 0; text < lengths.size(); ++text) {
      const T share = T{1} / static_cast<T>(lengths[text]);
      const T* const d_mean = d_means.Row(text) + layer * dim;
      for (size_t i = 0; i < lengths[text]; ++i, ++token) {
        nn::AddScaled(dim, share, d_mean, d_tokens.Row(token));
      }
    }
  }
}

template void MeansOfTokens(absl::Span<const Matrix<float>>,
                            absl::Span<const size_t>, Matrix<float>*);
template void GiveToTokens(ConstView<float>, absl::Span<const size_t>, size_t,
                           std::vector<Matrix<float>>*);
#ifdef FIRTH_DOUBLES
template void MeansOfTokens(absl::Span<const Matrix<double>>,
                            absl::Span<const size_t>, Matrix<double>*);
template void GiveToTokens(ConstView<double>, absl::Span<const size_t>, size_t,
                           std::vector<Matrix<double>>*);
#endif

}  // namespace firth
