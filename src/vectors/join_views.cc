// Fit() reads only the most frequent words. It centers and scales each view,
// puts the views side by side and computes the principal components. Join()
// then maps rows of any kind, of words and of n-grams. It never stores the rows
// of all views side by side: the joint row is the sum of one product per view.

#include "vectors/join_views.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/matrix.h"
#include "base/memory_info.h"
#include "base/parallel_exceptions.h"
#include "firth/status_macros.h"
#include "simd/gemm.h"
#include "simd/packed_gemm.h"
#include "vectors/principal_components.h"
#include "vectors/row_block.h"

namespace firth {
namespace {

// The position of a view's vectors is estimated from the most frequent words.
// Vectors of rare words have hardly left their initial values.
constexpr size_t kFitWords = 20'000;

// The map of the rows of one view, (row - center) * scale, and the position of
// the result among the columns of all views.
struct Part {
  std::vector<float> center;  // [dim of the view]
  float scale = 0;
  size_t first_column = 0;

  size_t dim() const { return center.size(); }
  void Apply(absl::Span<const float> row, float* to) const {
    for (size_t i = 0; i < dim(); ++i) to[i] = (row[i] - center[i]) * scale;
  }
};

class Joint {
 public:
  static absl::StatusOr<Joint> Fit(absl::Span<const WordVectors> views,
                                   const JoinOptions& options);

  // Joins one table per view, all with the same number of rows.
  absl::StatusOr<FloatTable> Join(const std::vector<FloatTable>& tables) const;

 private:
  void JoinBlock(const std::vector<FloatTable>& tables, size_t begin,
                 size_t count, float* block, PaddedMatrix* joined) const;

