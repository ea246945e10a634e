#include "train/model_shape.h"

#include <cmath>
#include <variant>
#include <vector>

#include "objective/objective_tables.h"

namespace firth {
namespace {

// CBOW's corrected gradient moves an input vector by 1/n of what word2vec.c
// moves it by, so it takes epochs to get away from word2vec.c's start near 0.
// Starting values of about the size of trained vectors make up for this (on 10
// M words of Wikipedia, dim 100, 5 epochs, learning rate 0.1: analogies 23 % ->
// 26 %; values 4 times as large are too much: 22 %).
float InputRange(const TrainOptions& options) {
  const auto* cbow = std::get_if<CbowOptions>(&options.architecture);
  if (cbow == nullptr || cbow->gradient != CbowGradient::kCorrected) return 0;
  return 1.0f / std::sqrt(static_cast<float>(options.dim));
}

// Returns nothing for equal weights. Others have mean 1 over a whole window.
std::vector<float> StartingPositionWeights(const TrainOptions& options) {
  const auto* cbow = std::get_if<CbowOptions>(&options.architecture);
  if (cbow == nullptr || cbow->context_weights == ContextWeights::kEqual) {
    return {};
  }
  const auto window = static_cast<size_t>(options.window);
  std::vector<float> weights(2 * window, 1.0f);
  if (cbow->context_weights == ContextWeights::kPosition) return weights;
  for (size_t distance = 1; distance <= window; ++distance) {
    const float weight = 2.0f * static_cast<float>(window + 1 - distance) /
                         static_cast<float>(window + 1);
    weights[window - distance] = weights[window + distance - 1] = weight;
  }
  return weights;
}

bool IsDirectional(const TrainOptions& options) {
  const auto* skip_gram = std::get_if<SkipGramOptions>(&options.architecture);
  return skip_gram != nullptr && skip_gram->directional;
}

}  // namespace

ModelShape ShapeOf(const TrainOptions& options, size_t vocab_size,
                   size_t n_gram_rows) {
  ModelShape shape =
      ShapeFor(options.objective, vocab_size, static_cast<size_t>(options.dim));
  shape.words_have_rows = WordsHaveRows(options.subwords);
  shape.n_gram_rows = n_gram_rows;
  if (IsDirectional(options)) shape.output_rows *= 2;
  shape.input_range = InputRange(options);
  shape.position_weights = StartingPositionWeights(options);
  return shape;
}

}  // namespace firth
