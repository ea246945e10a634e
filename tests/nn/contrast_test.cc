// The contrastive loss of nested prefixes, against plain loops and differences.

#include "nn/contrast.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/team.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/gradient_check.h"
#include "support/targets.h"

namespace firth::nn {
namespace {

using Masks = std::vector<ContrastPair>;

const Masks kMasks = {{0, 3}, {2, 1}};
const Masks kMasksOfNegatives = {{0, 3}, {2, 1}, {2, 6}};

// The loss by its definition.
template <class T>
double PlainLoss(const ContrastOptions& options, const Matrix<T>& x,
                 const Matrix<T>& y, const Masks& masks) {
  double total = 0;
  for (size_t k = 0; k < options.prefixes.size(); ++k) {
    const auto score = [&](size_t i, size_t j) {
      double product = 0, a = 0, b = 0;
      for (size_t d = 0; d < options.prefixes[k]; ++d) {
        product += double{x.Row(i)[d]} * y.Row(j)[d];
        a += double{x.Row(i)[d]} * x.Row(i)[d];
        b += double{y.Row(j)[d]} * y.Row(j)[d];
      }
      return a * b == 0 ? 0
                        : product / (std::sqrt(a * b) * options.temperature);
    };
    const auto counts = [&](size_t i, size_t j) {
      return std::find(masks.begin(), masks.end(), ContrastPair(i, j)) ==
             masks.end();
    };
    double sum = 0;
    for (size_t i = 0; i < x.rows(); ++i) {
      double of_row = 0, of_column = 0;
      for (size_t j = 0; j < y.rows(); ++j) {
        if (counts(i, j)) of_row += std::exp(score(i, j));
      }
      for (size_t j = 0; j < x.rows(); ++j) {
        if (counts(j, i)) of_column += std::exp(score(j, i));
      }
      sum += std::log(of_row) + std::log(of_column) - 2 * score(i, i);
    }
    total += options.weights[k] * sum / (2.0 * static_cast<double>(x.rows()));
  }
  return total;
}

// Two batches of vectors, more of y, and their gradients.
template <class T>
struct Example {
  Example(size_t pairs, size_t negatives, size_t dim)
      : x(RandomMatrix<T>(pairs, dim, 1)),
        y(RandomMatrix<T>(pairs + negatives, dim, 2)),
        d_x(pairs, dim),
        d_y(pairs + negatives, dim) {}

  ContrastLoss Step(const ContrastOptions& options, const Masks& masks) {
    Contrast<T> contrast(options);
    return contrast.Step(x.view(), y.view(), masks, d_x.view(), d_y.view());
  }

