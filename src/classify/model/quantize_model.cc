// The bytes per row are known in advance, except for those of numbers, for
// which the budget is lowered until the file fits.

#include "classify/model/quantize_model.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/matrix.h"
#include "classify/model/classifier_file.h"
#include "classify/model/feature_weights.h"
#include "firth/status_macros.h"
#include "vectors/product_quantizer.h"

namespace firth {
namespace {

// Maximum number of texts on which the scores are fitted. More texts hardly
// change the result.
constexpr size_t kMostTexts = 20000;
// With more labels than this, the values of a row are rounded with one scale
// per row, which then takes fewer bytes than codebooks.
constexpr size_t kMostPqLabels = 64;

absl::Status CheckStop(const Hooks& hooks) {
  return hooks.StopRequested() ? absl::CancelledError("interrupted")
                               : absl::OkStatus();
}

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

// Sets output and bias of the small model so that texts have about the same
// scores as with the whole model. Errors: Cancelled.
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
    FIRTH_RETURN_IF_ERROR(CheckStop(hooks));
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

// Returns a sample spread evenly over the texts.
std::vector<absl::string_view> SampleTexts(
    absl::Span<const LabelledText> texts) {
  const size_t count = std::min(texts.size(), kMostTexts);
  std::vector<absl::string_view> sample;
  for (size_t i = 0; i < count; ++i) {
    sample.push_back(texts[i * texts.size() / count].text);
  }
  return sample;
}

// Return the number of parts of a quantized row, which take one byte each.
size_t WideParts(size_t labels) { return labels == 2 ? 1 : labels; }
size_t InputParts(size_t dim) { return dim % 2 == 0 ? dim / 2 : dim; }

RowCost CostOf(const ClassifierModel& model) {
  RowCost cost;
  if (model.has_wide()) {
    const size_t labels = model.labels.size();
    const bool has_codes = labels <= kMostPqLabels;
    // The first byte is the feature's idf, whose values also have a table.
    cost.row += 1 + (has_codes ? WideParts(labels) : labels + sizeof(float));
    cost.centroid += ((has_codes ? labels : 0) + 1) * sizeof(float);
  }
  if (model.has_deep()) {
    cost.row += InputParts(RowDim(model.input));
    cost.centroid += RowDim(model.input) * sizeof(float);
  }
  return cost;
}

absl::StatusOr<RowStore> ToPqRows(const FloatTable& table, size_t parts) {
  FIRTH_ASSIGN_OR_RETURN(ProductQuantizer quantizer,
                         ProductQuantizer::Train(table, {.parts = parts}));
  Matrix<uint8_t> codes(table.rows(), parts);
  quantizer.Encode(table, codes.data());
  return PqRows{std::make_shared<const ProductQuantizer>(std::move(quantizer)),
                std::move(codes), FloatTable()};
}

RowStore ToInt8Rows(const FloatTable& table) {
  constexpr float kMostCode = 127;
  Matrix<int8_t> codes(table.rows(), table.cols());
  Matrix<float> scales(table.rows(), 1);
  for (size_t row = 0; row < table.rows(); ++row) {
    float most = 0;
    for (const float value : table.Row(row)) {
      most = std::max(most, std::abs(value));
    }
    const float scale = most / kMostCode;
    scales.data()[row] = scale;
    for (size_t i = 0; i < table.cols() && scale > 0; ++i) {
      codes.Row(row)[i] =
          static_cast<int8_t>(std::nearbyint(table.Row(row)[i] / scale));
    }
  }
  return Int8Rows{std::move(codes), std::move(scales)};
}

// Reduces idf to at most 256 different values, so that a byte can number them.
void RoundIdf(std::vector<float>* idf) {
  if (idf->empty()) return;
  const float most = *std::max_element(idf->begin(), idf->end());
  const float step = most / 255;
  for (float& value : *idf) {
    if (step > 0) value = std::nearbyint(value / step) * step;
  }
}

absl::StatusOr<ClassifierModel> KeepAndRound(const ClassifierModel& model,
                                             absl::Span<const uint32_t> rows) {
  ClassifierModel kept = model;
  FIRTH_ASSIGN_OR_RETURN(kept.features, KeepFeatures(model.features, rows));
  if (model.has_wide()) {
    FIRTH_ASSIGN_OR_RETURN(const FloatTable wide, KeepRows(model.wide, rows));
    kept.idf.clear();
    for (const uint32_t row : rows) kept.idf.push_back(model.idf[row]);
    RoundIdf(&kept.idf);
    kept.wide = ToInt8Rows(wide);
    if (wide.cols() <= kMostPqLabels) {
      FIRTH_ASSIGN_OR_RETURN(kept.wide, ToPqRows(wide, WideParts(wide.cols())));
    }
  }
  if (model.has_deep()) {
    FIRTH_ASSIGN_OR_RETURN(const FloatTable input, KeepRows(model.input, rows));
    FIRTH_ASSIGN_OR_RETURN(kept.input,
                           ToPqRows(input, InputParts(input.cols())));
  }
  return kept;
}

absl::Status TooSmall(const QuantizeClassifierOptions& options,
                      const ClassifierModel& model, uint64_t found) {
  return absl::InvalidArgumentError(
      absl::StrCat("max-size: the ", model.labels.size(),
                   " labels and their metadata alone need ", found,
                   " bytes, but the limit is ", options.max_bytes));
}

// Returns the maximum number of bytes of a file with one row.
absl::StatusOr<uint64_t> FixedBytes(const ClassifierModel& model) {
  const uint32_t first = 0;
  FIRTH_ASSIGN_OR_RETURN(ClassifierModel one,
                         KeepAndRound(model, absl::MakeConstSpan(&first, 1)));
  return ClassifierFileBytes(one);
}

}  // namespace

absl::StatusOr<ClassifierModel> QuantizeModel(
    const ClassifierModel& model, absl::Span<const LabelledText> texts,
    const QuantizeClassifierOptions& options, const Hooks& hooks) {
  const std::vector<absl::string_view> sample = SampleTexts(texts);
  ClassifierModel rounded = model;
  const uint64_t output_bytes =
      NumRows(model.output) * RowDim(model.output) * sizeof(float);
  const bool rounds_output = output_bytes > options.max_bytes / 4;
  FIRTH_ASSIGN_OR_RETURN(const FloatTable output, ToFloatTable(model.output));
  if (rounds_output) rounded.output = ToInt8Rows(output);
  FIRTH_ASSIGN_OR_RETURN(const uint64_t fixed, FixedBytes(rounded));
  if (fixed >= options.max_bytes) return TooSmall(options, model, fixed);
  const std::vector<uint32_t> ranked = RankFeatures(model, sample);
  uint64_t budget = options.max_bytes - fixed;
  while (true) {
    FIRTH_RETURN_IF_ERROR(CheckStop(hooks));
    const std::vector<uint32_t> rows =
        ChooseRows(model.features, ranked, CostOf(model), budget);
    if (rows.empty()) return TooSmall(options, model, fixed);
    FIRTH_ASSIGN_OR_RETURN(ClassifierModel small, KeepAndRound(rounded, rows));
    const uint64_t bytes = ClassifierFileBytes(small);
    if (bytes > options.max_bytes) {
      // The numbers of these features took more bytes than estimated.
      const uint64_t over = bytes - options.max_bytes;
      if (over >= budget) return TooSmall(options, model, fixed);
      budget -= over;
      continue;
    }
    if (options.retrain && !sample.empty() && model.context_mean.empty()) {
      FIRTH_RETURN_IF_ERROR(FitScores(model, sample, hooks, &small));
      if (rounds_output) {
        FIRTH_ASSIGN_OR_RETURN(const FloatTable fitted,
                               ToFloatTable(small.output));
        small.output = ToInt8Rows(fitted);
      }
    }
    return small;
  }
}

}  // namespace firth
