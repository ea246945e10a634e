#include "classify/fit_scores.h"

#include <cmath>
#include <utility>
#include <vector>

#include "base/matrix.h"
#include "classify/feature_weights.h"

namespace firth {
namespace {

// The least-squares equations A d = b for each label, where d are the changes
// of its row of the output and, last, of its bias.
class ScoreFit {
 public:
  // `scores` is the number of scores per text.
  ScoreFit(size_t dim, size_t scores)
      : normal_(dim + 1, dim + 1), sides_(scores, dim + 1) {}

  // Adds a text: its hidden vector, and what must be added to its scores.
  void Add(absl::Span<const float> hidden, absl::Span<const float> lack) {
    std::vector<double> values(hidden.begin(), hidden.end());
    values.push_back(1);
    for (size_t i = 0; i < values.size(); ++i) {
      for (size_t j = 0; j <= i; ++j) {
        normal_.Row(i)[j] += values[i] * values[j];
      }
      for (size_t score = 0; score < lack.size(); ++score) {
        sides_.Row(score)[i] += values[i] * static_cast<double>(lack[score]);
      }
    }
  }

  // Returns the changes: [scores, dim + 1]. Small ones are preferred (a ridge),
  // because the scores of training texts partly depend on rare n-grams that
  // occur in no other text, and fitting these would distort the scores of other
  // texts. A thirtieth of this ridge costs .3 points if few n-grams are left,
  // and thirty times as much makes the probabilities inaccurate.
  const Matrix<double>& Solve() {
    constexpr double kRidge = 3e-3;
    const size_t size = normal_.rows();
    double trace = 0;
    for (size_t i = 0; i < size; ++i) trace += normal_.Row(i)[i];
    for (size_t i = 0; i < size; ++i) {
      normal_.Row(i)[i] += kRidge * trace / static_cast<double>(size) + 1e-30;
    }
    Factorize();
    for (size_t score = 0; score < sides_.rows(); ++score) {
      SolveSide(sides_.Row(score));
    }
    return sides_;
  }

 private:
  // Replaces the lower triangle by that of Cholesky's decomposition.
  void Factorize() {
    for (size_t i = 0; i < normal_.rows(); ++i) {
      for (size_t j = 0; j <= i; ++j) {
        double sum = normal_.Row(i)[j];
        for (size_t k = 0; k < j; ++k) {
          sum -= normal_.Row(i)[k] * normal_.Row(j)[k];
        }
        normal_.Row(i)[j] = i == j ? std::sqrt(sum) : sum / normal_.Row(j)[j];
      }
    }
  }

  void SolveSide(double* side) const {
    const size_t size = normal_.rows();
    for (size_t i = 0; i < size; ++i) {
      for (size_t k = 0; k < i; ++k) side[i] -= normal_.Row(i)[k] * side[k];
      side[i] /= normal_.Row(i)[i];
    }
    for (size_t i = size; i-- > 0;) {
      for (size_t k = i + 1; k < size; ++k) {
        side[i] -= normal_.Row(k)[i] * side[k];
      }
      side[i] /= normal_.Row(i)[i];
    }
  }

  Matrix<double> normal_;  // A
  Matrix<double> sides_;   // b, one row per score, and later d
};

std::vector<float> HiddenOf(const ClassifierModel& model,
                            absl::Span<const FeatureValue> values) {
  std::vector<float> hidden(model.has_deep() ? RowDim(model.input) : 0);
  std::vector<float> row(hidden.size());
  for (const FeatureValue& value : values) {
    if (hidden.empty()) break;
    CopyRow(model.input, value.row, absl::MakeSpan(row));
    for (size_t i = 0; i < hidden.size(); ++i) {
      hidden[i] += model.deep_scale * value.deep * row[i];
    }
  }
  return hidden;
}

}  // namespace

absl::Status FitScores(const ClassifierModel& whole,
                       absl::Span<const absl::string_view> texts,
                       const Hooks& hooks, ClassifierModel* small) {
  const size_t num_scores =
      whole.has_deep() ? NumRows(whole.output) : whole.labels.size();
  const size_t dim = whole.has_deep() ? RowDim(whole.input) : 0;
  ScoreFit fit(dim, num_scores);
  FeatureIndex::Reader whole_reader(whole.features);
  FeatureIndex::Reader small_reader(small->features);
  std::vector<float> wanted(num_scores), found(num_scores);
  for (const absl::string_view text : texts) {
    if (hooks.StopRequested()) return absl::CancelledError("interrupted");
    SumScores(whole, FeatureValues(whole, whole_reader.Read(text)),
              absl::MakeSpan(wanted));
    const std::vector<FeatureValue> values =
        FeatureValues(*small, small_reader.Read(text));
    SumScores(*small, values, absl::MakeSpan(found));
    for (size_t i = 0; i < num_scores; ++i) wanted[i] -= found[i];
    fit.Add(HiddenOf(*small, values), wanted);
  }
  const Matrix<double>& changes = fit.Solve();
  Matrix<float> output(num_scores, dim);
  for (size_t score = 0; score < num_scores; ++score) {
    const double* const change = changes.Row(score);
    if (dim > 0) CopyRow(whole.output, score, {output.Row(score), dim});
    for (size_t i = 0; i < dim; ++i) {
      output.Row(score)[i] += static_cast<float>(change[i]);
    }
    if (!small->bias.empty()) {
      small->bias[score] += static_cast<float>(change[dim]);
    }
  }
  if (dim > 0) small->output = FloatTable(std::move(output));
  return absl::OkStatus();
}

}  // namespace firth
