// With inputs close to 0, activations are linear and states stay close to 0, so
// the norms by distance are known.

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "firth/language_model.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lm/model/language_model.h"
#include "lm/read/text_model.h"
#include "lm/small_training.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr size_t kReachSteps = 12;

LanguageModelTraining OneForwardLayer() {
  LanguageModelTraining training = TinyTraining();
  training.reads = Reading::kForward;
  training.layers = 1;
  training.projection = 0;
  training.orthogonal = true;
  training.epochs = 1e-6;
  training.learning_rate = 1e-12;
  return training;
}

// Returns a model that was hardly trained, with token vectors close to 0.
LanguageModel FirstModel(const LanguageModelTraining& training) {
  LanguageModel model =
      std::move(TrainLanguageModel(ReadText(kText), training)->model);
  TextModel::Of(model).network()->encoder().table()->value.Fill(1e-6f);
  return model;
}

std::vector<std::string> PathNames(const GradientReach& reach) {
  std::vector<std::string> names;
  for (const GradientReach::Path& path : reach.paths) {
    names.push_back(path.name);
  }
  return names;
}

// Returns the norms at distances 1, 2, ...
std::vector<double> NormsOf(LanguageModel& model, const std::string& name) {
  const auto reach = MeasureGradientReach(model, ReadText(kText), kReachSteps);
  EXPECT_EQ(reach.status(), absl::OkStatus());
  if (!reach.ok()) return {};
  for (const GradientReach::Path& path : reach->paths) {
    if (path.name != name) continue;
    return {path.norms.begin() + (path.first_distance == 0 ? 1 : 0),
            path.norms.end()};
  }
  ADD_FAILURE() << "no " << name;
  return {};
}

TEST(GradientReachTest, TanhMultipliesByTheSpectralRadius) {
  for (const double radius : {0.5, 1.0}) {
    LanguageModelTraining training = OneForwardLayer();
    training.cell = CellKind::kTanh;
    training.radius = radius;
    LanguageModel model = FirstModel(training);
    const std::vector<double> norms = NormsOf(model, "1.output");
    ASSERT_EQ(norms.size(), kReachSteps);
    for (size_t i = 0; i < norms.size(); ++i) {
      // The norm of the random direction itself, which is 1 on average.
      EXPECT_NEAR(norms[i] / norms[0], std::pow(radius, i), 1e-4 * radius);
    }
    EXPECT_NEAR(norms[0], radius, 0.15 * radius);
  }
}

// The state passes through the forget gate alone, the output through all gates.
TEST(GradientReachTest, TheCellOfAnLstmKeepsWhatItsForgetGateKeeps) {
  for (const double bias : {-2.0, 0.0, 10.0}) {
    LanguageModelTraining training = OneForwardLayer();
    training.forget_bias = bias;
    training.radius = 1e-3;
    LanguageModel model = FirstModel(training);
    const std::vector<double> norms = NormsOf(model, "1.state");
    const double kept = 1 / (1 + std::exp(-bias));
    for (size_t i = 0; i < norms.size(); ++i) {
      EXPECT_NEAR(norms[i] / norms[0], std::pow(kept, i), 2e-3) << bias;
    }
  }
}

TEST(GradientReachTest, AWindowEnds) {
  LanguageModelTraining training = OneForwardLayer();
  training.network = NetworkKind::kWindow;
  training.window = 3;
  LanguageModel model =
      std::move(TrainLanguageModel(ReadText(kText), training)->model);
  const auto reach = MeasureGradientReach(model, ReadText(kText), kReachSteps);
  ASSERT_EQ(reach.status(), absl::OkStatus());
  ASSERT_THAT(PathNames(*reach), ElementsAre("input"));
  const std::vector<double>& norms = reach->paths[0].norms;
  ASSERT_EQ(norms.size(), kReachSteps);
  for (size_t distance = 0; distance < norms.size(); ++distance) {
    EXPECT_EQ(norms[distance] > 0, distance < 3) << distance;
  }
}

TEST(GradientReachTest, ATransformerSeesItsContext) {
  LanguageModelTraining training = OneForwardLayer();
  training.network = NetworkKind::kTransformer;
  training.context = kReachSteps;
  LanguageModel model =
      std::move(TrainLanguageModel(ReadText(kText), training)->model);
  const auto reach = MeasureGradientReach(model, ReadText(kText), kReachSteps);
  ASSERT_EQ(reach.status(), absl::OkStatus());
  ASSERT_THAT(PathNames(*reach), ElementsAre("input"));
  for (const double norm : reach->paths[0].norms) EXPECT_GT(norm, 0);
  const auto longer =
      MeasureGradientReach(model, ReadText(kText), kReachSteps + 1);
  EXPECT_EQ(longer.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(longer.status().message(),
              HasSubstr("expected 2 to 12, the model's context, found 13"));
}

TEST(GradientReachTest, EveryLayerHasItsPaths) {
  LanguageModelTraining training = OneForwardLayer();
  training.layers = 2;
  training.epochs = 1;
  training.learning_rate = 0.01;
  LanguageModel model =
      std::move(TrainLanguageModel(ReadText(kText), training)->model);
  const auto reach = MeasureGradientReach(model, ReadText(kText), kReachSteps);
  ASSERT_EQ(reach.status(), absl::OkStatus());
  EXPECT_THAT(PathNames(*reach), ElementsAre("input", "1.output", "1.state",
                                             "2.output", "2.state"));
  const auto again = MeasureGradientReach(model, ReadText(kText), kReachSteps);
  ASSERT_EQ(again.status(), absl::OkStatus());
  EXPECT_EQ(again->paths[0].norms, reach->paths[0].norms);
}

TEST(GradientReachTest, AVanishedGradientIsZero) {
  LanguageModelTraining training = OneForwardLayer();
  training.cell = CellKind::kTanh;
  training.radius = 1000;
  LanguageModel model =
      std::move(TrainLanguageModel(ReadText(kText), training)->model);
  const auto reach = MeasureGradientReach(model, ReadText(kText), kReachSteps);
  ASSERT_EQ(reach.status(), absl::OkStatus());
  EXPECT_EQ(reach->paths.at(0).norms.size(), kReachSteps);
}

TEST(GradientReachTest, AModelMustReadForward) {
  LanguageModelTraining training = OneForwardLayer();
  training.reads = Reading::kBackward;
  LanguageModel model =
      std::move(TrainLanguageModel(ReadText(kText), training)->model);
  const auto reach = MeasureGradientReach(model, ReadText(kText), kReachSteps);
  EXPECT_EQ(reach.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(reach.status().message(), HasSubstr("read forward"));
}

}  // namespace
}  // namespace firth