  std::vector<Part> parts_;
  size_t columns_ = 0;             // Number of columns of all parts.
  std::vector<float> projection_;  // [dim, columns_]
  size_t dim_ = 0;
};

Part MakePart(const FloatTable& table, size_t fit_rows, size_t first_column) {
  Part part{MeanRow(table.Rows(0, fit_rows)), 1, first_column};
  std::vector<float> row(part.dim());
  double squares = 0;
  for (size_t r = 0; r < fit_rows; ++r) {
    part.Apply(table.Row(r), row.data());
    for (const float value : row) squares += double{value} * value;
  }
  part.scale = squares > 0 ? static_cast<float>(std::sqrt(
                                 static_cast<double>(fit_rows) / squares))
                           : 0;
  return part;
}

absl::StatusOr<Joint> Joint::Fit(absl::Span<const WordVectors> views,
                                 const JoinOptions& options) {
  Joint joint;
  joint.dim_ = options.dim;
  const size_t fit_rows = std::min(views[0].size(), kFitWords);
  for (const WordVectors& view : views) {
    FIRTH_CHECK(view.size() == views[0].size());
    joint.parts_.push_back(MakePart(view.table(), fit_rows, joint.columns_));
    joint.columns_ += view.dim();
  }
  const size_t kept = std::min(options.dim, joint.columns_);
  FIRTH_ASSIGN_OR_RETURN(
      PaddedMatrix side_by_side,
      AllocateTable("joined vectors", fit_rows, joint.columns_));
  for (size_t row = 0; row < fit_rows; ++row) {
    for (size_t v = 0; v < views.size(); ++v) {
      const Part& part = joint.parts_[v];
      part.Apply(views[v].table().Row(row),
                 side_by_side.Row(row) + part.first_column);
    }
  }
  FIRTH_ASSIGN_OR_RETURN(
      Components components,
      PrincipalComponents(std::move(side_by_side),
                          std::vector<float>(joint.columns_), kept));
  joint.projection_ = std::move(components.vectors);
  joint.projection_.resize(options.dim * joint.columns_);
  for (size_t k = 0; k < kept; ++k) {
    // Deviations are proportional to the root of the sums of squares.
    if (components.sums[k] <= 0) continue;
    const auto weight =
        static_cast<float>((k == 0 ? options.first_share : 1) *
                           std::pow(components.sums[k] / components.sums[0],
                                    -options.whitening / 2));
    float* const row = joint.projection_.data() + k * joint.columns_;
    for (size_t i = 0; i < joint.columns_; ++i) row[i] *= weight;
  }
  return joint;
}

void Joint::JoinBlock(const std::vector<FloatTable>& tables, size_t begin,
                      size_t count, float* block, PaddedMatrix* joined) const {
  for (size_t v = 0; v < tables.size(); ++v) {
    const Part& part = parts_[v];
    for (size_t i = 0; i < count; ++i) {
      part.Apply(tables[v].Row(begin + i), block + i * part.dim());
    }
    Gemm(Transpose::kNo, Transpose::kYes, count, dim_, part.dim(), 1, block,
         part.dim(), projection_.data() + part.first_column, columns_,
         v == 0 ? 0 : 1, joined->Row(begin), joined->stride());
  }
}

absl::StatusOr<FloatTable> Joint::Join(
    const std::vector<FloatTable>& tables) const {
  const size_t rows = tables[0].rows();
  FIRTH_ASSIGN_OR_RETURN(PaddedMatrix joined,
                         AllocateTable("joined vectors", rows, dim_));
  ParallelExceptions exceptions;
#pragma omp parallel
  {
    std::vector<float> block;
    exceptions.Catch([&] { block.resize(kBlockRows * columns_); });
#pragma omp for schedule(static)
    for (size_t begin = 0; begin < rows; begin += kBlockRows) {
      if (block.empty()) continue;
      exceptions.Catch([&] {
        JoinBlock(tables, begin, std::min(kBlockRows, rows - begin),
                  block.data(), &joined);
      });
    }
  }
  exceptions.Rethrow();
  return joined;
}

// Returns the same table of every view.
template <class Get>
std::vector<FloatTable> Each(absl::Span<const WordVectors> views, Get get) {
  std::vector<FloatTable> tables;
  for (const WordVectors& view : views) tables.push_back(get(view));
  return tables;
}

}  // namespace

absl::StatusOr<WordVectors> JoinViews(absl::Span<const WordVectors> views,
                                      const JoinOptions& options) {
  FIRTH_CHECK(!views.empty());
  FIRTH_ASSIGN_OR_RETURN(const Joint joint, Joint::Fit(views, options));
  FIRTH_ASSIGN_OR_RETURN(FloatTable table,
                         joint.Join(Each(views, [](const WordVectors& view) {
                           return view.table();
                         })));
  std::optional<SubwordTables> subwords;
  if (views[0].subwords() != nullptr) {
    subwords = *views[0].subwords();
    FIRTH_ASSIGN_OR_RETURN(subwords->n_grams,
                           joint.Join(Each(views, [](const WordVectors& view) {
                             return view.subwords()->n_grams;
                           })));
    if (!subwords->words.empty()) {
      FIRTH_ASSIGN_OR_RETURN(
          subwords->words, joint.Join(Each(views, [](const WordVectors& view) {
            return view.subwords()->words;
          })));
    }
  }
  return WordVectors::Create(views[0].vocabulary(), std::move(table),
                             std::move(subwords));
}

uint64_t JoinBytes(size_t rows, size_t columns, size_t dim, int threads) {
  const uint64_t side_by_side =
      std::min(rows, kFitWords) * PaddedStride<float>(columns) * sizeof(float);
  // The principal components take four matrices of doubles and, per thread, one
  // of floats, two blocks of rows, and the memory that its products keep.
  const auto teams = static_cast<uint64_t>(threads);
  const uint64_t components =
      columns * columns * (4 * sizeof(double) + teams * sizeof(float)) +
      teams *
          (uint64_t{2} * 1024 * columns * sizeof(float) + KeptByGemm(columns));
  const uint64_t joined = rows * PaddedStride<float>(dim) * sizeof(float);
  // The former are freed before the latter is allocated.
  return std::max(side_by_side + components, joined);
}

}  // namespace firth
