// Steps and fits against slow and obvious ones.

#include <cmath>
#include <vector>

#include "base/rng.h"
#include "classify/features/wide_values.h"
#include "classify/model/text_scorer.h"
#include "classify/train/calibration.h"
#include "classify/train/deep_step.h"
#include "classify/train/wide_step.h"
#include "gtest/gtest.h"

namespace firth {
namespace {

struct StepText {
  std::vector<FeatureCount> counts;
  std::vector<WideFeature> features;
  uint32_t label;
};

std::vector<StepText> DrawnStepTexts(size_t rows, size_t labels) {
  std::vector<StepText> texts(30);
  for (size_t i = 0; i < texts.size(); ++i) {
    Rng rng(i);
    texts[i].label = rng.Below(static_cast<uint32_t>(labels));
    for (uint32_t row = 0; row < rows; ++row) {
      if (rng.Below(2) == 0) continue;
      const uint32_t count = 1 + rng.Below(3);
      texts[i].counts.push_back({row, count});
      texts[i].features.push_back({row, 0.1f + rng.NextFloat()});
    }
  }
  return texts;
}

// The gradient of  |w|^2 / 2 + C sum max(0, 1 - y score)^2,  v = r w, at the
// weights that the table holds: 0 at the least loss.
double WideGradient(const std::vector<StepText>& texts, WideTable& table,
                    size_t column, double cost) {
  std::vector<double> gradient(table.rows());
  for (size_t row = 0; row < table.rows(); ++row) {
    gradient[row] = static_cast<double>(table.Weights(row)[column]) /
                    std::sqrt(static_cast<double>(table.Scales(row)[column]));
  }
  for (const StepText& text : texts) {
    double score = 0;
    for (const auto [row, x] : text.features) {
      score += static_cast<double>(x * table.Weights(row)[column]);
    }
    const double y = text.label == column ? 1 : -1;
    const double slack = std::max(0.0, 1 - y * score);
    for (const auto [row, x] : text.features) {
      gradient[row] -=
          2 * cost * slack * y * static_cast<double>(x) *
          std::sqrt(static_cast<double>(table.Scales(row)[column]));
    }
  }
  double norm = 0;
  for (const double g : gradient) norm += g * g;
  return std::sqrt(norm);
}

TEST(WideStepTest, ConvergesToTheLeastLoss) {
  constexpr size_t kRows = 20;
  constexpr double kCost = 0.7;
  for (const size_t columns : {1, 3, 8, 13, 50}) {
    const auto texts = DrawnStepTexts(kRows, std::max<size_t>(columns, 2));
    WideTable table(kRows, columns);
    Rng rng(5);
    for (size_t row = 0; row < kRows; ++row) {
      for (size_t c = 0; c < columns; ++c) {
        table.Scales(row)[c] = 0.1f + rng.NextFloat();
      }
    }
    Matrix<float> duals(texts.size(), table.width());
    PaddedMatrix signs(1, table.width());
    PaddedMatrix scores(1, table.width());
    std::fill_n(signs.data(), columns, -1.0f);
    const double before = WideGradient(texts, table, 0, kCost);
    for (int epoch = 0; epoch < 500; ++epoch) {
      for (size_t i = 0; i < texts.size(); ++i) {
        if (texts[i].label < columns) signs.data()[texts[i].label] = 1;
        StepWide({.features = texts[i].features,
                  .signs = signs.data(),
                  .duals = duals.Row(i),
                  .half_inverse_cost = static_cast<float>(0.5 / kCost)},
                 table, scores.data());
        if (texts[i].label < columns) signs.data()[texts[i].label] = -1;
      }
    }
    for (size_t c = 0; c < columns; ++c) {
      EXPECT_LT(WideGradient(texts, table, c, kCost), 1e-4 * (1 + before))
          << columns << " columns, " << c;
    }
    // Scores are those of the table.
    ScoreWide(texts[0].features, table, scores.data());
    for (size_t c = 0; c < columns; ++c) {
      double score = 0;
      for (const auto [row, x] : texts[0].features) {
        score += static_cast<double>(x * table.Weights(row)[c]);
      }
      EXPECT_NEAR(static_cast<double>(scores.data()[c]), score, 1e-4);
    }
  }
}

TEST(WideValuesTest, AreLogTfIdfOfUnitLengthAGroup) {
  const std::vector<float> idf = {1.5f, 0, 2, 3};
  std::vector<WideFeature> values;
  AppendWideValues({{0, 3}, {1, 1}, {2, 1}, {3, 7}}, idf, 3, &values);
  const double a = 1.5 * (1 + std::log(3));
  ASSERT_EQ(values.size(), 4);
  EXPECT_NEAR(static_cast<double>(values[0].value), a / std::hypot(a, 2), 1e-6);
  EXPECT_NEAR(static_cast<double>(values[1].value), 2 / std::hypot(a, 2), 1e-6);
  EXPECT_EQ(values[2].row, 3);
  EXPECT_NEAR(static_cast<double>(values[2].value), 1, 1e-6);
  EXPECT_EQ(values[3].row, 4) << "the bias";
}

// Three texts, one feature in two of label 0 and one of label 1, another in one
// of label 1: by hand.
TEST(WideValuesTest, ScalesAreLogCountRatios) {
  FeatureBags bags;
  bags.features = {{0, 5}, {0, 1}, {0, 1}, {1, 1}};
  bags.begins = {0, 1, 2, 4};
  TextLabels labels;
  labels.begins = {0, 1, 2, 3};
  labels.numbers = {0, 0, 1};
  const std::vector<uint32_t> texts = {0, 1, 2};
  const auto counts = CountTexts(bags, texts, 2);
  EXPECT_EQ(counts, (std::vector<uint32_t>{3, 1}));
  WideTable table(3, 1);
  SetScales(bags, labels, texts, counts, 1, &table);
  const double p = 2 + 2;  // smoothed counts of label 0 over both features
  const double q = 2 + 2;
  const double r0 = std::log((1 + 2) / p / ((1 + 1) / q));
  const double r1 = std::log(1 / p / (2 / q));
  EXPECT_NEAR(static_cast<double>(table.Scales(0)[0]), r0 * r0, 1e-6);
  EXPECT_NEAR(static_cast<double>(table.Scales(1)[0]), r1 * r1, 1e-6);
  EXPECT_EQ(table.Scales(2)[0], 1) << "the bias";
  EXPECT_EQ(table.Weights(0)[0], 0);
}

// The loss of a text in doubles, for central differences.
struct PlainDeep {
  const DeepLoss& loss;
  const DeepText& text;
  size_t context_dim;

