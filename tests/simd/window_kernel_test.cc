#include "support/window_kernel.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "gtest/gtest.h"
#include "support/targets.h"

namespace firth {
namespace {

// A block of m x n rows with values in (-1/2, 1/2), labels 1 0 0 1 0 0 ... and
// offsets.
struct Block {
  Block(size_t m, size_t n, size_t dim)
      : Block(PaddedMatrix(m, dim), PaddedMatrix(n, dim)) {}
  Block(size_t m, size_t n, size_t dim, WithoutPadding unpadded)
      : Block(PaddedMatrix(m, dim, unpadded), PaddedMatrix(n, dim, unpadded)) {}
  Block(PaddedMatrix x, PaddedMatrix y)
      : m(x.rows()),
        inputs(std::move(x)),
        outputs(std::move(y)),
        block(outputs.rows()),
        steps(outputs.rows()) {
    const size_t n = outputs.rows();
    const size_t dim = inputs.cols();
    Rng rng(m * 1000000 + n * 1000 + dim);
    for (PaddedMatrix* matrix : {&inputs.Quiet(), &outputs.Quiet()}) {
      for (size_t row = 0; row < matrix->rows(); ++row) {
        for (size_t i = 0; i < dim; ++i) {
          matrix->Row(row)[i] = rng.NextFloat() - 0.5f;
        }
      }
    }
    for (size_t j = 0; j < n; ++j) {
      block.Push(outputs.Row(j), static_cast<uint32_t>(j), j % 3 == 0 ? 1 : 0,
                 0.25f * static_cast<float>(j % 5));
    }
  }

  std::vector<SharedRow> InputRows() {
    std::vector<SharedRow> rows;
    for (size_t i = 0; i < m; ++i) rows.push_back(inputs.Row(i));
    return rows;
  }

