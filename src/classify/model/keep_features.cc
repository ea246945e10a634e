// Ranks the features of a classifier by their influence, and keeps some of
// them.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/matrix.h"
#include "base/memory_info.h"
#include "classify/model/feature_weights.h"
#include "classify/model/quantize_model.h"
#include "firth/status_macros.h"
#include "simd/nearest_centroid.h"

namespace firth {
namespace {

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

// Returns the rows of the output table that give the scores, minus their mean
// with a softmax: [rows, dim].
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

// Returns G = O^T O, for which |O v|^2 = v^T G v: [dim, dim].
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
  const double mean = WideMean(model, *room);
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

// Takes rows while there are bytes left.
class RowTaker {
 public:
  RowTaker(const FeatureIndex& features, const RowCost& cost, uint64_t bytes)
      : features_(features),
        cost_(cost),
        bytes_(bytes),
        taken_(features.rows()) {}

  // Takes a row, or returns false, and takes nothing, if it does not fit.
  bool Take(uint32_t row) {
    std::vector<uint32_t> added;
    uint64_t bytes = 0;
    Gather(row, &added, &bytes);
    if (bytes > bytes_) {
      for (const uint32_t undone : added) taken_[undone] = false;
      return false;
    }
    bytes_ -= bytes;
    num_taken_ += added.size();
    return true;
  }

  std::vector<uint32_t> rows() const {
    std::vector<uint32_t> rows;
    for (uint32_t row = 0; row < taken_.size(); ++row) {
      if (taken_[row]) rows.push_back(row);
    }
    return rows;
  }

 private:
  // Adds the row and the rows of which it consists, unless they are already
  // taken.
  void Gather(uint32_t row, std::vector<uint32_t>* added, uint64_t* bytes) {
    if (taken_[row]) return;
    taken_[row] = true;
    added->push_back(row);
    const bool has_centroid = num_taken_ + added->size() <= kMostCentroids;
    *bytes += cost_.row + NameBytes(row) + (has_centroid ? cost_.centroid : 0);
    const size_t words = features_.num_words();
    if (row < words || row >= words + features_.num_word_ngrams()) return;
    const auto [prefix, last] = features_.parts().word_ngrams[row - words];
    Gather(prefix, added, bytes);
    Gather(last, added, bytes);
  }

  // Returns the bytes of the feature's text, or of the numbers that replace it.
  uint64_t NameBytes(uint32_t row) const {
    const FeatureParts& parts = features_.parts();
    const size_t words = parts.words.size();
    if (row < words) return parts.words[row].size() + 1;
    if (parts.options.hashing) return sizeof(uint32_t);
    if (row < features_.first_character_row()) {
      // Most of these have two rows of two bytes each.
      return 2 * sizeof(uint16_t);
    }
    return parts.character_ngrams[row - features_.first_character_row()]
               .size() +
           1;
  }

  const FeatureIndex& features_;
  RowCost cost_;
  uint64_t bytes_;  // remaining
  size_t num_taken_ = 0;
  std::vector<bool> taken_;
};

}  // namespace

std::vector<uint32_t> RankFeatures(const ClassifierModel& model,
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

std::vector<uint32_t> ChooseRows(const FeatureIndex& features,
                                 absl::Span<const uint32_t> ranked,
                                 const RowCost& cost, uint64_t bytes) {
  RowTaker taker(features, cost, bytes);
  for (const uint32_t row : ranked) {
    if (!taker.Take(row)) break;
  }
  return taker.rows();
}

absl::StatusOr<FeatureIndex> KeepFeatures(const FeatureIndex& features,
                                          absl::Span<const uint32_t> rows) {
  const FeatureParts& all = features.parts();
  FeatureParts kept;
  kept.options = all.options;
  std::vector<uint32_t> new_rows(features.rows());
  for (size_t i = 0; i < rows.size(); ++i) {
    new_rows[rows[i]] = static_cast<uint32_t>(i);
  }
  for (const uint32_t row : rows) {
    const size_t words = all.words.size();
    if (row < words) {
      kept.words.push_back(all.words[row]);
    } else if (all.options.hashing) {
      const auto bucket = static_cast<uint32_t>(row - words);
      kept.kept_buckets.push_back(
          all.kept_buckets.empty() ? bucket : all.kept_buckets[bucket]);
    } else if (row < features.first_character_row()) {
      const auto [prefix, last] = all.word_ngrams[row - words];
      kept.word_ngrams.push_back({new_rows[prefix], new_rows[last]});
    } else {
      kept.character_ngrams.push_back(
          all.character_ngrams[row - features.first_character_row()]);
    }
  }
  // No bucket has a row, rather than all.
  if (kept.kept_buckets.empty()) kept.options.buckets = 0;
  return FeatureIndex::Of(std::move(kept));
}

absl::StatusOr<FloatTable> KeepRows(const RowStore& table,
                                    absl::Span<const uint32_t> rows) {
  if (NumRows(table) == 0) return FloatTable();
  FIRTH_ASSIGN_OR_RETURN(
      PaddedMatrix kept,
      AllocateTable("a smaller table", rows.size(), RowDim(table)));
  for (size_t i = 0; i < rows.size(); ++i) {
    CopyRow(table, rows[i], {kept.Row(i), kept.cols()});
  }
  return kept;
}

}  // namespace firth
