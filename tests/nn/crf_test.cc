// The chain's sums over all sequences, against the sequences one by one.

#include "nn/crf.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "support/gradient_check.h"

namespace firth::nn {
namespace {

// A field with random weights and random scores of one sequence.
struct Field {
  Field(size_t n, size_t tags, uint64_t key)
      : crf(tags, "crf"), scores("scores", n, tags) {
    crf.AppendParameters(&parameters);
    parameters.push_back(&scores);
    Randomize(parameters, key, 1);
  }

  // Every sequence of tags, with the plain sum of its weights.
  template <class Visit>
  void ForAll(const Visit& visit) const {
    std::vector<uint32_t> tags(scores.value.rows());
    for (;;) {
      visit(tags, PlainScore(tags));
      size_t t = 0;
      while (t < tags.size() && ++tags[t] == crf.num_tags()) tags[t++] = 0;
      if (t == tags.size()) return;
    }
  }

  double PlainScore(const std::vector<uint32_t>& tags) const {
    double score = parameters[1]->value.data()[tags.front()] +
                   parameters[2]->value.data()[tags.back()];
    for (size_t t = 0; t < tags.size(); ++t) {
      score += scores.value.Row(t)[tags[t]];
      if (t > 0) score += parameters[0]->value.Row(tags[t - 1])[tags[t]];
    }
    return score;
  }

  Crf<double> crf;
  Parameter<double> scores;
  ParameterList<double> parameters;
};

struct Shape {
  size_t n;
  size_t tags;
};
constexpr Shape kShapes[] = {{1, 1}, {1, 3}, {2, 2}, {5, 1}, {4, 3}, {6, 4}};

TEST(CrfTest, LossIsThatOfAllSequencesOneByOne) {
  for (const Shape shape : kShapes) {
    SCOPED_TRACE(absl::StrCat(shape.n, " of ", shape.tags));
    Field field(shape.n, shape.tags, 7);
    double total = 0;
    field.ForAll([&](const std::vector<uint32_t>&, double score) {
      total += std::exp(score);
    });
    Matrix<double> d(shape.n, shape.tags);
    field.ForAll([&](const std::vector<uint32_t>& tags, double score) {
      EXPECT_NEAR(field.crf.Step(field.scores.value.view(), tags, 1, d.view()),
                  std::log(total) - score, 1e-12);
    });
  }
}

TEST(CrfTest, DecodesTheBestOfAllSequences) {
  for (const Shape shape : kShapes) {
    for (uint64_t key = 1; key < 20; ++key) {
      const Field field(shape.n, shape.tags, 100 * key);
      double greatest = -std::numeric_limits<double>::infinity();
      std::vector<uint32_t> best;
      field.ForAll([&](const std::vector<uint32_t>& tags, double score) {
        if (score <= greatest) return;
        greatest = score;
        best = tags;
      });
      EXPECT_EQ(field.crf.Decode(field.scores.value.view()), best);
    }
  }
}

TEST(CrfTest, MarginalsAreThoseOfAllSequencesOneByOne) {
  for (const Shape shape : kShapes) {
    SCOPED_TRACE(absl::StrCat(shape.n, " of ", shape.tags));
    Field field(shape.n, shape.tags, 11);
    Matrix<double> expected(shape.n, shape.tags), found(shape.n, shape.tags);
    double total = 0;
    field.ForAll([&](const std::vector<uint32_t>& tags, double score) {
      total += std::exp(score);
      for (size_t t = 0; t < tags.size(); ++t) {
        expected.Row(t)[tags[t]] += std::exp(score);
      }
    });
    field.crf.Marginals(field.scores.value.view(), found.view());
    for (size_t t = 0; t < shape.n; ++t) {
      for (size_t tag = 0; tag < shape.tags; ++tag) {
        EXPECT_NEAR(found.Row(t)[tag], expected.Row(t)[tag] / total, 1e-12);
      }
    }
  }
}

TEST(CrfTest, GradientsAreDifferencesOfTheLoss) {
  constexpr double kScale = 0.7;
  for (const Shape shape : {Shape{1, 3}, Shape{2, 2}, Shape{5, 4}}) {
    Field field(shape.n, shape.tags, 3);
    std::vector<uint32_t> tags;
    for (size_t t = 0; t < shape.n; ++t) {
      tags.push_back(static_cast<uint32_t>(t * t % shape.tags));
    }
    const auto loss = [&] {
      Matrix<double> d(shape.n, shape.tags);
      return kScale *
             field.crf.Step(field.scores.value.view(), tags, kScale, d.view());
    };
    // A sequence of one step has no transition.
    for (size_t p = shape.n == 1 ? 1 : 0; p < field.parameters.size(); ++p) {
      ClearGradients(field.parameters);  // `loss` adds to them
      field.crf.Step(field.scores.value.view(), tags, kScale,
                     field.scores.gradient.view());
      ExpectGradients({field.parameters[p]}, loss);
    }
  }
}

// Sums of hundreds of steps overflow unless taken in logarithms.
TEST(CrfTest, LongSequencesOfGreatScoresStayFinite) {
  constexpr size_t kSteps = 2000;
  Crf<float> crf(3, "crf");
  Matrix<float> scores(kSteps, 3), d(kSteps, 3);
  for (size_t t = 0; t < kSteps; ++t) scores.Row(t)[t % 3] = 500;
  std::vector<uint32_t> tags(kSteps);
  for (size_t t = 0; t < kSteps; ++t) tags[t] = static_cast<uint32_t>(t % 3);
  EXPECT_NEAR(crf.Step(scores.view(), tags, 1, d.view()), 0, 1e-3);
  EXPECT_EQ(crf.Decode(scores.view()), tags);
  crf.Marginals(scores.view(), d.view());
  EXPECT_EQ(d.Row(kSteps - 1)[(kSteps - 1) % 3], 1);
  EXPECT_NEAR(d.Row(0)[1], 0, 1e-30);
}

TEST(CrfTest, NaNIsNotHidden) {
  Crf<float> crf(2, "crf");
  Matrix<float> scores(3, 2), d(3, 2);
  scores.Row(1)[1] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(crf.Step(scores.view(), {0, 0, 0}, 1, d.view())));
}

}  // namespace
}  // namespace firth::nn