  size_t m;
  SharedMatrix inputs;
  SharedMatrix outputs;
  OutputBlock block;
  StepBlock steps;
};

// The same step by plain loops in double. Rows that stand twice move twice.
struct Reference {
  std::vector<std::vector<double>> inputs;
  std::vector<std::vector<double>> outputs;
  double loss = 0;
};

std::vector<std::vector<double>> Rows(const PaddedMatrix& matrix) {
  std::vector<std::vector<double>> rows;
  for (size_t row = 0; row < matrix.rows(); ++row) {
    rows.emplace_back(matrix.Row(row), matrix.Row(row) + matrix.cols());
  }
  return rows;
}

// If `have_own`, the first outputs belong to the inputs of their number only.
Reference PlainStep(const Block& block, double learning_rate,
                    bool have_own = false) {
  Reference result{Rows(block.inputs.Quiet()), Rows(block.outputs.Quiet())};
  const auto x = result.inputs;
  const auto y = result.outputs;
  for (size_t i = 0; i < x.size(); ++i) {
    for (size_t j = 0; j < y.size(); ++j) {
      if (have_own && j < x.size() && j != i) continue;
      double score = -block.block.offsets()[j];
      for (size_t k = 0; k < x[i].size(); ++k) score += x[i][k] * y[j][k];
      const double label = block.block.labels()[j];
      const double sigmoid = 1 / (1 + std::exp(-score));
      result.loss -= std::log(label == 1 ? sigmoid : 1 - sigmoid);
      const double step = learning_rate * (label - sigmoid);
      for (size_t k = 0; k < x[i].size(); ++k) {
        result.inputs[i][k] += step * y[j][k];
        result.outputs[j][k] += step * x[i][k];
      }
    }
  }
  return result;
}

void ExpectRows(const std::vector<std::vector<double>>& expected,
                const PaddedMatrix& found) {
  for (size_t row = 0; row < found.rows(); ++row) {
    for (size_t i = 0; i < found.cols(); ++i) {
      ASSERT_NEAR(found.Row(row)[i], expected[row][i], 1e-5)
          << "row " << row << ", column " << i;
    }
    for (size_t i = found.cols(); i < found.stride(); ++i) {
      ASSERT_EQ(found.Row(row)[i], 0) << "padding of row " << row;
    }
  }
}

void CheckShape(size_t m, size_t n, size_t dim) {
  SCOPED_TRACE("m " + std::to_string(m) + ", n " + std::to_string(n) +
               ", dim " + std::to_string(dim));
  Block block(m, n, dim);
  const Reference expected = PlainStep(block, 0.5);
  const float loss = StepSharedWindow(block.InputRows(), block.block, 0.5f,
                                      PaddedStride<float>(dim), block.steps);
  EXPECT_NEAR(loss, expected.loss, 1e-4 * expected.loss);
  ExpectRows(expected.inputs, block.inputs.Quiet());
  ExpectRows(expected.outputs, block.outputs.Quiet());
}

// Neither the next row nor what is behind the last one moves.
TEST(WindowKernelTest, AgreesWithPlainLoopsOnRowsWithoutPadding) {
  ForEachTarget([] {
    for (size_t dim = 1; dim <= 67; ++dim) {
      for (const size_t n : {1u, 6u, 7u, 20u}) {
        SCOPED_TRACE("n " + std::to_string(n) + ", dim " + std::to_string(dim));
        Block block(3, n, dim, WithoutPadding());
        const Reference expected = PlainStep(block, 0.5);
        const float loss = StepUnpaddedWindow(block.InputRows(), block.block,
                                              0.5f, dim, block.steps);
        EXPECT_NEAR(loss, expected.loss, 1e-4 * expected.loss);
        ExpectRows(expected.inputs, block.inputs.Quiet());
        ExpectRows(expected.outputs, block.outputs.Quiet());
        const float* const end = block.outputs.data() + n * dim;
        EXPECT_TRUE(std::all_of(end, end + kRowFloats,
                                [](float value) { return value == 0; }));
      }
    }
  });
}

TEST(WindowKernelTest, AgreesWithPlainLoopsForEveryDim) {
  ForEachTarget([] {
    for (size_t dim = 1; dim <= 67; ++dim) CheckShape(3, 6, dim);
  });
}

TEST(WindowKernelTest, AgreesWithPlainLoopsForEveryBlockShape) {
  ForEachTarget([] {
    for (size_t m = 1; m <= kMaxInputRows; ++m) {
      for (size_t n = 1; n <= 20; ++n) CheckShape(m, n, 20);
    }
  });
}

TEST(WindowKernelTest, AgreesWithPlainLoopsForManyOutputRows) {
  ForEachTarget([] { CheckShape(16, 300, 40); });
}

TEST(WindowKernelTest, HiddenVectorGetsItsStepAndStaysAsItIs) {
  ForEachTarget([] {
    for (const size_t dim : {1u, 16u, 50u}) {
      Block block(1, 6, dim);
      const Reference expected = PlainStep(block, 0.5);
      const auto before = Rows(block.inputs.Quiet());
      PaddedMatrix step(1, dim);
      const float loss =
          StepHidden(block.inputs.Quiet().Row(0), block.block, 0.5f,
                     PaddedStride<float>(dim), block.steps, step.Row(0));
      EXPECT_NEAR(loss, expected.loss, 1e-5);
      ExpectRows(before, block.inputs.Quiet());
      ExpectRows(expected.outputs, block.outputs.Quiet());
      for (size_t i = 0; i < dim; ++i) {
        EXPECT_NEAR(step.Row(0)[i], expected.inputs[0][i] - before[0][i], 1e-5);
      }
    }
  });
}

TEST(WindowKernelTest, HiddenVectorsOfAGroupHaveOutputsOfTheirOwn) {
  ForEachTarget([] {
    for (const size_t dim : {1u, 16u, 50u}) {
      for (size_t m = 1; m <= kMostSharing; ++m) {
        for (size_t n = m; n <= m + 20; ++n) {
          SCOPED_TRACE("m " + std::to_string(m) + ", n " + std::to_string(n));
          Block block(m, n, dim);
          for (size_t j = 0; j < n; ++j) {
            block.block.parameters.Row(0)[j] = j < m ? 1 : 0;
          }
          const Reference expected = PlainStep(block, 0.5, /*have_own=*/true);
          const auto before = Rows(block.inputs.Quiet());
          PaddedMatrix moved(m, dim);
          const float loss = StepHiddenGroup(block.inputs.Quiet(), block.block,
                                             0.5f, block.steps, &moved);
          EXPECT_NEAR(loss, expected.loss, 1e-4 * expected.loss);
          ExpectRows(before, block.inputs.Quiet());
          ExpectRows(expected.outputs, block.outputs.Quiet());
          for (size_t i = 0; i < m; ++i) {
            for (size_t k = 0; k < dim; ++k) {
              ASSERT_NEAR(moved.Row(i)[k], expected.inputs[i][k] - before[i][k],
                          1e-5);
            }
          }
        }
      }
    }
  });
}

TEST(WindowKernelTest, ARowThatStandsTwiceGetsBothSteps) {
  ForEachTarget([] {
    Block once(1, 1, 33);
    Block twice(1, 1, 33);
    OutputBlock doubled(2);
    for (int i = 0; i < 2; ++i) doubled.Push(twice.outputs.Row(0), 0, 1, 0);
    StepBlock steps(2);
    StepSharedWindow(once.InputRows(), once.block, 0.5f, 48, once.steps);
    StepSharedWindow(twice.InputRows(), doubled, 0.5f, 48, steps);
    const Block start(1, 1, 33);
    for (size_t i = 0; i < 33; ++i) {
      const float before = start.outputs.Quiet().Row(0)[i];
      EXPECT_NEAR(twice.outputs.Quiet().Row(0)[i] - before,
                  2 * (once.outputs.Quiet().Row(0)[i] - before), 1e-6);
    }
  });
}

// The second time from where the first has left it: equal steps but for terms
// of the second order in the learning rate.
TEST(WindowKernelTest, AnInputRowThatStandsTwiceGetsBothSteps) {
  constexpr float kLearningRate = 1e-3f;
  ForEachTarget([] {
    for (const size_t n : {4u, 9u}) {
      Block once(1, n, 33);
      Block twice(1, n, 33);
      const std::vector<SharedRow> doubled(2, twice.inputs.Row(0));
      StepSharedWindow(once.InputRows(), once.block, kLearningRate, 48,
                       once.steps);
      StepSharedWindow(doubled, twice.block, kLearningRate, 48, twice.steps);
      const Block start(1, n, 33);
      for (size_t i = 0; i < 33; ++i) {
        const float input = start.inputs.Quiet().Row(0)[i];
        EXPECT_NEAR(twice.inputs.Quiet().Row(0)[i] - input,
                    2 * (once.inputs.Quiet().Row(0)[i] - input), 1e-5);
        const float output = start.outputs.Quiet().Row(0)[i];
        EXPECT_NEAR(twice.outputs.Quiet().Row(0)[i] - output,
                    2 * (once.outputs.Quiet().Row(0)[i] - output), 1e-5);
      }
    }
  });
}

TEST(WindowKernelTest, LossShowsValuesThatAreNotFinite) {
  ForEachTarget([] {
    for (const float bad : {NAN, INFINITY, -INFINITY}) {
      Block block(3, 6, 20);
      block.inputs.Quiet().Row(1)[7] = bad;
      EXPECT_FALSE(std::isfinite(StepSharedWindow(
          block.InputRows(), block.block, 0.5f, 32, block.steps)));
    }
  });
}

TEST(WindowKernelTest, SaturatedScoresStayFinite) {
  ForEachTarget([] {
    for (const float size : {100.0f, 1e4f, 1e18f}) {
      Block block(2, 6, 16);
      for (size_t i = 0; i < 16; ++i) block.inputs.Quiet().Row(0)[i] = size;
      const float loss = StepSharedWindow(block.InputRows(), block.block, 1e-9f,
                                          16, block.steps);
      EXPECT_TRUE(std::isfinite(loss)) << size;
    }
  });
}

}  // namespace
}  // namespace firth