  double operator()(DeepTables& tables) const {
    const size_t dim = tables.input.cols();
    std::vector<double> hidden(dim + context_dim);
    double count = 0;
    for (const FeatureCount feature : text.features) count += feature.count;
    for (const FeatureCount feature : text.features) {
      for (size_t d = 0; d < dim; ++d) {
        hidden[d] +=
            feature.count / count *
            static_cast<double>(tables.input.Quiet().Row(feature.row)[d]);
      }
    }
    for (size_t d = 0; d < context_dim; ++d) {
      hidden[dim + d] = static_cast<double>(text.context[d]);
    }
    const auto score = [&](size_t row) {
      double sum = 0;
      for (size_t d = 0; d < hidden.size(); ++d) {
        sum +=
            hidden[d] * static_cast<double>(tables.output.Quiet().Row(row)[d]);
      }
      return sum;
    };
    const auto binary = [&](size_t row, bool target) {
      return std::log1p(std::exp(target ? -score(row) : score(row)));
    };
    double sum = 0;
    switch (loss.kind()) {
      case DeepLoss::Kind::kSoftmax:
        for (size_t j = 0; j < loss.output_rows(); ++j) {
          sum += std::exp(score(j));
        }
        return std::log(sum) - score(text.labels[0]);
      case DeepLoss::Kind::kOneVsAll:
        for (uint32_t j = 0; j < loss.output_rows(); ++j) {
          sum += binary(j, std::find(text.labels.begin(), text.labels.end(),
                                     j) != text.labels.end());
        }
        return sum;
      default:
        for (const auto step : loss.tree().Path(ToWordId(text.labels[0]))) {
          sum += binary(step.node, step.branch == 1);
        }
        return sum;
    }
  }
};

TEST(DeepStepTest, FollowsTheGradient) {
  constexpr float kRate = 1e-3f;
  constexpr float kStep = 1e-2f;
  const std::vector<FeatureCount> features = {{1, 2}, {4, 1}, {0, 1}};
  const std::vector<uint64_t> counts = {9, 5, 3, 2, 1};
  const std::vector<float> context = {0.3f, -0.7f};
  for (const size_t dim : {1, 7, 16, 37, 100}) {
    for (const size_t context_dim : {0, 2}) {
      for (const LabelLoss& loss :
           {LabelLoss(SoftmaxLabelLoss()), LabelLoss(OneVsAllLoss()),
            LabelLoss(TreeLabelLoss())}) {
        const DeepLoss deep_loss(loss, counts);
        const bool several = deep_loss.kind() == DeepLoss::Kind::kOneVsAll;
        const std::vector<uint32_t> labels =
            several ? std::vector<uint32_t>{1, 3} : std::vector<uint32_t>{3};
        DeepTables tables{SharedMatrix(PaddedMatrix(6, dim)),
                          SharedMatrix(PaddedMatrix(deep_loss.output_rows(),
                                                    dim + context_dim))};
        Rng rng(dim);
        for (SharedMatrix* const table : {&tables.input, &tables.output}) {
          for (size_t row = 0; row < table->rows(); ++row) {
            for (size_t d = 0; d < table->cols(); ++d) {
              table->Quiet().Row(row)[d] = rng.NextFloat() - 0.5f;
            }
          }
        }
        std::vector<float> own_context = context;
        std::vector<float> context_step(context_dim);
        const DeepText text{.features = features,
                            .labels = labels,
                            .context = own_context.data(),
                            .context_step = context_step.data()};
        const PlainDeep plain{deep_loss, text, context_dim};
        std::vector<std::vector<double>> expected;
        for (SharedMatrix* const table : {&tables.input, &tables.output}) {
          auto& steps = expected.emplace_back();
          for (size_t row = 0; row < table->rows(); ++row) {
            for (size_t d = 0; d < table->stride(); ++d) {
              float& value = table->Quiet().Row(row)[d];
              const float before = value;
              if (d >= table->cols()) {
                steps.push_back(static_cast<double>(before));
                continue;
              }
              value = before + kStep;
              const double above = plain(tables);
              value = before - kStep;
              const double below = plain(tables);
              value = before;
              steps.push_back(static_cast<double>(before) -
                              static_cast<double>(kRate) * (above - below) /
                                  (2 * static_cast<double>(kStep)));
            }
          }
        }
        std::vector<double> expected_context;
        for (size_t d = 0; d < context_dim; ++d) {
          const auto at = [&](float step) {
            own_context[d] = context[d] + step;
            return plain(tables);
          };
          const double difference = at(kStep) - at(-kStep);
          own_context[d] = context[d];
          expected_context.push_back(-static_cast<double>(kRate) * difference /
                                     (2 * static_cast<double>(kStep)));
        }
        const double loss_before = plain(tables);
        DeepRoom room(tables);
        EXPECT_NEAR(StepDeep(text, deep_loss, kRate, 1, tables, room),
                    loss_before, 1e-4);
        for (size_t d = 0; d < context_dim; ++d) {
          EXPECT_NEAR(static_cast<double>(context_step[d]), expected_context[d],
                      1e-6);
        }
        size_t number = 0;
        for (SharedMatrix* const table : {&tables.input, &tables.output}) {
          size_t at = 0;
          for (size_t row = 0; row < table->rows(); ++row) {
            for (size_t d = 0; d < table->stride(); ++d) {
              ASSERT_NEAR(static_cast<double>(table->Quiet().Row(row)[d]),
                          expected[number][at++], 2e-7)
                  << "dim " << dim << " table " << number << " row " << row
                  << " column " << d;
            }
          }
          ++number;
        }
      }
    }
  }
}

// Two workers in turn, each on copies of the labels' rows: what one has learned
// the other has after both have exchanged, and nothing is lost.
TEST(DeepStepTest, WorkersExchangeWhatTheirCopiesLearnt) {
  const DeepLoss loss(SoftmaxLabelLoss(), std::vector<uint64_t>{3, 2, 1});
  const std::vector<FeatureCount> features = {{1, 2}, {4, 1}};
  const std::vector<uint32_t> label = {2};
  const DeepText text{.features = features, .labels = label};
  DeepTables tables{SharedMatrix(PaddedMatrix(6, 8)),
                    SharedMatrix(PaddedMatrix(3, 8))};
  for (size_t d = 0; d < 8; ++d) tables.input.Quiet().Row(1)[d] = 1;
  DeepRoom first(tables, 2);
  DeepRoom second(tables, 2);
  ExchangeDeep(0, 2, first);
  ExchangeDeep(1, 2, second);
  StepDeep(text, loss, 0.5f, 1, tables, first);
  StepDeep(text, loss, 0.5f, 1, tables, second);
  EXPECT_EQ(tables.output.Quiet().Row(2)[0], 0) << "copies alone were moved";
  const float learnt_by_first = first.output.Own(2)[0];
  const float learnt_by_second = second.output.Own(2)[0];
  EXPECT_GT(learnt_by_first, 0);
  EXPECT_GT(learnt_by_second, 0);
  ExchangeDeep(0, 2, first);
  ExchangeDeep(1, 2, second);
  const float both = tables.output.Quiet().Row(2)[0];
  EXPECT_FLOAT_EQ(both, learnt_by_first + learnt_by_second);
  EXPECT_EQ(second.output.Own(2)[0], both);
  ExchangeDeep(0, 2, first);
  EXPECT_EQ(first.output.Own(2)[0], both);
  EXPECT_EQ(tables.output.Quiet().Row(2)[0], both) << "exchanged once";
}

// Labels that are drawn from the probabilities of known scales.
TEST(CalibrationTest, FindsTheScalesThatLabelsWereDrawnWith) {
  constexpr size_t kTexts = 20'000;
  constexpr size_t kLabels = 3;
  for (const LabelLink link : {LabelLink::kSoftmax, LabelLink::kSigmoid}) {
    RawScores scores;
    scores.columns = kLabels;
    TextLabels labels;
    const double offset = link == LabelLink::kSigmoid ? -0.5 : 0;
    for (size_t i = 0; i < kTexts; ++i) {
      Rng rng(i);
      std::vector<float> row(kLabels);
      for (float& score : row) {
        scores.wide.push_back(2 * rng.NextFloat() - 1);
        scores.deep.push_back(2 * rng.NextFloat() - 1);
        score = 2.5f * scores.wide.back() + 0.8f * scores.deep.back() +
                static_cast<float>(offset);
      }
      ToProbabilities(link, absl::MakeSpan(row));
      float left = rng.NextFloat();
      for (uint32_t c = 0; c < kLabels; ++c) {
        if (link == LabelLink::kSigmoid) {
          if (rng.NextFloat() < row[c]) labels.numbers.push_back(c);
        } else if (left >= 0 && (left -= row[c]) < 0) {
          labels.numbers.push_back(c);
        }
      }
      labels.begins.push_back(labels.numbers.size());
    }
    const ScoreScales scales =
        FitScales(link, scores, labels, {.wide = 1, .deep = 1});
    // With sigmoids, texts without a label are passed over, so that the
    // scales are those of the texts that are left.
    if (link == LabelLink::kSoftmax) {
      EXPECT_NEAR(scales.wide, 2.5, 0.1);
      EXPECT_NEAR(scales.deep, 0.8, 0.1);
      EXPECT_EQ(scales.offset, 0);
    } else {
      EXPECT_GT(scales.wide, 1.5);
      EXPECT_NEAR(scales.wide / scales.deep, 2.5 / 0.8, 0.5);
    }
  }
}

TEST(CalibrationTest, APartThatSaysTheOppositeGetsNothing) {
  RawScores scores;
  scores.columns = 2;
  TextLabels labels;
  for (uint32_t i = 0; i < 100; ++i) {
    const float sign = i % 2 == 0 ? 1 : -1;
    scores.wide.insert(scores.wide.end(), {sign, -sign});
    scores.deep.insert(scores.deep.end(), {-sign, sign});
    labels.numbers.push_back(i % 10 == 0 ? 1 - i % 2 : i % 2);
    labels.begins.push_back(labels.numbers.size());
  }
  const ScoreScales scales =
      FitScales(LabelLink::kSoftmax, scores, labels, {.wide = 3, .deep = 0.2});
  EXPECT_NEAR(scales.deep, 0, 1e-6);
  // All scores are alike in size: the probability is the share that is right.
  EXPECT_NEAR(1 / (1 + std::exp(-2 * scales.wide)), 0.9, 0.02);
}

TEST(CalibrationTest, ScalesStayFiniteWhereAllIsRight) {
  RawScores scores;
  scores.columns = 2;
  scores.wide = {1, -1, -1, 1};
  TextLabels labels;
  labels.begins = {0, 1, 2};
  labels.numbers = {0, 1};
  const ScoreScales scales =
      FitScales(LabelLink::kSoftmax, scores, labels, {.wide = 3, .deep = 0});
  // One of four is wrong, as it were: a target of 3/4.
  EXPECT_NEAR(1 / (1 + std::exp(-2 * scales.wide)), 0.75, 1e-3);
}

TEST(CalibrationTest, ThresholdsHaveTheBestF1) {
  TextLabels labels;
  labels.begins = {0, 1, 2, 2, 2};
  labels.numbers = {0, 0};
  // Sorted .9 (has it), .4 (has it), .3, .1; label 1 is nowhere.
  const auto thresholds = FitThresholds(
      {0.9f, 0.2f, 0.4f, 0.2f, 0.3f, 0.2f, 0.1f, 0.2f}, labels, 2);
  EXPECT_NEAR(static_cast<double>(thresholds[0]), 0.35, 1e-6);
  EXPECT_EQ(thresholds[1], 0.5f);
}

TEST(CalibrationTest, ErrorIsTheDifferenceInBins) {
  TextLabels labels;
  labels.begins = {0, 1, 2};
  labels.numbers = {0, 1};
  // Both in the bin of .8: .85 and .83 told, one of two right.
  EXPECT_NEAR(CalibrationError({0.85f, 0.15f, 0.83f, 0.17f}, labels, 2),
              (0.85 + 0.83 - 1) / 2, 1e-6);
}

}  // namespace
}  // namespace firth
