// The layers are run as in the contextualizer, but their outputs are kept for
// the backward pass. Layer 0 may hold the token vectors twice, so the gradients
// of both copies are added.

#include "lm/learn/context_tuner.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "base/parallel_exceptions.h"
#include "base/rng.h"
#include "lm/model/language_model_file.h"
#include "lm/model/matrix_tensors.h"
#include "lm/read/network_model.h"
#include "lm/read/perplexity.h"
#include "lm/read/sentence_batch.h"
#include "lm/read/sentence_windows.h"
#include "nn/elementwise.h"

namespace firth {

namespace {

// Vectors of tokens are weighted sums of the network's rows, the means over
// pieces. The backward pass uses the same rows and weights. Directions run
// concurrently and write to separate columns.

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

size_t SumOf(absl::Span<const size_t> lengths) {
  return std::accumulate(lengths.begin(), lengths.end(), size_t{0});
}

CutSentences CutOf(const BiLanguageModel& model,
                   absl::Span<const ContextTuner::Sentence> sentences) {
  if (model.data().cutter != nullptr)
    return model.data().cutter->Cut(sentences);
  CutSentences cut;
  for (const ContextTuner::Sentence& sentence : sentences) {
    cut.pieces.push_back(sentence);
    std::vector<size_t>& first = cut.first.emplace_back(sentence.size() + 1);
    std::iota(first.begin(), first.end(), 0);
  }
  return cut;
}

SentenceWindows WindowsOf(const LanguageModelOptions& options,
                          absl::Span<const ContextTuner::Sentence> sentences) {
  const auto* const transformer =
      std::get_if<nn::TransformerLayers>(&options.layers);
  return SentenceWindows(sentences, MostTokens(options),
                         transformer != nullptr && transformer->causal);
}

nn::ParameterList<float> ParametersOf(BiLanguageModel& model) {
  nn::ParameterList<float> parameters;
  if (model.second_segment() != nullptr) {
    parameters.push_back(model.second_segment());
  }
  model.encoder().AppendParameters(&parameters);
  model.layers().AppendParameters(&parameters);
  return parameters;
}

template <class Source>
void AppendTensorsOf(Source& source, std::vector<NamedTensor>* tensors) {
  for (NamedTensor& tensor : TensorsOf(source)) {
    tensor.name = absl::StrCat("contextualizer.", tensor.name);
    tensors->push_back(std::move(tensor));
  }
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

ContextTuner::ContextTuner(Contextualizer& contextualizer, double rate,
                           int threads)
    : model_(ModelOf(contextualizer)),
      text_words_(model_),
      words_(model_, text_words_),
      layers_(model_.encoder(), model_.layers(), DirectionThreads(threads),
              model_.second_segment()),
      parameters_(ParametersOf(model_)),
      optimizer_(nn::AdamOptions{}, parameters_) {
  rate_.decay = nn::Decay::kLinear;
  rate_.start = rate;
}

void ContextTuner::Forward(absl::Span<const Sentence> sentences,
                           nn::DropoutKey key,
                           std::vector<Matrix<float>>* vectors) {
  const CutSentences cut = CutOf(model_, sentences);
  const SentenceWindows windows = WindowsOf(model_.options(), cut.pieces);
  const std::vector<SentenceIds> ids = IdsOf(windows.windows(), &text_words_);
  std::vector<size_t> all(ids.size());
  std::iota(all.begin(), all.end(), 0);
  chunk_ = LayOut(model_.options(), ids, all, &words_);
  batch_ = {};
  batch_.words = words_.batch();
  batch_.word_of_row = chunk_.word_of_row;
  batch_.lengths = chunk_.lengths;
  if (model_.second_segment() != nullptr) {
    batch_.second_rows = chunk_.second_rows;
  }
  FindTokens(windows, cut.first);
  layers_.Forward(batch_, key, vectors);
}

void ContextTuner::FindTokens(const SentenceWindows& windows,
                              absl::Span<const std::vector<size_t>> first) {
  const size_t sequences = windows.windows().size();
  for (const SentenceWindows::Place& place : windows.Places()) {
    const size_t step = FirstStep(model_.options()) + place.token;
    batch_.rows.push_back(
        static_cast<uint32_t>(step * sequences + place.window));
  }
  for (const std::vector<size_t>& pieces : first) {
    const size_t begin = batch_.first.back();
    for (size_t token = 1; token < pieces.size(); ++token) {
      batch_.first.push_back(begin + pieces[token]);
    }
  }
}

void ContextTuner::SetTotalSteps(uint64_t steps) {
  rate_.total = steps;
  rate_.warmup = steps / 10;
}

void ContextTuner::Step(double factor) {
  optimizer_.Step(factor * rate_.At(optimizer_.steps()));
}

void ContextTuner::ClearGradients() {
  for (auto* parameter : parameters_) parameter->gradient.Clear();
}

void ContextTuner::ForgetSteps() {
  for (const auto& slot : optimizer_.Slots()) slot.values->Fill(0);
  optimizer_.set_steps(0);
}

void ContextTuner::AppendLearnt(std::vector<NamedTensor>* tensors) {
  AppendTensorsOf(parameters_, tensors);
}

void ContextTuner::AppendOthers(std::vector<NamedTensor>* tensors) {
  AppendTensorsOf(optimizer_, tensors);
}

absl::StatusOr<MappedFilePtr> ContextTuner::File(const std::string& path) {
  return LanguageModelFile(model_, path);
}

}  // namespace firth
