// Every architecture under every objective: one real training step, by each
// instruction set, against central differences of the loss as the papers have
// it.

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "base/rng.h"
#include "gtest/gtest.h"
#include "support/alternatives.h"
#include "support/corpora.h"
#include "support/oracle.h"
#include "support/targets.h"
#include "support/trainings.h"
#include "train/sentence_reader.h"
#include "train/training.h"
#include "train/worker.h"

namespace firth {
namespace {

constexpr double kLearningRate = 0.125;

// One sentence. No word stands twice: the kernel moves an input row at its
// first place before it reads it at the second.
const std::vector<uint32_t> kSentence = {0, 1, 5, 2, 6, 4, 3, 7};
constexpr size_t kVocabSize = 8;
constexpr StreamPiece kOneCenter{3, 4};
constexpr StreamPiece kTwoCenters{3, 5};
// With two targets one tile of the kernel, which reads all output rows before
// it moves one: with noise words that are drawn twice, only so is a step exact.
constexpr int kNegatives = 5;

constexpr size_t kWindow = 3;

std::vector<ArchitectureOptions> Architectures() {
  auto all = Alternatives<ArchitectureOptions>();
  all.emplace_back(CbowOptions{.context_weights = ContextWeights::kPosition});
  return all;
}

std::vector<ObjectiveOptions> AllObjectives() {
  return Objectives(kNegatives, /*batch=*/4);
}

std::string StepName(const ArchitectureOptions& architecture,
                     const ObjectiveOptions& objective) {
  return NameOf(architecture) + "_" + NameOf(objective);
}

void Randomize(PaddedMatrix& matrix, uint64_t seed) {
  Rng rng(seed);
  for (size_t row = 0; row < matrix.rows(); ++row) {
    for (size_t i = 0; i < matrix.cols(); ++i) {
      matrix.Row(row)[i] = rng.NextFloat() - 0.5f;
    }
  }
}

// With the n-grams of the vocabulary's words, if any.
EmbeddingModel MakeModel(const TrainOptions& options,
                         const Vocabulary& vocabulary, size_t sentence_rows) {
  if (std::holds_alternative<NoSubwords>(options.subwords)) {
    ModelShape shape = ShapeOf(options, vocabulary.size(), 0);
    shape.sentence_rows = sentence_rows;
    return EmbeddingModel(shape, 1);
  }
  SubwordIndex index =
      SubwordIndex::Create(options.subwords, vocabulary).value();
  Composition composition(vocabulary, index);
  const ModelShape shape = ShapeOf(options, vocabulary.size(), index.rows());
  return EmbeddingModel(
      shape, 1, ModelSubwords{std::move(index), std::move(composition)});
}

int NegativesOf(const ObjectiveOptions& objective) {
  return std::visit(
      [](const auto& chosen) {
        if constexpr (requires { chosen.negatives; }) return chosen.negatives;
        return 0;
      },
      objective);
}

// A model with nothing at 0, and all that one step on it needs.
struct Bench {
  Bench(const ArchitectureOptions& architecture,
        const ObjectiveOptions& objective, int dim,
        const SubwordOptions& subwords = NoSubwords(), size_t sentence_rows = 0)
      : corpus(MakeCorpus({kSentence}, kVocabSize)),
        options(MakeOptions(architecture, objective, dim, subwords)),
        tables(MakeObjectiveTables(objective, corpus.vocabulary).value()),
        model(MakeModel(options, corpus.vocabulary, sentence_rows)),
        rows(RowsOfOneSentence(sentence_rows)),
        subsampler(corpus.vocabulary.counts(), 0),
        monitor(LearningRateSchedule(kLearningRate, kLearningRate, 1)) {
    Randomize(model.input().Quiet(), 11);
    Randomize(model.output().Quiet(), 12);
    Randomize(model.output_bias().Quiet(), 13);
    const auto* cbow = std::get_if<CbowOptions>(&architecture);
    if (cbow != nullptr && cbow->context_weights == ContextWeights::kPosition) {
      Randomize(model.position_weights().Quiet(), 14);
    }
  }

