#include "nn/attention.h"

#include <algorithm>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "support/golden_data.h"
#include "support/gradient_check.h"

namespace firth::nn {
namespace {

struct PatternCase {
  AttentionPattern pattern;
  size_t held;
  size_t length;
  size_t expected;
};

// What a chunk leaves to the next one: never a whole context.
TEST(AttentionPatternTest, HoldsWhatIsStillSeen) {
  const AttentionPattern slides{.causal = true, .sliding = true, .context = 5};
  const AttentionPattern blocks{.causal = true, .context = 5};
  for (const PatternCase& test :
       {PatternCase{slides, 0, 3, 3}, PatternCase{slides, 3, 9, 4},
        PatternCase{blocks, 0, 3, 3}, PatternCase{blocks, 3, 2, 0},
        PatternCase{blocks, 3, 4, 2}, PatternCase{blocks, 1, 5, 1}}) {
    EXPECT_EQ(StepsToHold(test.pattern, test.held, test.length), test.expected);
  }
}

// By a plain loop over pairs of steps, for tiles that are full, and not.
TEST(AttentionTest, WeightsAreASoftmaxOverWhatIsSeen) {
  constexpr size_t kDim = 6, kHeads = 2, kBatch = 2;
  constexpr size_t kLengths[kBatch] = {150, 64};
  const ChunkShape shape{150, kBatch, kLengths};
  const Matrix<double> x = RandomMatrix<double>(shape.rows(), kDim, 4);
  for (const AttentionPattern& pattern :
       {AttentionPattern{}, AttentionPattern{.causal = true},
        AttentionPattern{.causal = true, .reversed = true},
        AttentionPattern{.sliding = true, .context = 20},
        AttentionPattern{.causal = true, .sliding = true, .context = 70},
        AttentionPattern{.context = 40},
        AttentionPattern{.causal = true, .reversed = true, .context = 100}}) {
    Attention<double> attention(kDim, kHeads, "a", 1);
    ParameterList<double> parameters;
    attention.AppendParameters(&parameters);
    Randomize(parameters, 3);
    attention.Forward(x.view(), shape, pattern, nullptr, nullptr, true);
    Matrix<double> projected(x.rows(), 3 * kDim);
    Multiply(x.view(), parameters[0]->value.view(), Into::kOverwrite,
             projected.view());
    AddToRows(parameters[1]->value.data(), projected.view());
    for (size_t b = 0; b < kBatch; ++b) {
      const size_t length = kLengths[b];
      Matrix<double> weights(length, length);
      attention.CopyWeights(b, 1, weights.view());
      for (size_t q = 0; q < length; ++q) {
        const auto step = [&](size_t row) {
          return pattern.reversed ? length - 1 - row : row;
        };
        const auto sees = [&](size_t m) {
          const size_t from = step(q), to = step(m);
          const size_t n = pattern.context;
          const size_t way = from > to ? from - to : to - from;
          return (!pattern.causal || to <= from) &&
                 (n == 0 || (pattern.sliding ? way < n : from / n == to / n));
        };
        std::vector<double> expected(length);
        double sum = 0;
        for (size_t m = 0; m < length; ++m) {
          if (!sees(m)) continue;
          const double* const query = projected.Row(q * kBatch + b) + 3;
          const double* const key = projected.Row(m * kBatch + b) + kDim + 3;
          expected[m] = std::exp(DotProduct(3, query, key) / std::sqrt(3.0));
          sum += expected[m];
        }
        for (size_t m = 0; m < length; ++m) {
          ASSERT_NEAR(weights.Row(q)[m], expected[m] / sum, 1e-12)
              << b << " " << q << " " << m;
        }
      }
    }
  }
}

// Half of the weights are dropped, and the others doubled. Different keys drop
// others, and reading drops none.
TEST(AttentionTest, DropoutChangesWeightsInTrainingOnly) {
  constexpr size_t kSteps = 40;
  const ChunkShape shape{kSteps, 1, {}};
  const Matrix<double> x = RandomMatrix<double>(kSteps, 4, 4);
  Attention<double> attention(4, 2, "a", 1);
  const auto run = [&](DropoutKey key, bool training) {
    attention.DropWeights(0.5, key);
    Matrix<double> copy(kSteps, 4);
    Copy(attention.Forward(x.view(), shape, {}, nullptr, nullptr, training),
         copy.view());
    return copy;
  };
  const auto same = [](const Matrix<double>& a, const Matrix<double>& b) {
    return std::equal(a.data(), a.data() + a.size(), b.data());
  };
  const Matrix<double> plain = run({}, true);
  EXPECT_TRUE(same(run(DropoutKey(1), false), plain));
  EXPECT_FALSE(same(run(DropoutKey(1), true), plain));
  EXPECT_TRUE(same(run(DropoutKey(1), true), run(DropoutKey(1), true)));
  EXPECT_FALSE(same(run(DropoutKey(1), true), run(DropoutKey(2), true)));
  // The mean over many keys is what is computed without dropout.
  Matrix<double> mean(kSteps, 4);
  constexpr int kKeys = 2000;
  for (uint64_t key = 0; key < kKeys; ++key) {
    AddScaled(mean.size(), 1.0 / kKeys, run(DropoutKey(key), true).data(),
              mean.data());
  }
  for (size_t i = 0; i < mean.size(); ++i) {
    EXPECT_NEAR(mean.data()[i], plain.data()[i], 0.05);
  }
}

constexpr size_t kBatch = 3, kMemory = 7, kHeads = 4, kDim = 16;

template <class T>
void SetGolden(const GoldenFile& golden, const ParameterList<T>& parameters) {
  parameters[0]->value = golden.ReadTransposed<T>("param.in_proj_weight");
  parameters[1]->value = golden.Read<T>("param.in_proj_bias");
  parameters[2]->value = golden.ReadTransposed<T>("param.out_proj.weight");
  parameters[3]->value = golden.Read<T>("param.out_proj.bias");
}

template <class T>
void ExpectGoldenGradients(const GoldenFile& golden, const std::string& name,
                           const ParameterList<T>& parameters) {
  const std::string grad = name + ".grad.";
  const Matrix<T> expected[] = {
      golden.ReadTransposed<T>(grad + "in_proj_weight"),
      golden.Read<T>(grad + "in_proj_bias"),
      golden.ReadTransposed<T>(grad + "out_proj.weight"),
      golden.Read<T>(grad + "out_proj.bias")};
  for (size_t p = 0; p < 4; ++p) {
    ExpectRelativelyClose<T>(parameters[p]->gradient.view(), expected[p].view(),
                             1e-5, name + " " + parameters[p]->name);
  }
}

template <class T>
void ExpectGoldenCase(const std::string& name, bool crosses, bool cut,
                      bool causal) {
  const GoldenFile golden("multi_head_attention");
  if (!golden.here()) GTEST_SKIP() << "FIRTH_DATA is not set";
  Attention<T> attention(kDim, kHeads, "a", 1);
  ParameterList<T> parameters;
  attention.AppendParameters(&parameters);
  SetGolden(golden, parameters);
  const std::vector<size_t> lengths = golden.ReadSizes("lengths");
  const Matrix<T> memory = golden.ReadTimeMajor<T>("memory", kBatch);
  const Matrix<T> query =
      golden.ReadTimeMajor<T>(crosses ? "query" : "memory", kBatch);
  const Matrix<T> w = golden.ReadTimeMajor<T>(name + ".w", kBatch);
  const ChunkShape shape{query.rows() / kBatch, kBatch, {}};
  const ChunkShape memory_shape{kMemory, kBatch,
                                cut ? lengths : absl::Span<const size_t>()};
  const AttentionPattern pattern{.causal = causal};
  Matrix<T> d_query(query.rows(), kDim);
  Matrix<T> d_memory(memory.rows(), kDim);
  // With lengths, golden queries behind the end of their sequence ask, too.
  const bool self = !crosses && !cut;
  const ConstView<T> output =
      self ? attention.Forward(query.view(), shape, pattern, nullptr, nullptr,
                               true)
           : attention.Forward(query.view(), shape, memory.view(), memory_shape,
                               pattern, true);
  const Matrix<T> expected = golden.ReadTimeMajor<T>(name + ".output", kBatch);
  if (sizeof(T) == sizeof(double)) {
    ExpectClose<T>(output, expected.view(), 1e-6, name);
  } else {
    // They are as large as 7.
    ExpectRelativelyClose<T>(output, expected.view(), 1e-6, name);
  }
  const Matrix<T> weights = golden.Read<T>(name + ".weights");
  for (size_t b = 0; b < kBatch; ++b) {
    for (size_t head = 0; head < kHeads; ++head) {
      Matrix<T> found(shape.steps, memory_shape.length(b));
      attention.CopyWeights(b, head, found.view());
      ExpectClose<T>(found.view(),
                     weights.view()
                         .Rows((b * kHeads + head) * shape.steps, shape.steps)
                         .Cols(0, found.cols()),
                     1e-6, name + " weights");
    }
  }
  if (self) {
    attention.Backward(query.view(), w.view(), d_memory.view());
  } else {
    attention.Backward(query.view(), memory.view(), w.view(), d_query.view(),
                       d_memory.view());
  }
  if (crosses) {
    ExpectRelativelyClose<T>(
        d_query.view(),
        golden.ReadTimeMajor<T>(name + ".grad.query", kBatch).view(), 1e-5,
        name + " query");
  } else {
    Add<T>(d_query.view(), d_memory.view());
  }
  ExpectRelativelyClose<T>(
      d_memory.view(),
      golden.ReadTimeMajor<T>(name + ".grad.memory", kBatch).view(), 1e-5,
      name + " memory");
  ExpectGoldenGradients(golden, name, parameters);
}

template <class T>
void ExpectGolden() {
  ExpectGoldenCase<T>("cross", true, false, false);
  ExpectGoldenCase<T>("cross_lengths", true, true, false);
  ExpectGoldenCase<T>("self_full", false, false, false);
  ExpectGoldenCase<T>("self_causal", false, false, true);
  ExpectGoldenCase<T>("self_causal_lengths", false, true, true);
}

TEST(AttentionTest, AgreesWithGoldenData) {
  ExpectGolden<double>();
  ExpectGolden<float>();
}

TEST(AttentionTest, AMemoryWithoutRowsGivesTheBias) {
  Attention<float> attention(4, 2, "a", 1);
  ParameterList<float> parameters;
  attention.AppendParameters(&parameters);
  Randomize(parameters, 3);
  constexpr size_t kNone[] = {0};
  const Matrix<float> x = RandomMatrix<float>(3, 4, 2);
  const ConstView<float> output = attention.Forward(
      x.view(), {3, 1, {}}, x.view(), {3, 1, kNone}, {}, true);
  for (size_t r = 0; r < 3; ++r) {
    for (size_t c = 0; c < 4; ++c) {
      EXPECT_EQ(output.Row(r)[c], parameters[3]->value.data()[c]);
    }
  }
}

}  // namespace
}  // namespace firth::nn
