// Blocks of rows are dealt out to the threads; each block, in a second-level
// cache, meets panel after panel of 16 queries. A thread keeps a list of
// candidates a query; what the kernel compares with are their thresholds. The
// candidates are then scored as a single query scores rows, to the same bits.

#include "query/neighbor_batch.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "base/matrix.h"
#include "base/parallel_exceptions.h"
#include "query/candidate_list.h"
#include "query/row_scan.h"
#include "query/top_list.h"
#include "simd/dot_panel.h"
#include "vectors/row_block.h"

namespace firth {
namespace {

// 96 rows of 300 floats are 115 kB, a panel is 19 kB; a multiple of the rows
// that any kernel takes at once.
constexpr size_t kBatchRows = 96;

// Queries whose panels stay in a second-level cache together.
constexpr size_t kBatchQueries = 256;

// Candidates that a thread keeps of all queries of a batch, about: 25 MB. Where
// each query has more answers, fewer queries make a batch, down to a panel.
constexpr size_t kBatchCandidates = size_t{1} << 20;

size_t BatchQueries(size_t top) {
  const size_t panels =
      kBatchCandidates / std::max<size_t>(top, 1) / kPanelQueries;
  return std::clamp(panels * kPanelQueries, kPanelQueries, kBatchQueries);
}

// How far two sums of the same products may lie apart, both rounded, a penalty
// taken off: what decides between rows is their score as a single query has it.
float ScoreRounding(size_t dim) {
  return static_cast<float>(dim + 16) * std::numeric_limits<float>::epsilon();
}

// All panels one after another: [panels * dim, kPanelQueries].
PaddedMatrix PackPanels(absl::Span<const UnitQuery> queries, size_t dim) {
  const size_t num_panels =
      (queries.size() + kPanelQueries - 1) / kPanelQueries;
  PaddedMatrix panels(num_panels * dim, kPanelQueries);
  for (size_t query = 0; query < queries.size(); ++query) {
    const size_t first_row = query / kPanelQueries * dim;
    for (size_t i = 0; i < dim; ++i) {
      panels.Row(first_row + i)[query % kPanelQueries] = queries[query].unit[i];
    }
  }
  return panels;
}

// What one thread needs.
class BatchScan {
 public:
  BatchScan(const ScannedRows& rows, absl::Span<const UnitQuery> queries,
            const PaddedMatrix& panels, size_t top)
      : rows_(rows),
        queries_(queries),
        panels_(panels),
        error_(ScoreRounding(RowDim(rows.store))),
        block_(rows.store, kBatchRows),
        lists_(queries.size(), CandidateList(top)) {}

  void ScanBlock(size_t begin, size_t count) {
    const float* const rows = block_.Read(begin, count);
    for (size_t first = 0; first < queries_.size(); first += kPanelQueries) {
      ScanPanel(first, rows, begin, count);
    }
  }
  const std::vector<CandidateList>& lists() const { return lists_; }

 private:
  // Queries from `first` with the rows from `begin`, which lie at `rows`.
  void ScanPanel(size_t first, const float* rows, size_t begin, size_t count) {
    const size_t num_queries = std::min(kPanelQueries, queries_.size() - first);
    alignas(64) float thresholds[kPanelQueries];
    std::fill_n(thresholds, kPanelQueries,
                std::numeric_limits<float>::infinity());
    for (size_t q = 0; q < num_queries; ++q) {
      thresholds[q] = lists_[first + q].threshold() - error_;
    }
    const size_t dim = RowDim(rows_.store);
    const float* const penalties =
        rows_.penalties.empty() ? no_penalties_ : &rows_.penalties[begin];
    const size_t num_hits =
        DotPanel(panels_.Row(first / kPanelQueries * dim), rows, count,
                 block_.stride(), dim, rows_.inverse_norms.data() + begin,
                 penalties, thresholds, scores_, hits_);
    for (size_t hit = 0; hit < num_hits; ++hit) {
      const float* const scores = scores_ + hits_[hit] * kPanelQueries;
      const WordId word = ToWordId(begin + hits_[hit]);
      for (size_t q = 0; q < num_queries; ++q) {
        if (scores[q] >= thresholds[q]) Push(first + q, word, scores[q]);
      }
    }
  }