  static SentenceRows RowsOfOneSentence(size_t count) {
    SentenceRows rows{
        .begins = {0}, .row_begins = {0, count}, .rows = {}, .num_rows = count};
    for (size_t i = 0; i < count; ++i) {
      rows.rows.push_back(static_cast<uint32_t>(kVocabSize + i));
    }
    return rows;
  }

  static TrainOptions MakeOptions(const ArchitectureOptions& architecture,
                                  const ObjectiveOptions& objective, int dim,
                                  const SubwordOptions& subwords) {
    TrainOptions options;
    options.subwords = subwords;
    options.architecture = architecture;
    options.objective = objective;
    options.dim = dim;
    options.window = kWindow;
    options.dynamic_window = false;
    options.sample = 0;
    return options;
  }

  // The windows of the piece, with the noise that the first one's key draws. A
  // target of negative sampling is not noise, for either center.
  std::vector<OracleWindow> Windows(StreamPiece piece) const {
    const auto window = static_cast<size_t>(options.window);
    SentenceReader reader(*corpus.tokens, subsampler, piece,
                          CombineKeys(options.seed, 0), window);
    WordRun run;
    EXPECT_TRUE(reader.Next(&run));
    std::vector<size_t> noise;
    if (tables.noise.has_value()) {
      Rng rng(run.keys[run.first_center]);
      for (int k = 0; k < NegativesOf(options.objective); ++k) {
        noise.push_back(Index(tables.noise->Sample(rng)));
      }
    }
    std::vector<OracleWindow> windows;
    for (size_t center = run.first_center; center < run.end_center; ++center) {
      if (std::holds_alternative<NegativeSamplingOptions>(options.objective)) {
        std::erase(noise, Index(run.words[center]));
      }
      windows.push_back({Index(run.words[center]), window, {}, {}, {}});
      const size_t end = std::min(center + window + 1, run.words.size());
      for (size_t pos = center - std::min(center, window); pos < end; ++pos) {
        if (pos == center) continue;
        windows.back().context.push_back(Index(run.words[pos]));
        windows.back().positions.push_back(
            ContextPosition(pos, center, window));
      }
      windows.back().context.insert(windows.back().context.end(),
                                    rows.rows.begin(), rows.rows.end());
      windows.back().positions.resize(windows.back().context.size());
    }
    for (OracleWindow& window : windows) window.noise = noise;
    return windows;
  }

  // Trains on the piece; returns the loss.
  double Step(StreamPiece piece, int threads = 1) {
    const EpochContext context{options, *corpus.tokens, subsampler,
                               tables,  model,          monitor,
                               0,       threads,        &rows};
    Worker worker(context, OnePiece(piece), 0);
    TrainShard(worker);
    EXPECT_TRUE(worker.status().ok()) << worker.status();
    return worker.done().loss;
  }

