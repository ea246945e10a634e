// Vectors of tokens are weighted sums of the network's rows, the means over
// pieces. The backward pass uses the same rows and weights. Directions run
// concurrently and write to separate columns.

#include "lm/tuned_layers.h"

#include <algorithm>
#include <utility>

#include "base/parallel_exceptions.h"
#include "base/rng.h"
#include "lm/sentence_batch.h"

namespace firth {
namespace {

// Calls visit(token, row, share): a token is the sum of share times row.
template <class T, class Visit>
void ForEachShare(const TunedBatch& batch, const Visit& visit) {
  for (size_t token = 0; token < batch.tokens(); ++token) {
    const size_t begin = batch.first[token], end = batch.first[token + 1];
    const T share = T{1} / static_cast<T>(end - begin);
    for (size_t i = begin; i < end; ++i) visit(token, batch.rows[i], share);
  }
}

template <class T>
void TakeTokens(const TunedBatch& batch, ConstView<T> rows, View<T> tokens) {
  nn::SetZero(tokens);
  ForEachShare<T>(batch, [&](size_t token, size_t row, T share) {
    nn::AddScaled(rows.cols(), share, rows.Row(row), tokens.Row(token));
  });
}

// The backward pass of TakeTokens(); adds to d_rows.
template <class T>
void GiveTokens(const TunedBatch& batch, ConstView<T> d_tokens,
                View<T> d_rows) {
  ForEachShare<T>(batch, [&](size_t token, size_t row, T share) {
    nn::AddScaled(d_rows.cols(), share, d_tokens.Row(token), d_rows.Row(row));
  });
}

template <class T>
void SetZeros(size_t rows, size_t cols, Matrix<T>* matrix) {
  matrix->Resize(rows, cols);
  matrix->Fill(0);
}

}  // namespace

template <class T>
std::vector<size_t> TunedLayers<T>::TokenColumns() const {
  if (2 * encoder_.output_dim() != layers_.output_dim()) return {0};
  return {0, encoder_.output_dim()};
}

template <class T>
void TunedLayers<T>::ForwardDirection(nn::Direction direction,
                                      const TunedBatch& batch,
                                      nn::DropoutKey key,
                                      std::vector<Matrix<T>>* vectors) {
  nn::SequenceLayers<T>& layers = layers_[direction];
  const auto number = static_cast<uint64_t>(direction);
  if (key.has_value()) key = CombineKeys(*key, number);
  layers.Forward(chunk_.view(), batch.shape(), nullptr, key);
  for (size_t layer = 0; layer < layers.num_layers(); ++layer) {
    TakeTokens(batch, layers.output(layer),
               (*vectors)[layer + 1].view().Cols(layers_.OffsetOf(direction),
                                                 layers_.direction_dim()));
  }
}

template <class T>
void TunedLayers<T>::Forward(const TunedBatch& batch, nn::DropoutKey key,
                             std::vector<Matrix<T>>* vectors) {
  const size_t dim = layers_.output_dim();
  GatherRows(encoder_.Forward(batch.words), batch.word_of_row, &chunk_);
  for (const uint32_t row : batch.second_rows) {
    nn::AddScaled(chunk_.cols(), T{1}, second_segment_->value.Row(0),
                  chunk_.Row(row));
  }
  vectors->resize(layers_.num_layers() + 1);
  for (Matrix<T>& layer : *vectors) layer.Resize(batch.tokens(), dim);
  vectors->front().Fill(0);
  for (const size_t column : TokenColumns()) {
    TakeTokens<T>(batch, chunk_.view(),
                  vectors->front().view().Cols(column, chunk_.cols()));
  }
  ParallelExceptions exceptions;
#pragma omp parallel for num_threads(threads_) schedule(static, 1)
  for (const nn::Direction direction : layers_.directions()) {
    exceptions.Catch([&] { ForwardDirection(direction, batch, key, vectors); });
  }
  exceptions.Rethrow();
}

// All gradients come from the layers' outputs, and none from the top.
template <class T>
void TunedLayers<T>::BackwardDirection(nn::Direction direction,
                                       const TunedBatch& batch,
                                       absl::Span<const Matrix<T>> d_vectors) {
  Side& side = sides_[static_cast<size_t>(direction)];
  const size_t rows = chunk_.rows(), dim = layers_.direction_dim();
  SetZeros(rows, dim, &side.d_top);
  side.d_outputs.resize(layers_.num_layers());
  std::vector<ConstView<T>> d_outputs;
  for (size_t layer = 0; layer < side.d_outputs.size(); ++layer) {
    SetZeros(rows, dim, &side.d_outputs[layer]);
    GiveTokens<T>(
        batch,
        d_vectors[layer + 1].view().Cols(layers_.OffsetOf(direction), dim),
        side.d_outputs[layer].view());
    d_outputs.push_back(std::as_const(side.d_outputs[layer]).view());
  }
  side.d_chunk.Resize(rows, chunk_.cols());
  layers_[direction].Backward(std::as_const(side.d_top).view(), d_outputs,
                              side.d_chunk.view());
}

template <class T>
void TunedLayers<T>::Backward(const TunedBatch& batch,
                              absl::Span<const Matrix<T>> d_vectors) {
  ParallelExceptions exceptions;
#pragma omp parallel for num_threads(threads_) schedule(static, 1)
  for (const nn::Direction direction : layers_.directions()) {
    exceptions.Catch([&] { BackwardDirection(direction, batch, d_vectors); });
  }
  exceptions.Rethrow();
  if (!encoder_.learns() && batch.second_rows.empty()) return;
  const auto side = [&](size_t number) -> Matrix<T>& {
    return sides_[static_cast<size_t>(layers_.directions()[number])].d_chunk;
  };
  Matrix<T>& d_tokens = side(0);
  if (layers_.directions().size() > 1) {
    nn::Add<T>(side(1).view(), d_tokens.view());
  }
  for (const size_t column : TokenColumns()) {
    GiveTokens<T>(batch, d_vectors[0].view().Cols(column, d_tokens.cols()),
                  d_tokens.view());
  }
  for (const uint32_t row : batch.second_rows) {
    nn::AddScaled(d_tokens.cols(), T{1}, d_tokens.Row(row),
                  second_segment_->gradient.Row(0));
  }
  if (encoder_.learns()) EncoderBackward(batch, d_tokens);
}

template <class T>
void TunedLayers<T>::EncoderBackward(const TunedBatch& batch,
                                     const Matrix<T>& d_tokens) {
  const size_t words =
      1 + *std::max_element(batch.word_of_row.begin(), batch.word_of_row.end());
  SetZeros(words, d_tokens.cols(), &d_words_);
  for (size_t row = 0; row < d_tokens.rows(); ++row) {
    nn::AddScaled(d_tokens.cols(), T{1}, d_tokens.Row(row),
                  d_words_.Row(batch.word_of_row[row]));
  }
  encoder_.Backward(batch.words, std::as_const(d_words_).view());
}

template class TunedLayers<float>;
#ifdef FIRTH_DOUBLES
template class TunedLayers<double>;
#endif

}  // namespace firth
