// Newton's method on a convex function of at most three variables, with steps
// halved until the loss falls.

#include "classify/train/calibration.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "absl/types/span.h"
#include "classify/model/text_scorer.h"
#include "firth/proportions.h"

namespace firth {
namespace {

using Vector3 = std::array<double, 3>;

struct Fit {
  double loss = 0;
  Vector3 gradient = {};
  std::array<Vector3, 3> curvature = {};

  // Adds the derivatives with respect to a score that has these coefficients.
  void Add(double gradient_of_score, double curvature_of_score,
           const Vector3& inputs) {
    for (size_t i = 0; i < 3; ++i) {
      gradient[i] += gradient_of_score * inputs[i];
      for (size_t j = 0; j < 3; ++j) {
        curvature[i][j] += curvature_of_score * inputs[i] * inputs[j];
      }
    }
  }
};

double ScoreOf(const Vector3& scales, const Vector3& inputs) {
  return scales[0] * inputs[0] + scales[1] * inputs[1] + scales[2] * inputs[2];
}

// Adds the log loss of sigmoid(score) for a target between 0 and 1.
void AddBinary(const Vector3& scales, const Vector3& inputs, double target,
               Fit* fit) {
  const double score = ScoreOf(scales, inputs);
  const double p = 1 / (1 + std::exp(-score));
  fit->loss += std::log1p(std::exp(-std::abs(score))) + std::max(score, 0.0) -
               target * score;
  fit->Add(p - target, p * (1 - p), inputs);
}

class Calibration {
 public:
  Calibration(LabelLink link, const RawScores& scores, const TextLabels& labels)
      : link_(link), scores_(scores), labels_(labels) {
    for (size_t i = 0; i < labels.size(); ++i) {
      if (!labels.Of(i).empty()) texts_.push_back(i);
    }
    const auto count = static_cast<double>(texts_.size());
    wrong_ = 1 / (count + 2);
  }

  bool empty() const { return texts_.empty(); }

  Fit At(const Vector3& scales) const {
    Fit fit;
    for (const size_t text : texts_) {
      switch (link_) {
        case LabelLink::kSoftmax:
          AddSoftmax(scales, text, &fit);
          break;
        case LabelLink::kSigmoid:
        case LabelLink::kTableSigmoid:
          AddSigmoids(scales, text, &fit);
          break;
        case LabelLink::kTree:
          for (size_t turn = 0; turn < scores_.columns; ++turn) {
            const Vector3 inputs = Inputs(text, turn);
            if (inputs[1] != 0) AddBinary(scales, inputs, 1 - wrong_, &fit);
          }
      }
    }
    // A tiny penalty, so that a part without information gets scale 0.
    for (size_t i = 0; i < 3; ++i) {
      fit.loss += kRidge / 2 * scales[i] * scales[i];
      fit.gradient[i] += kRidge * scales[i];
      fit.curvature[i][i] += kRidge;
    }
    return fit;
  }

 private:
  static constexpr double kRidge = 1e-6;

  Vector3 Inputs(size_t text, size_t column) const {
    const size_t at = text * scores_.columns + column;
    return {scores_.wide.empty() ? 0 : static_cast<double>(scores_.wide[at]),
            scores_.deep.empty() ? 0 : static_cast<double>(scores_.deep[at]),
            link_ == LabelLink::kSigmoid ? 1.0 : 0.0};
  }

  void AddSigmoids(const Vector3& scales, size_t text, Fit* fit) const {
    const absl::Span<const uint32_t> own = labels_.Of(text);
    auto next = own.begin();
    for (size_t c = 0; c < scores_.columns; ++c) {
      const bool has = next != own.end() && *next == c;
      if (has) ++next;
      AddBinary(scales, Inputs(text, c), has ? 1 - wrong_ : wrong_, fit);
    }
  }

