#include "classify/quantize_model.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/matrix.h"
#include "classify/classifier_file.h"
#include "classify/feature_weights.h"
#include "classify/keep_features.h"
#include "firth/status_macros.h"
#include "vectors/product_quantizer.h"

namespace firth {
namespace {

// More hardly change what is learnt of them.
constexpr size_t kMostTexts = 20000;
// Above it a row's scale takes less than codebooks do.
constexpr size_t kMostPqLabels = 64;

absl::Status CheckStop(const Hooks& hooks) {
  return hooks.StopRequested() ? absl::CancelledError("interrupted")
                               : absl::OkStatus();
}

// Spread evenly over all.
std::vector<absl::string_view> SampleTexts(
    absl::Span<const LabelledText> texts) {
  const size_t count = std::min(texts.size(), kMostTexts);
  std::vector<absl::string_view> sample;
  for (size_t i = 0; i < count; ++i) {
    sample.push_back(texts[i * texts.size() / count].text);
  }
  return sample;
}

// The sums over texts of x_f^2 and of (t_f / sum t)^2.
struct ValueSums {
  std::vector<double> wide;
  std::vector<double> deep;
};

ValueSums SumValues(const ClassifierModel& model,
                    absl::Span<const absl::string_view> texts) {
  const size_t rows = model.features.rows();
  const double first = texts.empty() ? 1 : 0;
  ValueSums sums{std::vector<double>(rows, first),
                 std::vector<double>(rows, first)};
  FeatureIndex::Reader reader(model.features);
  for (const absl::string_view text : texts) {
    for (const auto& [row, wide, deep] :
         FeatureValues(model, reader.Read(text))) {
      sums.wide[row] += static_cast<double>(wide * wide);
      sums.deep[row] += static_cast<double>(deep * deep);
    }
  }
  return sums;
}

// The rows of the output table that scores are made of, of a softmax without
// their mean: [rows, dim].
Matrix<double> CenteredOutput(const ClassifierModel& model) {
  const size_t dim = RowDim(model.input);
  Matrix<double> output(NumRows(model.output), dim);
  std::vector<double> mean(dim);
  std::vector<float> row(RowDim(model.output));
  for (size_t i = 0; i < output.rows(); ++i) {
    CopyRow(model.output, i, absl::MakeSpan(row));
    std::copy_n(row.begin(), dim, output.Row(i));
    for (size_t at = 0; at < dim; ++at) {
      mean[at] += output.Row(i)[at] / static_cast<double>(output.rows());
    }
  }
  if (model.link != LabelLink::kSoftmax) return output;
  for (size_t i = 0; i < output.rows(); ++i) {
    for (size_t at = 0; at < dim; ++at) output.Row(i)[at] -= mean[at];
  }
  return output;
}

// G = O^T O, so that |O v|^2 = v^T G v: [dim, dim].
Matrix<double> Gram(const Matrix<double>& output) {
  Matrix<double> gram(output.cols(), output.cols());
  for (size_t row = 0; row < output.rows(); ++row) {
    const double* const values = output.Row(row);
    for (size_t i = 0; i < gram.rows(); ++i) {
      for (size_t j = 0; j < gram.cols(); ++j) {
        gram.Row(i)[j] += values[i] * values[j];
      }
    }
  }
  return gram;
}

double WideEnergy(const ClassifierModel& model, uint32_t row,
                  std::vector<float>* room) {
  CopyRow(model.wide, row, absl::MakeSpan(*room));
  const double mean = model.link == LabelLink::kSoftmax
                          ? std::accumulate(room->begin(), room->end(), 0.0) /
                                static_cast<double>(room->size())
                          : 0;
  double energy = 0;
  for (const float weight : *room) {
    const double above = static_cast<double>(weight) - mean;
    energy += above * above;
  }
  return energy;
}

double DeepEnergy(const ClassifierModel& model, const Matrix<double>& gram,
                  uint32_t row, std::vector<float>* room) {
  CopyRow(model.input, row, absl::MakeSpan(*room));
  double energy = 0;
  for (size_t i = 0; i < gram.rows(); ++i) {
    double sum = 0;
    for (size_t j = 0; j < gram.cols(); ++j) {
      sum += gram.Row(i)[j] * static_cast<double>((*room)[j]);
    }
    energy += sum * static_cast<double>((*room)[i]);
  }
  return energy;
}

// All rows, those that say most first.
std::vector<uint32_t> RankRows(const ClassifierModel& model,
                               absl::Span<const absl::string_view> texts) {
  const ValueSums sums = SumValues(model, texts);
  std::vector<double> energies(model.features.rows());
  if (model.has_wide()) {
    const double scale = std::pow(static_cast<double>(model.wide_scale), 2);
    std::vector<float> room(RowDim(model.wide));
    for (uint32_t row = 0; row < energies.size(); ++row) {
      energies[row] += scale * sums.wide[row] * WideEnergy(model, row, &room);
    }
  }
  if (model.has_deep()) {
    const double scale = std::pow(static_cast<double>(model.deep_scale), 2);
    const Matrix<double> gram = Gram(CenteredOutput(model));
    std::vector<float> room(RowDim(model.input));
    for (uint32_t row = 0; row < energies.size(); ++row) {
      energies[row] +=
          scale * sums.deep[row] * DeepEnergy(model, gram, row, &room);
    }
  }
  std::vector<uint32_t> ranked(energies.size());
  std::iota(ranked.begin(), ranked.end(), 0u);
  std::stable_sort(ranked.begin(), ranked.end(), [&](uint32_t a, uint32_t b) {
    return energies[a] > energies[b];
  });
  return ranked;
}

// Bytes of a quantized row.
size_t WideParts(size_t labels) { return labels == 2 ? 1 : labels; }
size_t InputParts(size_t dim) { return dim % 2 == 0 ? dim / 2 : dim; }

uint64_t RowBytes(const ClassifierModel& model) {
  uint64_t bytes = 0;
  if (model.has_wide()) {
    const size_t labels = model.labels.size();
    // One more for idf.
    bytes += 1 + (labels <= kMostPqLabels ? WideParts(labels)
                                          : labels + sizeof(float));
  }
  if (model.has_deep()) bytes += InputParts(RowDim(model.input));
  return bytes;
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

// idf in at most 256 values, so that a byte names each.
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

// The equations A d = b of least squares for each label, where d are changes of
// its row of the output and, last, of its bias.
class ScoreFit {
 public:
  // `scores`: how many there are of a text.
  ScoreFit(size_t dim, size_t scores)
      : normal_(dim + 1, dim + 1), sides_(scores, dim + 1) {}

  // A text's hidden vector, and what its scores lack.
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

  // The changes: [scores, dim + 1]. Small ones are preferred (a ridge): the
  // training texts' scores owe a part to rare n-grams that no other text has,
  // which others would be scored by. A thirtieth of it costs .3 points where
  // few n-grams are left, thirty times as much leaves probabilities off.
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
  // The lower triangle becomes that of Cholesky's decomposition.
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
  Matrix<double> sides_;   // b, a row each, then d
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

// Fits the small model's output and bias so that texts have the scores of the
// whole one.
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

absl::Status TooSmall(const QuantizeClassifierOptions& options,
                      const ClassifierModel& model, uint64_t found) {
  return absl::InvalidArgumentError(absl::StrCat(
      "max-size: expected at least ", found, ", which ", model.labels.size(),
      " labels and what they are told by take, found ", options.max_bytes));
}

// What the file takes without a row, at most.
absl::StatusOr<uint64_t> FixedBytes(const ClassifierModel& model) {
  const uint32_t first = 0;
  FIRTH_ASSIGN_OR_RETURN(ClassifierModel one,
                         KeepAndRound(model, absl::MakeConstSpan(&first, 1)));
  constexpr uint64_t kCentroids = 256;
  uint64_t books = 0;
  if (model.has_wide() && model.labels.size() <= kMostPqLabels) {
    books += kCentroids * model.labels.size() * sizeof(float);
  }
  if (model.has_wide()) books += kCentroids * sizeof(float);  // of idf
  if (model.has_deep())
    books += kCentroids * RowDim(model.input) * sizeof(float);
  return ClassifierFileBytes(one) + books;
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
  const std::vector<uint32_t> ranked = RankRows(model, sample);
  uint64_t budget = options.max_bytes - fixed;
  while (true) {
    FIRTH_RETURN_IF_ERROR(CheckStop(hooks));
    const std::vector<uint32_t> rows =
        ChooseRows(model.features, ranked, RowBytes(model), budget);
    if (rows.empty()) return TooSmall(options, model, fixed);
    FIRTH_ASSIGN_OR_RETURN(ClassifierModel small, KeepAndRound(rounded, rows));
    const uint64_t bytes = ClassifierFileBytes(small);
    if (bytes > options.max_bytes) {
      // Numbers took more bytes than most do.
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
