#include "query/csls.h"

#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "base/check.h"

namespace firth {
namespace {

// Number of vectors whose unit copies are in memory at the same time.
constexpr size_t kChunkVectors = 4096;

using Vectors = std::vector<absl::Span<const float>>;

// Returns the rows, which must be floats.
Vectors RowsOf(const ScannedRows& rows) {
  const auto* table = std::get_if<FloatTable>(&rows.store);
  FIRTH_CHECK(table != nullptr);
  Vectors vectors;
  vectors.reserve(rows.size());
  for (size_t row = 0; row < rows.size(); ++row) {
    vectors.push_back(table->Row(row));
  }
  return vectors;
}

// Returns the mean score, or 0 if there are no neighbors.
double MeanScore(const std::vector<Neighbor>& neighbors) {
  double sum = 0;
  for (const Neighbor& neighbor : neighbors) sum += neighbor.score;
  return neighbors.empty() ? 0 : sum / static_cast<double>(neighbors.size());
}

// Returns the best row for each vector by cosine minus penalty.
std::vector<WordId> BestRows(
    const ScannedRows& rows,
    absl::Span<const absl::Span<const float>> vectors) {
  std::vector<WordId> best;
  best.reserve(vectors.size());
  for (const auto& found : FindBestRows(rows, vectors, 1)) {
    best.push_back(found[0].word);
  }
  return best;
}

}  // namespace

absl::Status CheckSameDim(const WordVectors& source,
                          const WordVectors& target) {
  if (source.dim() == target.dim()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the target must have ", source.dim(),
                   " dimensions, as the source has, found ", target.dim()));
}

std::vector<std::vector<Neighbor>> FindBestRows(
    const ScannedRows& rows, absl::Span<const absl::Span<const float>> vectors,
    size_t top) {
  std::vector<std::vector<Neighbor>> found;
  found.reserve(vectors.size());
  for (size_t begin = 0; begin < vectors.size(); begin += kChunkVectors) {
    std::vector<UnitQuery> queries;
    for (const auto vector : vectors.subspan(begin, kChunkVectors)) {
      queries.push_back({UnitQueryVector(rows.store, vector), {}});
    }
    for (auto& neighbors : FindBest(rows, queries, top)) {
      found.push_back(std::move(neighbors));
    }
  }
  return found;
}

std::vector<float> HalfMeanCosines(
    const ScannedRows& rows, absl::Span<const absl::Span<const float>> vectors,
    size_t k) {
  std::vector<float> means;
  means.reserve(vectors.size());
  for (size_t begin = 0; begin < vectors.size(); begin += kChunkVectors) {
    const auto chunk = vectors.subspan(begin, kChunkVectors);
    for (const auto& neighbors : FindBestRows(rows, chunk, k)) {
      means.push_back(static_cast<float>(MeanScore(neighbors) / 2));
    }
  }
  return means;
}

std::vector<WordPair> MutualBest(const ScannedRows& source,
                                 const ScannedRows& target, size_t k) {
  if (source.size() == 0 || target.size() == 0) return {};
  const Vectors source_rows = RowsOf(source), target_rows = RowsOf(target);
  const std::vector<float> source_hubs =
      HalfMeanCosines(target, source_rows, k);
  const std::vector<float> target_hubs =
      HalfMeanCosines(source, target_rows, k);
  const std::vector<WordId> to_target =
      BestRows({target.store, target.inverse_norms, target_hubs}, source_rows);
  const std::vector<WordId> to_source =
      BestRows({source.store, source.inverse_norms, source_hubs}, target_rows);
  std::vector<WordPair> pairs;
  for (size_t row = 0; row < to_target.size(); ++row) {
    const WordPair pair = {ToWordId(row), to_target[row]};
    if (to_source[Index(pair.target)] == pair.source) pairs.push_back(pair);
  }
  return pairs;
}

}  // namespace firth
