#include "simd/softmax_kernel.h"

#include <cmath>
#include <limits>
#include <vector>

#include "base/rng.h"
#include "gtest/gtest.h"
#include "support/targets.h"

namespace firth {
namespace {

using Rows = std::vector<std::vector<double>>;

void FillRandom(PaddedMatrix& matrix, size_t rows) {
  Rng rng(matrix.rows() * 1000 + matrix.cols());
  for (size_t row = 0; row < rows; ++row) {
    for (size_t i = 0; i < matrix.cols(); ++i) {
      matrix.Row(row)[i] = 2 * rng.NextFloat() - 1;
    }
  }
}

Rows Copy(const PaddedMatrix& matrix) {
  Rows rows;
  for (size_t row = 0; row < matrix.rows(); ++row) {
    rows.emplace_back(matrix.Row(row), matrix.Row(row) + matrix.cols());
  }
  return rows;
}

// `examples` of a batch that holds `most`, with 0 to 3 targets each, some
// twice.
struct Problem {
  Problem(size_t most, size_t examples, size_t words, size_t dim)
      : output(PaddedMatrix(words, dim)), batch(most, words, dim) {
    FillRandom(output.Quiet(), words);
    FillRandom(batch.hidden, examples);
    for (size_t b = 0; b < examples; ++b) {
      for (size_t i = 0; i < b % 4; ++i) {
        batch.PushTarget(static_cast<uint32_t>((b * 7 + i / 2) % words));
      }
      batch.EndExample();
    }
  }

  SharedMatrix output;
  SoftmaxBatch batch;
};

// The step by plain loops in double.
struct Reference {
  Reference(const Problem& problem, double learning_rate)
      : output(Copy(problem.output.Quiet())) {
    const Rows u = output;
    const Rows h = Copy(problem.batch.hidden);
    for (size_t b = 0; b < problem.batch.size(); ++b) {
      std::vector<double> scores(u.size());
      double sum = 0;
      for (size_t w = 0; w < u.size(); ++w) {
        for (size_t k = 0; k < h[b].size(); ++k) scores[w] += u[w][k] * h[b][k];
        sum += std::exp(scores[w]);
      }
      const auto targets = problem.batch.TargetsOf(b);
      std::vector<double> steps(u.size());
      for (size_t w = 0; w < u.size(); ++w) {
        steps[w] = -learning_rate * static_cast<double>(targets.size()) *
                   std::exp(scores[w]) / sum;
      }
      for (const uint32_t target : targets) {
        steps[target] += learning_rate;
        loss += std::log(sum) - scores[target];
      }
      hidden_steps.emplace_back(h[b].size());
      for (size_t w = 0; w < u.size(); ++w) {
        for (size_t k = 0; k < h[b].size(); ++k) {
          hidden_steps[b][k] += steps[w] * u[w][k];
          output[w][k] += steps[w] * h[b][k];
        }
      }
    }
  }

