// All heads through their one interface.

#include "nn/head.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "nn/log_uniform.h"
#include "support/golden_data.h"
#include "support/gradient_check.h"
#include "support/targets.h"

namespace firth::nn {
namespace {

constexpr size_t kVocab = 12;
constexpr size_t kDim = 4;
constexpr size_t kSamples = 5;
constexpr uint64_t kKey = 3;
const std::vector<uint32_t> kTargets = {0, 7, 3, 0, 11, 2};

template <class T>
std::unique_ptr<OutputRows<T>> TableRows() {
  return MakeTableRows<T>(kVocab, kDim, GradientKind::kSparse, 0, "out", 5);
}

template <class T>
std::unique_ptr<OutputRows<T>> CnnRows() {
  CharCnnOptions options;
  options.num_characters = 6;
  options.max_characters = 4;
  options.embedding_dim = 3;
  options.filters = {{1, 3}, {2, 4}};
  options.activation = Activation::kTanh;
  std::vector<uint16_t> characters;
  for (uint16_t w = 0; w < kVocab; ++w) {
    // Words 0 and 6 look alike.
    for (uint16_t c = 0; c < 4; ++c) {
      characters.push_back(c == 3 ? 0
                                  : static_cast<uint16_t>(w % 6 * (c + 1) % 6));
    }
  }
  return MakeCnnRows<T>(options, characters, kDim, 2, GradientKind::kSparse,
                        "out", 5);
}

const Matrix<double>& FixedVectors() {
  static const auto& vectors =
      *new Matrix<double>(RandomMatrix<double>(kVocab, 6, 31));
  return vectors;
}

template <class T>
std::unique_ptr<Head<T>> ContinuousHead() {
  // The head borrows them.
  static const auto& vectors = *[] {
    auto* copy = new Matrix<T>(kVocab, 6);
    std::copy_n(FixedVectors().data(), copy->size(), copy->data());
    return copy;
  }();
  return MakeContinuousHead<T>(kDim, vectors.view(), "out", 5);
}

template <class T>
struct HeadCase {
  const char* name;
  std::unique_ptr<Head<T>> head;
};

template <class T>
std::vector<HeadCase<T>> AllHeads() {
  std::vector<HeadCase<T>> heads;
  heads.push_back({"full softmax", MakeFullSoftmaxHead(TableRows<T>())});
  heads.push_back(
      {"smoothed softmax", MakeFullSoftmaxHead(TableRows<T>(), 0.2)});
  heads.push_back(
      {"sampled softmax", MakeSampledSoftmaxHead(TableRows<T>(), kSamples)});
  heads.push_back({"NCE", MakeNceHead(TableRows<T>(), kSamples)});
  heads.push_back({"CNN, full softmax", MakeFullSoftmaxHead(CnnRows<T>())});
  heads.push_back(
      {"CNN, sampled softmax", MakeSampledSoftmaxHead(CnnRows<T>(), kSamples)});
  heads.push_back({"continuous", ContinuousHead<T>()});
  return heads;
}

double Step(Head<double>& head, ConstView<double> hidden, double scale,
            HeadWork<double>* work) {
  head.Prepare(kTargets, kKey);
  return head.Step(hidden, kTargets, scale, work);
}

TEST(HeadTest, TiedRowsTeachTheTableThatTheyAre) {
  Parameter<double> table("table", kVocab, kDim, GradientKind::kSparse);
  std::unique_ptr<Head<double>> heads[] = {
      MakeFullSoftmaxHead(MakeTiedRows(&table, GradientKind::kDense, 0, "out")),
      MakeSampledSoftmaxHead(
          MakeTiedRows(&table, GradientKind::kSparse, 0, "out"), kSamples)};
  for (const std::unique_ptr<Head<double>>& head : heads) {
    ParameterList<double> own;
    head->AppendParameters(&own);
    ASSERT_EQ(own.size(), 1u);  // the biases
    EXPECT_EQ(head->vocab_size(), kVocab);
    Parameter<double> hidden("hidden", kTargets.size(), kDim);
    ParameterList<double> parameters = {&hidden, &table, own[0]};
    Randomize(parameters, 60);
    table.gradient.Clear();
    HeadWork<double> work;
    Step(*head, hidden.value.view(), 1, &work);
    Copy<double>(work.d_hidden.view(), hidden.gradient.view());
    head->GatherGradients(absl::MakeSpan(&work, 1));
    ExpectGradients(parameters, [&] {
      HeadWork<double> other;
      return Step(*head, hidden.value.view(), 1, &other);
    });
  }
}

TEST(HeadTest, GradientsAreThoseOfDifferences) {
  constexpr double kScale = 0.7;
  for (const auto& named : AllHeads<double>()) {
    SCOPED_TRACE(named.name);
    Head<double>* const head = named.head.get();
    Parameter<double> hidden("hidden", kTargets.size(), kDim);
    ParameterList<double> parameters = {&hidden};
    head->AppendParameters(&parameters);
    Randomize(parameters, 60);
    HeadWork<double> work;
    Step(*head, hidden.value.view(), kScale, &work);
    Copy<double>(work.d_hidden.view(), hidden.gradient.view());
    head->GatherGradients(absl::MakeSpan(&work, 1));
    ExpectGradients(parameters, [&] {
      HeadWork<double> other;
      return kScale * Step(*head, hidden.value.view(), kScale, &other);
    });
  }
}

// As a step on those rows alone, with no gradient in the others.
TEST(HeadTest, NotEveryRowIsATarget) {
  const std::vector<uint32_t> rows = {1, 2, 6};
  const std::vector<uint32_t> words = {7, 3, 0};
  const Matrix<double> hidden = RandomMatrix<double>(8, kDim, 9);
  Matrix<double> alone(rows.size(), kDim);
  for (size_t i = 0; i < rows.size(); ++i) {
    Copy<double>(hidden.view().Rows(rows[i], 1), alone.view().Rows(i, 1));
  }
  for (const auto& [name, head] : AllHeads<double>()) {
    SCOPED_TRACE(name);
    head->Prepare(words, kKey);
    HeadWork<double> expected, found;
    const double loss = head->Step(alone.view(), words, .5, &expected);
    EXPECT_EQ(StepOnTargets(*head, hidden.view(), {rows, words}, .5, &found),
              loss);
    ASSERT_EQ(found.d_hidden.rows(), 8u);
    for (size_t row = 0, i = 0; row < 8; ++row) {
      const bool is_target = i < rows.size() && rows[i] == row;
      for (size_t c = 0; c < kDim; ++c) {
        EXPECT_EQ(found.d_hidden.Row(row)[c],
                  is_target ? expected.d_hidden.Row(i)[c] : 0);
      }
      i += is_target;
    }
  }
}

// Both directions of a language model, each with a work of its own.
TEST(HeadTest, TwoWorksAddUpToOne) {
  const Matrix<double> hidden = RandomMatrix<double>(kTargets.size(), kDim, 4);
  for (const auto& [name, head] : AllHeads<double>()) {
    SCOPED_TRACE(name);
    ParameterList<double> parameters;
    head->AppendParameters(&parameters);
    Randomize(parameters, 60);
    HeadWork<double> whole;
    const double loss = Step(*head, hidden.view(), 1, &whole);
    head->GatherGradients(absl::MakeSpan(&whole, 1));
    std::vector<Gradient<double>> expected;
    for (Parameter<double>* parameter : parameters) {
      Gradient<double>& gradient = parameter->gradient;
      expected.push_back(std::move(gradient));
      gradient =
          Gradient<double>(expected.back().rows(), expected.back().cols(),
                           expected.back().sparse() ? GradientKind::kSparse
                                                    : GradientKind::kDense);
    }
    HeadWork<double> parts[3];  // the last stays unused
    const auto targets = absl::MakeConstSpan(kTargets);
    head->Prepare(kTargets, kKey);
    double sum =
        head->Step(hidden.view().Rows(0, 2), targets.first(2), 1, &parts[0]);
    sum +=
        head->Step(hidden.view().Rows(2, 4), targets.subspan(2), 1, &parts[1]);
    head->GatherGradients(absl::MakeSpan(parts));
    EXPECT_NEAR(sum, loss, 1e-12);
    for (size_t p = 0; p < parameters.size(); ++p) {
      for (size_t row = 0; row < expected[p].rows(); ++row) {
        for (size_t c = 0; c < expected[p].cols(); ++c) {
          EXPECT_NEAR(parameters[p]->gradient.Row(row)[c],
                      expected[p].Row(row)[c], 1e-12);
        }
      }
    }
  }
}

TEST(HeadTest, NanIsNotHidden) {
  for (const auto& [name, head] : AllHeads<double>()) {
    SCOPED_TRACE(name);
    Matrix<double> hidden = RandomMatrix<double>(kTargets.size(), kDim, 4);
    hidden.Row(2)[1] = NAN;
    HeadWork<double> work;
    EXPECT_TRUE(std::isnan(Step(*head, hidden.view(), 1, &work)));
  }
}

// Scores of the table's rows, and a softmax in plain loops.
std::vector<double> PlainScores(ConstView<double> hidden, size_t row,
                                const ParameterList<double>& table) {
  std::vector<double> scores(kVocab);
  for (size_t w = 0; w < kVocab; ++w) {
    scores[w] = *table[1]->value.Row(w);
    for (size_t c = 0; c < kDim; ++c) {
      scores[w] += hidden.Row(row)[c] * table[0]->value.Row(w)[c];
    }
  }
  return scores;
}

double PlainSoftmaxLoss(const std::vector<double>& scores, size_t target) {
  double sum = 0;
  for (const double score : scores) sum += std::exp(score);
  return std::log(sum) - scores[target];
}

TEST(FullSoftmaxTest, LossIsThatOfPlainLoops) {
  const Matrix<double> hidden = RandomMatrix<double>(kTargets.size(), kDim, 4);
  const auto head = MakeFullSoftmaxHead(TableRows<double>());
  ParameterList<double> table;
  head->AppendParameters(&table);
  Randomize(table, 8, 1);
  double expected = 0;
  for (size_t r = 0; r < kTargets.size(); ++r) {
    expected +=
        PlainSoftmaxLoss(PlainScores(hidden.view(), r, table), kTargets[r]);
  }
  HeadWork<double> work;
  EXPECT_NEAR(Step(*head, hidden.view(), 1, &work), expected, 1e-12);
  head->PrepareAll();
  Matrix<double> scores(kTargets.size(), kVocab);
  head->Scores(hidden.view(), scores.view());
  EXPECT_NEAR(scores.Row(1)[5], PlainScores(hidden.view(), 1, table)[5], 1e-12);
  EXPECT_NEAR(FullLoss<double>(kTargets, scores.view()), expected, 1e-12);
}

TEST(SampledSoftmaxTest, WithAllWordsIsFullSoftmax) {
  const Matrix<double> hidden = RandomMatrix<double>(kTargets.size(), kDim, 4);
  const auto full = MakeFullSoftmaxHead(TableRows<double>());
  const auto sampled = MakeSampledSoftmaxHead(TableRows<double>(), kVocab);
  HeadWork<double> full_work, sampled_work;
  EXPECT_NEAR(Step(*full, hidden.view(), 1, &full_work),
              Step(*sampled, hidden.view(), 1, &sampled_work), 1e-12);
  for (size_t i = 0; i < full_work.d_hidden.size(); ++i) {
    EXPECT_NEAR(full_work.d_hidden.data()[i], sampled_work.d_hidden.data()[i],
                1e-12);
  }
}

TEST(SampledSoftmaxTest, LossIsThatOfPlainLoops) {
  const Matrix<double> hidden = RandomMatrix<double>(kTargets.size(), kDim, 4);
  const auto head = MakeSampledSoftmaxHead(TableRows<double>(), kSamples);
  ParameterList<double> table;
  head->AppendParameters(&table);
  Randomize(table, 8, 1);
  const LogUniform noise(kVocab);
  Rng rng(kKey);
  std::vector<uint32_t> drawn;
  const uint64_t draws = noise.SampleUnique(kSamples, rng, &drawn);
  size_t hits = 0;
  double expected = 0;
  for (size_t r = 0; r < kTargets.size(); ++r) {
    const std::vector<double> scores = PlainScores(hidden.view(), r, table);
    const auto corrected = [&](uint32_t word) {
      const double chance = 1 - std::pow(1 - noise.Probability(word), draws);
      return scores[word] - std::log(chance);
    };
    double sum = std::exp(corrected(kTargets[r]));
    for (const uint32_t word : drawn) {
      if (word == kTargets[r]) {
        ++hits;
      } else {
        sum += std::exp(corrected(word));
      }
    }
    expected += std::log(sum) - corrected(kTargets[r]);
  }
  EXPECT_GT(hits, 0u);
  HeadWork<double> work;
  EXPECT_NEAR(Step(*head, hidden.view(), 1, &work), expected, 1e-12);
}

TEST(NceTest, LossIsThatOfPlainLoops) {
  const Matrix<double> hidden = RandomMatrix<double>(kTargets.size(), kDim, 4);
  const auto head = MakeNceHead(TableRows<double>(), kSamples);
  ParameterList<double> table;
  head->AppendParameters(&table);
  Randomize(table, 8, 1);
  const LogUniform noise(kVocab);
  Rng rng(kKey);
  std::vector<uint32_t> drawn;
  for (size_t k = 0; k < kSamples; ++k) drawn.push_back(noise.Sample(rng));
  double expected = 0;
  for (size_t r = 0; r < kTargets.size(); ++r) {
    const std::vector<double> scores = PlainScores(hidden.view(), r, table);
    const auto odds = [&](uint32_t word) {
      return scores[word] - std::log(kSamples * noise.Probability(word));
    };
    expected += std::log1p(std::exp(-odds(kTargets[r])));
    for (const uint32_t word : drawn) {
      expected += std::log1p(std::exp(odds(word)));
    }
  }
  HeadWork<double> work;
  EXPECT_NEAR(Step(*head, hidden.view(), 1, &work), expected, 1e-12);
}

TEST(ContinuousTest, LossIsOneMinusTheCosineAndScoresAreCosines) {
  const Matrix<double> hidden = RandomMatrix<double>(kTargets.size(), kDim, 4);
  const auto head =
      MakeContinuousHead<double>(kDim, FixedVectors().view(), "out", 5);
  HeadWork<double> work;
  const double loss = Step(*head, hidden.view(), 1, &work);
  Matrix<double> scores(kTargets.size(), kVocab);
  head->Scores(hidden.view(), scores.view());
  double expected = 0;
  for (size_t r = 0; r < kTargets.size(); ++r) {
    expected += 1 - scores.Row(r)[kTargets[r]];
    for (size_t w = 0; w < kVocab; ++w) {
      EXPECT_LE(std::abs(scores.Row(r)[w]), 1 + 1e-12);
    }
  }
  EXPECT_NEAR(loss, expected, 1e-12);
}

TEST(ContinuousTest, ZeroVectorHasLossOneAndNoGradient) {
  const Matrix<double> zeros(kVocab, 6);
  const Matrix<double> hidden = RandomMatrix<double>(kTargets.size(), kDim, 4);
  const auto head = MakeContinuousHead<double>(kDim, zeros.view(), "out", 5);
  HeadWork<double> work;
  EXPECT_EQ(Step(*head, hidden.view(), 1, &work), kTargets.size());
  for (size_t i = 0; i < work.d_hidden.size(); ++i) {
    EXPECT_EQ(work.d_hidden.data()[i], 0);
  }
}

TEST(HeadTest, FloatsEqualDoublesOnEveryTarget) {
  const Matrix<float> hidden = RandomMatrix<float>(kTargets.size(), kDim, 4);
  Matrix<double> exact_hidden(kTargets.size(), kDim);
  std::copy_n(hidden.data(), hidden.size(), exact_hidden.data());
  const auto compare = [&](Head<float>& fast, Head<double>& exact) {
    HeadWork<double> expected;
    const double loss = Step(exact, exact_hidden.view(), 1, &expected);
    ForEachTarget([&] {
      HeadWork<float> work;
      fast.Prepare(kTargets, kKey);
      EXPECT_NEAR(fast.Step(hidden.view(), kTargets, 1, &work), loss, 1e-4);
      for (size_t i = 0; i < work.d_hidden.size(); ++i) {
        EXPECT_NEAR(work.d_hidden.data()[i], expected.d_hidden.data()[i], 1e-5);
      }
    });
  };
  const auto fast = AllHeads<float>();
  const auto exact = AllHeads<double>();
  for (size_t i = 0; i < fast.size(); ++i) {
    SCOPED_TRACE(fast[i].name);
    compare(*fast[i].head, *exact[i].head);
  }
}

// Scores are the hidden vectors themselves.
TEST(HeadTest, LabelSmoothingAgreesWithGoldenData) {
  const GoldenFile golden("label_smoothing_schedule");
  if (!golden.here()) GTEST_SKIP() << "FIRTH_DATA is not set";
  const Matrix<float> scores = golden.Read<float>("scores");
  std::vector<uint32_t> targets;
  for (const size_t target : golden.ReadSizes("targets")) {
    targets.push_back(static_cast<uint32_t>(target));
  }
  for (const char* smoothing : {"0.0", "0.1", "0.3"}) {
    const size_t words = scores.cols();
    const auto head = MakeFullSoftmaxHead(
        MakeTableRows<float>(words, words, GradientKind::kDense, 0, "out", 1),
        std::stod(smoothing));
    ParameterList<float> parameters;
    head->AppendParameters(&parameters);
    parameters[0]->value.Fill(0);
    for (size_t w = 0; w < words; ++w) parameters[0]->value.Row(w)[w] = 1;
    HeadWork<float> work;
    head->Prepare(targets, 1);
    const double loss = head->Step(scores.view(), targets, 1, &work);
    const std::string name = smoothing;
    EXPECT_NEAR(loss, golden.Read<double>("loss." + name).data()[0], 1e-5);
    ExpectClose<float>(work.d_hidden.view(),
                       golden.Read<float>("grad." + name).view(), 1e-5, name);
  }
}

TEST(LogUniformTest, DrawsFollowTheProbabilities) {
  const LogUniform noise(kVocab);
  Rng rng(1);
  std::vector<double> counts(kVocab);
  constexpr int kDraws = 200000;
  for (int i = 0; i < kDraws; ++i) ++counts[noise.Sample(rng)];
  double sum = 0;
  for (uint32_t w = 0; w < kVocab; ++w) {
    sum += noise.Probability(w);
    EXPECT_NEAR(counts[w] / kDraws, noise.Probability(w), 0.005) << w;
  }
  EXPECT_NEAR(sum, 1, 1e-12);
}

TEST(LogUniformTest, UniqueDrawsAreDifferentWords) {
  const LogUniform noise(kVocab);
  Rng rng(1);
  std::vector<uint32_t> words;
  EXPECT_GE(noise.SampleUnique(kVocab, rng, &words), kVocab);
  std::sort(words.begin(), words.end());
  for (uint32_t w = 0; w < kVocab; ++w) EXPECT_EQ(words[w], w);
}

TEST(LogUniformTest, ExpectedCountIsTheChanceToBeAmongTheDraws) {
  EXPECT_DOUBLE_EQ(ExpectedCount(0.25, 1), 0.25);
  EXPECT_DOUBLE_EQ(ExpectedCount(0.5, 3), 0.875);
  EXPECT_NEAR(ExpectedCount(1e-12, 1000), 1e-9, 1e-18);
}

}  // namespace
}  // namespace firth::nn