  void Push(size_t query, WordId word, float score) {
    if (queries_[query].Excludes(word)) return;
    lists_[query].Push(word, score - error_, score + error_);
  }

  const ScannedRows& rows_;
  absl::Span<const UnitQuery> queries_;
  const PaddedMatrix& panels_;
  const float error_;
  RowBlock block_;
  std::vector<CandidateList> lists_;  // [queries]
  const float no_penalties_[kBatchRows] = {};
  alignas(64) float scores_[kBatchRows * kPanelQueries];
  uint32_t hits_[kBatchRows];
};

// For each query the rows among which are its `top` best, in no order: those
// and the few that are as good within rounding.
std::vector<std::vector<WordId>> FindCandidates(
    const ScannedRows& rows, absl::Span<const UnitQuery> queries, size_t top,
    const Hooks& hooks) {
  const PaddedMatrix panels = PackPanels(queries, RowDim(rows.store));
  std::vector<CandidateList> lists(queries.size(), CandidateList(top));
  ParallelExceptions exceptions;
#pragma omp parallel
  {
    std::optional<BatchScan> scan;
    exceptions.Catch([&] { scan.emplace(rows, queries, panels, top); });
#pragma omp for schedule(static) nowait
    for (size_t begin = 0; begin < rows.size(); begin += kBatchRows) {
      if (!scan.has_value() || hooks.StopRequested()) continue;
      exceptions.Catch([&] {
        scan->ScanBlock(begin, std::min(kBatchRows, rows.size() - begin));
      });
    }
#pragma omp critical(firth_find_candidates)
    for (size_t query = 0; scan.has_value() && query < lists.size(); ++query) {
      exceptions.Catch([&] { lists[query].Merge(scan->lists()[query]); });
    }
  }
  exceptions.Rethrow();
  std::vector<std::vector<WordId>> candidates;
  candidates.reserve(lists.size());
  for (CandidateList& list : lists) candidates.push_back(list.TakeWords());
  return candidates;
}

}  // namespace

std::vector<Neighbor> RankRows(const ScannedRows& rows, const UnitQuery& query,
                               absl::Span<const WordId> candidates,
                               size_t top) {
  const RowScan scan(rows.store, rows.inverse_norms, query.unit);
  TopList best(std::min(top, candidates.size()));
  for (const WordId word : candidates) {
    if (query.Excludes(word)) continue;
    float score;
    scan.Cosines(Index(word), 1, &score);
    if (!rows.penalties.empty()) score -= rows.penalties[Index(word)];
    best.Push({word, score});
  }
  return best.TakeSorted();
}

std::vector<std::vector<Neighbor>> FindBest(const ScannedRows& rows,
                                            absl::Span<const UnitQuery> queries,
                                            size_t top, const Hooks& hooks) {
  std::vector<std::vector<Neighbor>> best(queries.size());
  const size_t most = std::min(top, rows.size());
  const size_t at_once = BatchQueries(most);
  for (size_t begin = 0; begin < queries.size() && !hooks.StopRequested();
       begin += at_once) {
    hooks.ReportWork(begin, queries.size());
    const auto batch = queries.subspan(begin, at_once);
    const std::vector<std::vector<WordId>> candidates =
        FindCandidates(rows, batch, most, hooks);
    ParallelExceptions exceptions;
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < batch.size(); ++i) {
      exceptions.Catch([&] {
        best[begin + i] = RankRows(rows, batch[i], candidates[i], top);
      });
    }
    exceptions.Rethrow();
  }
  return best;
}

}  // namespace firth