  Rows output;
  Rows hidden_steps;
  double loss = 0;
};

uint64_t BytesOf(const PaddedMatrix& matrix) {
  return matrix.rows() * matrix.stride() * sizeof(float);
}

void ExpectRow(const float* row, const std::vector<double>& expected) {
  for (size_t k = 0; k < expected.size(); ++k) {
    ASSERT_NEAR(row[k], expected[k], 1e-5) << "column " << k;
  }
}

void ExpectPlainStep(size_t most, size_t examples, size_t words, size_t dim) {
  SCOPED_TRACE(testing::Message() << examples << " examples of " << most << ", "
                                  << words << " words, dim " << dim);
  constexpr float kLearningRate = 0.1f;
  Problem problem(most, examples, words, dim);
  const Reference expected(problem, kLearningRate);
  const double loss = StepSoftmax(kLearningRate, problem.batch, problem.output);
  EXPECT_NEAR(loss, expected.loss, 1e-5 * (1 + expected.loss));
  for (size_t b = 0; b < examples; ++b) {
    ExpectRow(problem.batch.hidden_steps.Row(b), expected.hidden_steps[b]);
  }
  for (size_t w = 0; w < words; ++w) {
    ExpectRow(problem.output.Quiet().Row(w), expected.output[w]);
  }
}

TEST(SoftmaxKernelTest, AgreesWithPlainLoops) {
  ForEachTarget([] {
    for (size_t examples = 1; examples <= 20; ++examples) {
      ExpectPlainStep(examples, examples, 15, 10);
    }
    for (size_t words = 1; words <= 14; ++words) {
      ExpectPlainStep(5, 5, words, 10);
    }
    for (size_t dim = 1; dim <= 40; ++dim) ExpectPlainStep(7, 7, 15, dim);
  });
}

TEST(SoftmaxKernelTest, AgreesWithPlainLoopsAcrossChunks) {
  ForEachTarget([] {
    for (const size_t words :
         {kSoftmaxChunk, kSoftmaxChunk + 1, 2 * kSoftmaxChunk + 7}) {
      ExpectPlainStep(64, 64, words, 20);
    }
  });
}

TEST(SoftmaxKernelTest, ABatchMayBePartlyFilledAndUsedAgain) {
  ForEachTarget([] {
    ExpectPlainStep(64, 13, 300, 20);
    Problem problem(8, 8, 300, 20);
    StepSoftmax(0.1f, problem.batch, problem.output);
    problem.batch.Clear();
    EXPECT_TRUE(problem.batch.empty());
    FillRandom(problem.batch.hidden, 8);
    for (int i = 0; i < 3; ++i) {
      problem.batch.PushTarget(4);
      problem.batch.EndExample();
    }
    const Reference expected(problem, 0.1);
    EXPECT_NEAR(StepSoftmax(0.1f, problem.batch, problem.output), expected.loss,
                1e-4);
    for (size_t w = 0; w < 300; ++w) {
      ExpectRow(problem.output.Quiet().Row(w), expected.output[w]);
    }
  });
}

// What training's estimate of memory counts on.
TEST(SoftmaxKernelTest, BytesAreThoseOfTheMatrices) {
  for (const size_t words : {size_t{1}, kSoftmaxChunk, 3 * kSoftmaxChunk + 1}) {
    const SoftmaxBatch batch(33, words, 20);
    EXPECT_EQ(SoftmaxBatch::Bytes(33, words, 20),
              BytesOf(batch.hidden) + BytesOf(batch.hidden_steps) +
                  BytesOf(batch.hidden_columns) + BytesOf(batch.scaled_hidden) +
                  BytesOf(batch.scores) + BytesOf(batch.greatest) +
                  BytesOf(batch.sums));
  }
}

TEST(SoftmaxKernelTest, AnEmptyBatchDoesNothing) {
  Problem problem(4, 0, 10, 3);
  EXPECT_EQ(StepSoftmax(0.1f, problem.batch, problem.output), 0);
}

// Scores beyond the range of exp, in different chunks.
TEST(SoftmaxKernelTest, HugeScoresDoNotOverflow) {
  ForEachTarget([] {
    Problem problem(2, 2, 2 * kSoftmaxChunk, 1);
    for (size_t w = 0; w < problem.output.rows(); ++w) {
      problem.output.Quiet().Row(w)[0] = -500;
    }
    problem.output.Quiet().Row(3)[0] = 1000;
    problem.output.Quiet().Row(kSoftmaxChunk + 3)[0] = 1000;
    problem.batch.hidden.Row(1)[0] = 1;
    problem.batch.PushTarget(3);
    problem.batch.EndExample();
    problem.batch.Clear();
    problem.batch.hidden.Row(0)[0] = 1;
    problem.batch.PushTarget(3);
    problem.batch.EndExample();
    EXPECT_NEAR(StepSoftmax(0.1f, problem.batch, problem.output), std::log(2),
                1e-3);
    EXPECT_NEAR(problem.output.Quiet().Row(3)[0], 1000.05, 1e-3);
    EXPECT_NEAR(problem.output.Quiet().Row(kSoftmaxChunk + 3)[0], 999.95, 1e-3);
    EXPECT_EQ(problem.output.Quiet().Row(4)[0], -500);
  });
}

TEST(SoftmaxKernelTest, WhatIsNotFiniteIsNotHidden) {
  ForEachTarget([] {
    for (const float bad : {std::numeric_limits<float>::quiet_NaN(),
                            std::numeric_limits<float>::infinity()}) {
      for (size_t word = 0; word < 2 * kSoftmaxChunk; word += 37) {
        Problem problem(3, 3, 2 * kSoftmaxChunk, 5);
        problem.output.Quiet().Row(word)[2] = bad;
        EXPECT_FALSE(
            std::isfinite(StepSoftmax(0.1f, problem.batch, problem.output)))
            << bad << " in row " << word;
      }
    }
  });
}

}  // namespace
}  // namespace firth