  Corpus corpus;
  TrainOptions options;
  ObjectiveTables tables;
  EmbeddingModel model;
  SentenceRows rows;
  Subsampler subsampler;
  TrainMonitor monitor;
};

void ExpectStep(const std::vector<double>& before,
                const std::vector<double>& after,
                const std::vector<double>& gradient, double factor) {
  for (size_t i = 0; i < before.size(); ++i) {
    EXPECT_NEAR(after[i] - before[i], -kLearningRate * factor * gradient[i],
                2e-6)
        << "at " << i;
  }
}

void ExpectSteps(const OracleModel& before, const OracleModel& after,
                 const OracleModel& gradient, double input_factor,
                 double weights_factor) {
  for (size_t row = 0; row < before.input.size(); ++row) {
    SCOPED_TRACE("input row " + std::to_string(row));
    ExpectStep(before.input[row], after.input[row], gradient.input[row],
               input_factor);
  }
  for (size_t row = 0; row < before.output.size(); ++row) {
    SCOPED_TRACE("output row " + std::to_string(row));
    ExpectStep(before.output[row], after.output[row], gradient.output[row], 1);
  }
  ExpectStep(before.bias, after.bias, gradient.bias, 1);
  for (size_t row = 0; row < before.position_weights.size(); ++row) {
    SCOPED_TRACE("weights of position " + std::to_string(row));
    ExpectStep(before.position_weights[row], after.position_weights[row],
               gradient.position_weights[row], weights_factor);
  }
}

void CheckStepOf(Bench& bench, StreamPiece piece, double input_factor) {
  const ArchitectureOptions& architecture = bench.options.architecture;
  const ObjectiveOptions& objective = bench.options.objective;
  const OracleModel before = CopyModel(bench.model);
  const std::vector<OracleWindow> windows = bench.Windows(piece);
  const double expected_loss =
      LossOf(windows, architecture, objective, bench.tables, before);
  const OracleModel gradient =
      NumericGradient(windows, architecture, objective, bench.tables, before);
  EXPECT_NEAR(bench.Step(piece), expected_loss, 1e-5 * expected_loss);
  const auto* cbow = std::get_if<CbowOptions>(&architecture);
  const bool learned =
      cbow != nullptr && cbow->context_weights == ContextWeights::kPosition;
  ExpectSteps(before, CopyModel(bench.model), gradient, input_factor,
              learned ? 1 : 0);
}

void CheckStep(const ArchitectureOptions& architecture,
               const ObjectiveOptions& objective, int dim, StreamPiece piece,
               double input_factor) {
  SCOPED_TRACE(StepName(architecture, objective) + ", dim " +
               std::to_string(dim));
  Bench bench(architecture, objective, dim);
  CheckStepOf(bench, piece, input_factor);
}

TEST(GradientTest, EveryStepGoesDownTheGradientOfItsLoss) {
  for (const ArchitectureOptions& architecture : Architectures()) {
    for (const ObjectiveOptions& objective : AllObjectives()) {
      ForEachTarget([&] {
        for (const int dim : {1, 16, 37}) {
          CheckStep(architecture, objective, dim, kOneCenter, 1);
        }
      });
    }
  }
}

// The copies that a worker has of hot nodes when it is not by itself change
// nothing in what it learns: after the last exchange the shared rows have all.
TEST(GradientTest, AWorkerWithCopiesOfHotNodesTakesTheSameSteps) {
  for (const ArchitectureOptions& architecture : Architectures()) {
    for (const ObjectiveOptions& objective : AllObjectives()) {
      SCOPED_TRACE(StepName(architecture, objective));
      Bench alone(architecture, objective, 20);
      Bench one_of_two(architecture, objective, 20);
      const StreamPiece all{0, kSentence.size()};
      EXPECT_NEAR(alone.Step(all, 1), one_of_two.Step(all, 2), 1e-3);
      const PaddedMatrix& expected = alone.model.input().Quiet();
      const PaddedMatrix& found = one_of_two.model.input().Quiet();
      for (size_t row = 0; row < expected.rows(); ++row) {
        for (size_t i = 0; i < expected.cols(); ++i) {
          ASSERT_NEAR(found.Row(row)[i], expected.Row(row)[i], 1e-5) << row;
        }
      }
    }
  }
}

bool DrawsNoise(const ObjectiveOptions& objective) {
  return std::visit(
      [](const auto& chosen) {
        return requires { chosen.negatives; };
      },
      objective);
}

// Neighbouring windows that share their noise words are one step: each pair
// counts as often as there are windows that it is in. (Not with weights of
// positions, which the second window gives its step to as the first left them.)
TEST(GradientTest, AStepForTwoWindowsGoesDownTheSumOfTheirLosses) {
  std::vector<ObjectiveOptions> objectives = AllObjectives();
  std::erase_if(objectives, std::not_fn(DrawsNoise));
  ASSERT_GE(objectives.size(), 2u);
  const std::vector<ArchitectureOptions> architectures = {
      SkipGramOptions{.shared_windows = 2}, CbowOptions{.shared_windows = 2},
      CbowOptions{.context_weights = ContextWeights::kDistance,
                  .shared_windows = 2}};
  for (const ArchitectureOptions& architecture : architectures) {
    for (const ObjectiveOptions& objective : objectives) {
      ForEachTarget([&] {
        for (const int dim : {1, 16, 37}) {
          CheckStep(architecture, objective, dim, kTwoCenters, 1);
        }
      });
    }
  }
}

DoubleRows CopyRows(const PaddedMatrix& matrix) {
  DoubleRows rows;
  for (size_t row = 0; row < matrix.rows(); ++row) {
    rows.emplace_back(matrix.Row(row), matrix.Row(row) + matrix.cols());
  }
  return rows;
}

// The input rows as the windows see them: means of rows of the table.
DoubleRows ComposedRows(const EmbeddingModel& model) {
  PaddedMatrix vectors(kVocabSize, model.dim());
  for (size_t word = 0; word < kVocabSize; ++word) {
    model.CopyInput(ToWordId(word), vectors.Row(word));
  }
  return CopyRows(vectors);
}

// Each row of a word with n-grams moves by a share of the word's step, once for
// each word that has it. n_gram_share: of the rows that are not a word's own.
void CheckSubwordStep(const ArchitectureOptions& architecture,
                      const ObjectiveOptions& objective, int dim, int n,
                      double word_share, double n_gram_share) {
  SCOPED_TRACE(StepName(architecture, objective) + ", dim " +
               std::to_string(dim) + ", n " + std::to_string(n));
  Bench bench(architecture, objective, dim,
              BucketSubwords{.min_n = n, .max_n = n, .buckets = 1000});
  bench.options.word_step = word_share;
  bench.options.subword_step = n_gram_share;
  OracleModel composed = CopyModel(bench.model);
  composed.input = ComposedRows(bench.model);
  const OracleModel gradient =
      NumericGradient(bench.Windows(kOneCenter), architecture, objective,
                      bench.tables, composed);
  const DoubleRows before = CopyRows(bench.model.input().Quiet());
  bench.Step(kOneCenter);
  DoubleRows expected = before;
  for (size_t word = 0; word < kVocabSize; ++word) {
    for (const uint32_t row :
         bench.model.composition()->RowsOf(ToWordId(word))) {
      const double share = row < kVocabSize ? word_share : n_gram_share;
      for (size_t i = 0; i < expected[row].size(); ++i) {
        expected[row][i] -= share * kLearningRate * gradient.input[word][i];
      }
    }
  }
  const DoubleRows after = CopyRows(bench.model.input().Quiet());
  ASSERT_GT(after.size(), 2 * kVocabSize);
  for (size_t row = 0; row < after.size(); ++row) {
    for (size_t i = 0; i < after[row].size(); ++i) {
      ASSERT_NEAR(after[row][i], expected[row][i], 4e-6)
          << "row " << row << " of the table, at " << i;
    }
  }
}

// 2-grams such as "<w" are in all words, 3-grams in one each.
TEST(GradientTest, RowsOfNGramsShareTheStepsOfTheirWords) {
  for (const ArchitectureOptions& architecture : Architectures()) {
    for (const ObjectiveOptions& objective : AllObjectives()) {
      if (std::holds_alternative<FullSoftmaxOptions>(objective)) continue;
      ForEachTarget([&] {
        for (const int dim : {1, 16, 37}) {
          CheckSubwordStep(architecture, objective, dim, 2, 1, 1);
          CheckSubwordStep(architecture, objective, dim, 3, 4, 0.25);
        }
      });
    }
  }
}

// With two noise words, all rows are in one tile; see kNegatives.
TEST(GradientTest, AStepForManyWindowsGoesDownTheSumOfTheirLosses) {
  for (const ArchitectureOptions& architecture :
       {ArchitectureOptions(SkipGramOptions{.shared_windows = 5}),
        ArchitectureOptions(CbowOptions{.shared_windows = 5})}) {
    for (const StreamPiece piece :
         {StreamPiece{2, 5}, StreamPiece{2, 6}, StreamPiece{2, 7}}) {
      ForEachTarget([&] {
        for (const int dim : {1, 16, 37}) {
          CheckStep(architecture, NegativeSamplingOptions{.negatives = 2}, dim,
                    piece, 1);
        }
      });
    }
  }
}

// Rows of a sentence are in every window of it, in the table or in private
// memory, with words or, if the window is 0, alone.
TEST(GradientTest, RowsOfTheSentenceAreInEveryWindow) {
  const std::vector<std::pair<ArchitectureOptions, StreamPiece>> steps = {
      {SkipGramOptions{}, kOneCenter},
      {SkipGramOptions{.shared_windows = 2}, kTwoCenters},
      {CbowOptions{}, kOneCenter},
      {CbowOptions{.shared_windows = 2}, kTwoCenters}};
  for (const auto& step : steps) {
    const ArchitectureOptions& architecture = step.first;
    const StreamPiece& piece = step.second;
    for (const ObjectiveOptions& objective :
         {ObjectiveOptions(NegativeSamplingOptions{.negatives = kNegatives}),
          ObjectiveOptions(HierarchicalSoftmaxOptions{})}) {
      if (piece.end > kOneCenter.end && !DrawsNoise(objective)) continue;
      for (const int window : {0, 3}) {
        for (const size_t rows : {1, 2}) {
          for (const bool in_private : {false, true}) {
            SCOPED_TRACE(StepName(architecture, objective) + ", window " +
                         std::to_string(window) + ", rows " +
                         std::to_string(rows));
            ForEachTarget([&] {
              Bench bench(architecture, objective, 37, NoSubwords(), rows);
              bench.options.window = window;
              if (in_private) bench.model.Pin(std::vector<bool>(kVocabSize));
              CheckStepOf(bench, piece, 1);
            });
          }
        }
      }
    }
  }
}

// Its two halves of the output table learn from the two sides.
TEST(GradientTest, DirectionalSkipGramLearnsTheSidesApart) {
  const NegativeSamplingOptions objective{.negatives = kNegatives};
  ForEachTarget([&] {
    for (const int dim : {1, 16, 37}) {
      for (const StreamPiece piece :
           {kOneCenter, StreamPiece{0, 1}, StreamPiece{7, 8}}) {
        CheckStep(SkipGramOptions{.directional = true}, objective, dim, piece,
                  1);
      }
      CheckStep(SkipGramOptions{.shared_windows = 2, .directional = true},
                objective, dim, kTwoCenters, 1);
    }
  });
}

TEST(GradientTest, WeightsByDistanceAreFixed) {
  const CbowOptions architecture{.context_weights = ContextWeights::kDistance};
  const Bench bench(architecture, NegativeSamplingOptions{}, 2);
  const DoubleRows weights = CopyModel(bench.model).position_weights;
  const DoubleRows expected = {{.5, .5},   {1, 1}, {1.5, 1.5},
                               {1.5, 1.5}, {1, 1}, {.5, .5}};
  EXPECT_EQ(weights, expected);
  for (const ObjectiveOptions& objective : AllObjectives()) {
    ForEachTarget(
        [&] { CheckStep(architecture, objective, 20, kOneCenter, 1); });
  }
}

TEST(GradientTest, Word2vecCbowGivesEveryContextWordTheWholeHiddenStep) {
  const CbowOptions architecture{CbowGradient::kWord2vec};
  for (const ObjectiveOptions& objective : AllObjectives()) {
    CheckStep(architecture, objective, 20, kOneCenter, /*input_factor=*/6);
  }
}

// A window of more than kMaxInputRows words is stepped in parts, each of which
// is a step of its own: the sum of the losses is that of sequential steps, so
// only that all words move and the loss is finite can be said exactly.
TEST(GradientTest, AVeryWideWindowReachesAllItsWords) {
  std::vector<uint32_t> sentence;
  for (uint32_t word = 0; word < 50; ++word) sentence.push_back(word);
  const Corpus corpus = MakeCorpus({sentence}, 50);
  TrainOptions options;
  options.window = 100;
  options.dynamic_window = false;
  options.sample = 0;
  options.epochs = 1;
  options.dim = 8;
  options.threads = 1;
  const auto trained = Train(corpus, options);
  ASSERT_TRUE(trained.ok()) << trained.status();
  EXPECT_EQ(trained->report.epochs[0].examples, 50u * 49u);
}

}  // namespace
}  // namespace firth
