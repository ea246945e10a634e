#include "support/shared_trainings.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "base/rng.h"
#include "firth/corpus.h"
#include "firth/ranks.h"
#include "gtest/gtest.h"
#include "support/thread_ranks.h"

namespace firth {

std::string TextOfTopics(size_t words) {
  Rng rng(5);
  std::string text;
  for (size_t i = 0; i < words; ++i) {
    const uint32_t topic = i / 50 % 4;
    absl::StrAppend(&text, "t", topic, "w", rng.Below(1 + rng.Below(40)),
                    i % 10 == 9 ? "\n" : " ");
  }
  return text;
}

std::vector<absl::StatusOr<TrainedModel>> TrainShared(
    int ranks, const std::string& path, const TrainOptions& options,
    const SharedTraining& training) {
  std::vector<absl::StatusOr<TrainedModel>> models(
      static_cast<size_t>(std::max(ranks, 1)),
      absl::UnknownError("not called"));
  const auto train = [&](Ranks* own) -> absl::StatusOr<TrainedModel> {
    Hooks hooks;
    hooks.ranks = own;
    CorpusOptions reading;
    reading.inputs = {path};
    reading.threads = 1;
    const auto corpus = ReadCorpus(reading, {.min_count = 1}, hooks);
    if (!corpus.ok()) return corpus.status();
    return Train(*corpus, options, hooks, training.initial,
                 training.checkpointing, training.validation);
  };
  if (ranks == 0) {
    models[0] = train(nullptr);
  } else {
    RunRanks(ranks, [&](Ranks& own) {
      models[static_cast<size_t>(own.rank())] = train(&own);
    });
  }
  return models;
}

double GreatestDifference(const FloatTable& a, const FloatTable& b) {
  EXPECT_EQ(a.rows(), b.rows());
  EXPECT_EQ(a.cols(), b.cols());
  double greatest = 0;
  for (size_t row = 0; row < a.rows(); ++row) {
    for (size_t i = 0; i < a.cols(); ++i) {
      greatest =
          std::max<double>(greatest, std::abs(a.Row(row)[i] - b.Row(row)[i]));
    }
  }
  return greatest;
}

double CosineOf(const WordVectors& vectors, const char* a, const char* b) {
  const auto row = [&](const char* word) {
    return vectors.table().Row(Index(*vectors.vocabulary().Find(word)));
  };
  double product = 0;
  double squares[2] = {0, 0};
  for (size_t i = 0; i < vectors.dim(); ++i) {
    product += double{row(a)[i]} * row(b)[i];
    squares[0] += double{row(a)[i]} * row(a)[i];
    squares[1] += double{row(b)[i]} * row(b)[i];
  }
  return product / std::sqrt(squares[0] * squares[1]);
}

}  // namespace firth