  void AddSoftmax(const Vector3& scales, size_t text, Fit* fit) const {
    const size_t labels = scores_.columns;
    const uint32_t right = labels_.Of(text)[0];
    probabilities_.resize(labels);
    double greatest = -HUGE_VAL;
    for (size_t c = 0; c < labels; ++c) {
      probabilities_[c] = ScoreOf(scales, Inputs(text, c));
      greatest = std::max(greatest, probabilities_[c]);
    }
    double sum = 0;
    double target_score = 0;
    const double others = wrong_ / (static_cast<double>(labels) - 1);
    for (size_t c = 0; c < labels; ++c) {
      const double score = probabilities_[c] - greatest;
      target_score += (c == right ? 1 - wrong_ : others) * score;
      sum += probabilities_[c] = std::exp(score);
    }
    fit->loss += std::log(sum) - target_score;
    Vector3 mean = {};
    for (size_t c = 0; c < labels; ++c) {
      probabilities_[c] /= sum;
      const Vector3 inputs = Inputs(text, c);
      for (size_t i = 0; i < 3; ++i) mean[i] += probabilities_[c] * inputs[i];
      fit->Add(probabilities_[c] - (c == right ? 1 - wrong_ : others),
               probabilities_[c], inputs);
    }
    for (size_t i = 0; i < 3; ++i) {
      for (size_t j = 0; j < 3; ++j) fit->curvature[i][j] -= mean[i] * mean[j];
    }
  }

  const LabelLink link_;
  const RawScores& scores_;
  const TextLabels& labels_;
  std::vector<size_t> texts_;
  double wrong_ = 0;
  mutable std::vector<double> probabilities_;
};

// Returns the solution x of a x = b, by elimination; a is symmetric and
// positive definite.
Vector3 Solve(std::array<Vector3, 3> a, Vector3 b) {
  for (size_t i = 0; i < 3; ++i) {
    for (size_t k = i + 1; k < 3; ++k) {
      const double factor = a[k][i] / a[i][i];
      for (size_t j = i; j < 3; ++j) a[k][j] -= factor * a[i][j];
      b[k] -= factor * b[i];
    }
  }
  for (size_t i = 3; i-- > 0;) {
    for (size_t j = i + 1; j < 3; ++j) b[i] -= a[i][j] * b[j];
    b[i] /= a[i][i];
  }
  return b;
}

// Excludes scales that are held at 0: those that are already 0 and for which
// the loss would fall below it.
void Hold(const Vector3& scales, Fit* fit) {
  for (size_t i = 0; i < 2; ++i) {
    if (scales[i] > 0 || fit->gradient[i] <= 0) continue;
    fit->gradient[i] = 0;
    for (size_t j = 0; j < 3; ++j) {
      fit->curvature[i][j] = fit->curvature[j][i] = i == j ? 1 : 0;
    }
  }
}

Vector3 Minimize(const Calibration& calibration, Vector3 scales) {
  constexpr int kMostSteps = 60;
  Fit fit = calibration.At(scales);
  for (int step = 0; step < kMostSteps; ++step) {
    Hold(scales, &fit);
    const Vector3 direction = Solve(fit.curvature, fit.gradient);
    double size = 1;
    Vector3 next;
    Fit there;
    do {
      for (size_t i = 0; i < 3; ++i) next[i] = scales[i] - size * direction[i];
      for (size_t i = 0; i < 2; ++i) next[i] = std::max(next[i], 0.0);
      there = calibration.At(next);
      if (there.loss <= fit.loss) break;
      size /= 2;
    } while (size > 1e-10);
    if (!(there.loss <= fit.loss)) break;
    const double gain = fit.loss - there.loss;
    scales = next;
    fit = there;
    if (gain <= 1e-10 * (1 + std::abs(fit.loss))) break;
  }
  return scales;
}

size_t BestColumn(const float* row, size_t columns) {
  return static_cast<size_t>(std::max_element(row, row + columns) - row);
}

bool Has(absl::Span<const uint32_t> labels, size_t label) {
  return std::binary_search(labels.begin(), labels.end(),
                            static_cast<uint32_t>(label));
}

void CountFound(LabelLink link, bool several_labels,
                absl::Span<const float> scores, absl::Span<const uint32_t> own,
                FoundCounts* counts) {
  counts->gold += own.size();
  if (link == LabelLink::kTree) {
    counts->found += 1;
    counts->correct += *std::min_element(scores.begin(), scores.end()) >= 0;
  } else if (several_labels) {
    for (size_t c = 0; c < scores.size(); ++c) {
      counts->found += scores[c] > 0;
      counts->correct += scores[c] > 0 && Has(own, c);
    }
  } else {
    counts->found += 1;
    counts->correct += Has(own, BestColumn(scores.data(), scores.size()));
  }
}

}  // namespace

ScoreScales FitScales(LabelLink link, const RawScores& scores,
                      const TextLabels& labels, const ScoreScales& start) {
  const Calibration calibration(link, scores, labels);
  if (calibration.empty()) return start;
  const Vector3 fit =
      Minimize(calibration, {start.wide, start.deep, start.offset});
  return {fit[0], fit[1], fit[2]};
}

std::vector<float> FitThresholds(const std::vector<float>& probabilities,
                                 const TextLabels& labels, size_t num_labels) {
  std::vector<float> thresholds(num_labels, 0.5f);
  std::vector<size_t> order(labels.size());
  for (size_t label = 0; label < num_labels; ++label) {
    const auto at = [&](size_t text) {
      return probabilities[text * num_labels + label];
    };
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return at(a) != at(b) ? at(a) > at(b) : a < b;
    });
    double gold = 0;
    for (const size_t text : order) gold += Has(labels.Of(text), label);
    double right = 0;
    double best = 0;
    for (size_t i = 0; i < order.size() && gold > 0; ++i) {
      right += Has(labels.Of(order[i]), label);
      const bool last = i + 1 == order.size();
      if (!last && at(order[i + 1]) == at(order[i])) continue;
      const double f1 = 2 * right / (gold + static_cast<double>(i + 1));
      if (f1 <= best) continue;
      best = f1;
      thresholds[label] =
          last ? at(order[i]) : (at(order[i]) + at(order[i + 1])) / 2;
    }
  }
  return thresholds;
}