  Matrix<T> x, y, d_x, d_y;
};

TEST(ContrastTest, GradientsOfNestedPrefixes) {
  for (const size_t negatives : {0, 3}) {
    const ContrastOptions options{{2, 3, 7}, {0.5, 1, 2}, 0.3};
    Example<double> example(6, negatives, 7);
    const Masks& masks = negatives > 0 ? kMasksOfNegatives : kMasks;
    const ContrastLoss loss = example.Step(options, masks);
    const auto plain = [&] {
      return PlainLoss(options, example.x, example.y, masks);
    };
    EXPECT_NEAR(loss.loss, plain(), 1e-12);
    EXPECT_EQ(loss.zeros, 0u);
    double most = 0;
    for (auto [values, gradient] : {std::pair(&example.x, &example.d_x),
                                    std::pair(&example.y, &example.d_y)}) {
      for (size_t i = 0; i < values->size(); ++i) {
        const double n = NumericDerivative(plain, values->data() + i);
        most = std::max(most, std::abs(n - gradient->data()[i]));
      }
    }
    EXPECT_LT(most, 1e-9);
  }
}

TEST(ContrastTest, ZeroPrefixesHaveNoGradient) {
  const ContrastOptions options{{2, 5}, {1, 1}, 0.1};
  Example<double> example(4, 0, 5);
  std::fill_n(example.x.Row(1), 2, 0);
  std::fill_n(example.y.Row(3), 5, 0);
  const ContrastLoss loss = example.Step(options, {});
  EXPECT_EQ(loss.zeros, 3u);
  EXPECT_NEAR(loss.loss, PlainLoss(options, example.x, example.y, {}), 1e-12);
  for (size_t d = 0; d < 5; ++d) {
    EXPECT_TRUE(std::isfinite(example.d_x.Row(1)[d]));
    EXPECT_EQ(example.d_y.Row(3)[d], 0);
  }
}

TEST(ContrastTest, FloatsAreLikeDoublesInBatchesOfManyBlocks) {
  const ContrastOptions options{{16, 32, 48}, {1, 1, 1}, 0.025};
  Example<float> floats(150, 20, 48);
  Example<double> doubles(150, 20, 48);
  std::copy_n(floats.x.data(), floats.x.size(), doubles.x.data());
  std::copy_n(floats.y.data(), floats.y.size(), doubles.y.data());
  const Masks masks = {{149, 0}, {64, 63}, {64, 160}};
  const ContrastLoss loss = floats.Step(options, masks);
  const ContrastLoss exact = doubles.Step(options, masks);
  EXPECT_NEAR(loss.loss, exact.loss, 1e-4 * exact.loss);
  ASSERT_EQ(loss.of_prefix.size(), 3u);
  double difference = 0, sum = 0;
  for (size_t i = 0; i < floats.d_y.size(); ++i) {
    difference += std::pow(floats.d_y.data()[i] - doubles.d_y.data()[i], 2);
    sum += std::pow(doubles.d_y.data()[i], 2);
  }
  EXPECT_LT(std::sqrt(difference / sum), 1e-4);
}

// Scores of more than 16 MiB are written past the caches, which only whole and
// aligned vectors can be.
TEST(ContrastTest, LargeBatchesMayHaveAnyNumberOfPairs) {
  for (const size_t pairs : {1203u, 1201u, 1216u}) {
    const ContrastOptions options{{3, 5, 8}, {1, 1, 1}, 0.1};
    Example<double> exact(pairs, 1, 8);
    const ContrastLoss expected = exact.Step(options, {});
    ForEachTarget([&] {
      Example<float> example(pairs, 1, 8);
      std::copy_n(exact.x.data(), exact.x.size(), example.x.data());
      std::copy_n(exact.y.data(), exact.y.size(), example.y.data());
      const ContrastLoss loss = example.Step(options, {});
      EXPECT_NEAR(loss.loss, expected.loss, 1e-4);
      for (size_t i = 0; i < example.d_y.size(); ++i) {
        ASSERT_NEAR(example.d_y.data()[i], exact.d_y.data()[i], 1e-6) << i;
      }
    });
  }
}

TEST(ContrastTest, MaskedPairsMayOutweighAllOthers) {
  // Each x is the opposite of its y and equal to the other, which is masked.
  for (const std::vector<size_t>& prefixes :
       {std::vector<size_t>{2}, std::vector<size_t>{1, 2}}) {
    const std::vector<double> weights(prefixes.size(), 1);
    Example<float> example(2, 0, 2);
    const float values[] = {1, 1, -1, -1};
    std::copy_n(values, 4, example.x.data());
    std::reverse_copy(values, values + 4, example.y.data());
    const ContrastLoss loss =
        example.Step({prefixes, weights, 0.025}, {{0, 1}, {1, 0}});
    EXPECT_NEAR(loss.loss, 0, 1e-4);
    for (size_t i = 0; i < example.d_x.size(); ++i) {
      EXPECT_NEAR(example.d_x.data()[i], 0, 1e-4);
      EXPECT_NEAR(example.d_y.data()[i], 0, 1e-4);
    }
  }
}

TEST(ContrastTest, IsTheSameForAnyTeam) {
  const ContrastOptions options{{8, 40}, {1, 1}, 0.05};
  const auto run = [&](int threads) {
    Example<float> example(200, 7, 40);
    RunTeam(threads, [&] { example.Step(options, kMasks); });
    std::vector<float> all(example.d_x.data(),
                           example.d_x.data() + example.d_x.size());
    all.insert(all.end(), example.d_y.data(),
               example.d_y.data() + example.d_y.size());
    return all;
  };
  const std::vector<float> alone = run(1);
  EXPECT_EQ(run(2), alone);
  EXPECT_EQ(run(5), alone);
}

}  // namespace
}  // namespace firth::nn
