// Exact search: every query scans the rows as they lie in the table, in blocks
// on a fixed grid that OpenMP deals out. A thread keeps the best of its blocks
// in a list of its own; the lists are merged at the end.

#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/check.h"
#include "firth/query.h"
#include "query/top_list.h"
#include "query/unit_rows.h"
#include "simd/dot.h"

namespace firth {
namespace {

// A block of 300 floats a row stays in a second-level cache for the three dot
// products of 3CosMul; a list is asked once a row whatever the block.
constexpr size_t kBlockRows = 128;

// Below this many floats, starting threads takes longer than the scan.
constexpr size_t kParallelFloats = 100'000;

}  // namespace

struct NearestNeighbors::Index {
  WordVectors vectors;
  size_t num_rows;  // of the words that can be answers: the first ones

  // The cosines of `unit` with the rows of a block.
  void Cosines(const std::vector<float>& unit, size_t begin, size_t count,
               float* cosines) const {
    const FloatTable& table = vectors.table();
    DotRows(unit.data(), table.data() + begin * table.stride(), count,
            table.stride(), table.cols(), cosines);
    ScaleToCosines(vectors.inverse_norms().data() + begin, count, cosines);
  }

  std::vector<float> Unit(WordId word) const {
    FIRTH_CHECK(firth::Index(word) < vectors.size());
    return UnitVector(vectors.Vector(word));
  }

  // The best words by score_block(begin, count, scores). `exclude`: sorted.
  template <class ScoreBlock>
  std::vector<Neighbor> Scan(size_t top, const std::vector<WordId>& exclude,
                             const ScoreBlock& score_block) const;
};

template <class ScoreBlock>
std::vector<Neighbor> NearestNeighbors::Index::Scan(
    size_t top, const std::vector<WordId>& exclude,
    const ScoreBlock& score_block) const {
  TopList best(std::min(top, num_rows));
#pragma omp parallel if (num_rows * vectors.dim() > kParallelFloats)
  {
    TopList own_best = TopList(std::min(top, num_rows));
    float scores[kBlockRows];
#pragma omp for schedule(static) nowait
    for (size_t begin = 0; begin < num_rows; begin += kBlockRows) {
      const size_t count = std::min(kBlockRows, num_rows - begin);
      score_block(begin, count, scores);
      for (size_t i = 0; i < count; ++i) {
        const Neighbor neighbor = {ToWordId(begin + i), scores[i]};
        if (own_best.Accepts(neighbor) &&
            !std::binary_search(exclude.begin(), exclude.end(),
                                neighbor.word)) {
          own_best.Push(neighbor);
        }
      }
    }
#pragma omp critical(firth_nearest_neighbors)
    best.Merge(own_best);
  }
  return best.Take();
}

NearestNeighbors::NearestNeighbors(WordVectors vectors, size_t restrict) {
  const size_t num_rows =
      restrict == 0 ? vectors.size() : std::min(restrict, vectors.size());
  index_ = std::make_unique<const Index>(Index{std::move(vectors), num_rows});
}

NearestNeighbors::~NearestNeighbors() = default;
NearestNeighbors::NearestNeighbors(NearestNeighbors&&) noexcept = default;
NearestNeighbors& NearestNeighbors::operator=(NearestNeighbors&&) noexcept =
    default;

const WordVectors& NearestNeighbors::vectors() const { return index_->vectors; }

std::vector<Neighbor> NearestNeighbors::Find(
    absl::Span<const float> query, size_t top,
    absl::Span<const WordId> exclude) const {
  FIRTH_CHECK(query.size() == vectors().dim());
  const std::vector<float> unit = UnitVector(query);
  std::vector<WordId> excluded(exclude.begin(), exclude.end());
  std::sort(excluded.begin(), excluded.end());
  return index_->Scan(top, excluded,
                      [&](size_t begin, size_t count, float* scores) {
                        index_->Cosines(unit, begin, count, scores);
                      });
}

std::vector<Neighbor> NearestNeighbors::FindWord(WordId word,
                                                 size_t top) const {
  FIRTH_CHECK(firth::Index(word) < vectors().size());
  return Find(vectors().Vector(word), top, {word});
}

std::vector<Neighbor> NearestNeighbors::SolveAnalogy(
    WordId a, WordId b, WordId c, size_t top, AnalogyMethod method) const {
  const std::vector<float> unit_a = index_->Unit(a);
  const std::vector<float> unit_b = index_->Unit(b);
  const std::vector<float> unit_c = index_->Unit(c);
  std::vector<WordId> exclude = {a, b, c};
  if (method == AnalogyMethod::kAdd) {
    std::vector<float> query(unit_a.size());
    for (size_t i = 0; i < query.size(); ++i) {
      query[i] = unit_b[i] - unit_a[i] + unit_c[i];
    }
    return Find(query, top, exclude);
  }
  std::sort(exclude.begin(), exclude.end());
  return index_->Scan(
      top, exclude, [&](size_t begin, size_t count, float* scores) {
        float cosines_a[kBlockRows], cosines_c[kBlockRows];
        index_->Cosines(unit_b, begin, count, scores);
        index_->Cosines(unit_a, begin, count, cosines_a);
        index_->Cosines(unit_c, begin, count, cosines_c);
        ShiftCosines(count, scores);
        ShiftCosines(count, cosines_a);
        ShiftCosines(count, cosines_c);
        for (size_t i = 0; i < count; ++i) {
          scores[i] = scores[i] * cosines_c[i] / (cosines_a[i] + 0.001f);
        }
      });
}

}  // namespace firth