double CalibrationError(const std::vector<float>& probabilities,
                        const TextLabels& labels, size_t num_labels) {
  constexpr size_t kBins = 10;
  std::array<double, kBins> difference = {};
  for (size_t text = 0; text < labels.size(); ++text) {
    const float* const row = probabilities.data() + text * num_labels;
    const size_t best = BestColumn(row, num_labels);
    const auto p = static_cast<double>(row[best]);
    const size_t bin = std::min(
        kBins - 1, static_cast<size_t>(p * static_cast<double>(kBins)));
    difference[bin] += p - (Has(labels.Of(text), best) ? 1 : 0);
  }
  double sum = 0;
  for (const double d : difference) sum += std::abs(d);
  return labels.size() == 0 ? 0 : sum / static_cast<double>(labels.size());
}

JudgedScores JudgeScores(LabelLink link, bool several_labels,
                         const RawScores& scores, const TextLabels& labels,
                         const ScoreScales& start) {
  JudgedScores judged;
  judged.scales = FitScales(link, scores, labels, start);
  const size_t columns = scores.columns;
  judged.probabilities.resize(labels.size() * columns);
  FoundCounts counts;
  for (size_t text = 0; text < labels.size(); ++text) {
    const absl::Span<float> row =
        absl::MakeSpan(judged.probabilities).subspan(text * columns, columns);
    for (size_t c = 0; c < columns; ++c) {
      const size_t at = text * columns + c;
      double score = judged.scales.offset;
      if (!scores.wide.empty()) {
        score += judged.scales.wide * static_cast<double>(scores.wide[at]);
      }
      if (!scores.deep.empty()) {
        score += judged.scales.deep * static_cast<double>(scores.deep[at]);
      }
      row[c] = static_cast<float>(score);
    }
    CountFound(link, several_labels, row, labels.Of(text), &counts);
    ToProbabilities(link, row);
  }
  judged.score = counts.f1();
  return judged;
}

}  // namespace firth
