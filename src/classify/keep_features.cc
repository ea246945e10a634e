#include "classify/keep_features.h"

#include <algorithm>
#include <utility>

#include "base/matrix.h"
#include "firth/status_macros.h"
#include "simd/nearest_centroid.h"
#include "vectors/allocate_table.h"

namespace firth {
namespace {

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
