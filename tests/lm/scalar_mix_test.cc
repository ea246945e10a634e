#include "lm/read/scalar_mix.h"

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "support/gradient_check.h"

namespace firth {
namespace {

constexpr size_t kRows = 3;
constexpr size_t kDim = 4;

// Layers as parameters, so that their gradients can be checked too.
struct Layers {
  explicit Layers(size_t count) {
    for (size_t j = 0; j < count; ++j) {
      owned.push_back(
          std::make_unique<nn::Parameter<double>>("layer", kRows, kDim));
      parameters.push_back(owned.back().get());
    }
    nn::Randomize(parameters, 5);
  }
  std::vector<ConstView<double>> values() const {
    std::vector<ConstView<double>> views;
    for (const auto& layer : owned) views.push_back(layer->value.view());
    return views;
  }
  std::vector<View<double>> gradients() const {
    std::vector<View<double>> views;
    for (const auto& layer : owned) views.push_back(layer->gradient.view());
    return views;
  }
  std::vector<std::unique_ptr<nn::Parameter<double>>> owned;
  nn::ParameterList<double> parameters;
};

TEST(ScalarMixTest, StartsAsTheMeanOfTheLayers) {
  const Layers layers(3);
  ScalarMix<double> mix({.layers = 3}, "mix");
  const ConstView<double> y = mix.Forward(layers.values());
  for (size_t r = 0; r < kRows; ++r) {
    for (size_t c = 0; c < kDim; ++c) {
      double sum = 0;
      for (const auto& layer : layers.values()) sum += layer.Row(r)[c];
      EXPECT_NEAR(y.Row(r)[c], sum / 3, 1e-15);
    }
  }
}

TEST(ScalarMixTest, OneGreatWeightIsItsLayer) {
  const Layers layers(3);
  ScalarMix<double> mix({.layers = 3}, "mix");
  mix.set_weights({0, 800, 0}, 2.5);
  ScalarMix<double> top({.layers = 3, .top_only = true}, "top");
  const ConstView<double> y = mix.Forward(layers.values());
  const ConstView<double> last = top.Forward(layers.values());
  for (size_t i = 0; i < kRows * kDim; ++i) {
    EXPECT_DOUBLE_EQ(y.data()[i], 2.5 * layers.values()[1].data()[i]);
    EXPECT_DOUBLE_EQ(last.data()[i], layers.values()[2].data()[i]);
  }
}

TEST(ScalarMixTest, NormalisedLayersHaveMeanZeroAndDeviationOne) {
  const Layers layers(1);
  ScalarMix<double> mix({.layers = 1, .layer_norm = true}, "mix");
  const ConstView<double> y = mix.Forward(layers.values());
  for (size_t r = 0; r < kRows; ++r) {
    double sum = 0, square = 0;
    for (size_t c = 0; c < kDim; ++c) {
      sum += y.Row(r)[c];
      square += y.Row(r)[c] * y.Row(r)[c];
    }
    EXPECT_NEAR(sum, 0, 1e-12);
    EXPECT_NEAR(square, kDim, 1e-9);
  }
}

TEST(ScalarMixTest, GradientsAreDifferencesOfTheLoss) {
  for (const bool layer_norm : {false, true}) {
    for (const bool top_only : {false, true}) {
      SCOPED_TRACE(testing::Message() << layer_norm << top_only);
      Layers layers(3);
      ScalarMix<double> mix({.layers = 3,
                             .layer_norm = layer_norm,
                             .top_only = top_only,
                             .l2 = 0.3},
                            "mix");
      nn::ParameterList<double> parameters;
      mix.AppendParameters(&parameters);
      nn::Randomize(parameters, 9);
      const Matrix<double> pull = nn::RandomMatrix<double>(kRows, kDim, 17);
      nn::ParameterList<double> checked = parameters;
      if (top_only) checked.erase(checked.begin());  // w has no influence
      for (size_t j = top_only ? 2 : 0; j < 3; ++j) {
        checked.push_back(layers.parameters[j]);
      }
      const auto loss = [&] {
        return nn::WeightedSum(mix.Forward(layers.values()), pull.view()) +
               mix.Penalize();
      };
      for (nn::Parameter<double>* parameter : checked) {
        nn::ClearGradients(parameters);  // `loss` adds the penalty's
        loss();
        mix.Backward(pull.view(), layers.gradients());
        nn::ExpectGradients({parameter}, loss);
      }
    }
  }
}

TEST(ScalarMixTest, LayersBelowTheTopGetNoGradientFromTopOnly) {
  Layers layers(2);
  layers.owned[0]->gradient.view().Row(0)[0] = 7;  // to be overwritten
  ScalarMix<double> mix({.layers = 2, .top_only = true}, "mix");
  const ConstView<double> y = mix.Forward(layers.values());
  mix.Backward(y, layers.gradients());
  EXPECT_EQ(layers.owned[0]->gradient.SquaredNorm(), 0);
  EXPECT_GT(layers.owned[1]->gradient.SquaredNorm(), 0);
}

}  // namespace
}  // namespace firth
