// Blocks of rows are dealt out to the threads; each block, in a second-level
// cache, meets panel after panel of 16 queries. A thread keeps a list of
// candidates a query; what the kernel compares with are their thresholds. The
// candidates are then scored as a single query scores rows, to the same bits.
//
// Where all rows are the queries, a batch of them meets itself and the rows
// after it only, and a score counts for both of its rows. A row after the batch
// belongs to the thread that has its block, and so does its list, until it is
// in the batch itself and all rows before it have met it.

#include "query/neighbor_batch.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "base/check.h"
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

// The same where rows are queries: whole blocks of them.
constexpr size_t kSharedQueries = 3 * kBatchRows;

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

// Queries that meet rows together.
struct Batch {
  absl::Span<const UnitQuery> queries;
  size_t first_row = 0;  // of those that they meet
  // Of all rows, for which the queries, themselves the rows from first_row, are
  // candidates, too; or empty.
  absl::Span<CandidateList> row_lists = {};

  // The lists of the rows of a block, unless they are queries, which meet one
  // another in both directions.
  absl::Span<CandidateList> ListsOf(size_t begin, size_t count) const {
    if (row_lists.empty() || begin < first_row + queries.size()) return {};
    return row_lists.subspan(begin, count);
  }
};

// What one thread needs.
class BatchScan {
 public:
  BatchScan(const ScannedRows& rows, const Batch& batch,
            const PaddedMatrix& panels, size_t top)
      : rows_(rows),
        batch_(batch),
        panels_(panels),
        error_(ScoreRounding(RowDim(rows.store))),
        block_(rows.store, kBatchRows),
        lists_(batch.queries.size(), CandidateList(top)) {}

  void ScanBlock(size_t begin, size_t count) {
    const float* const rows = block_.Read(begin, count);
    const absl::Span<CandidateList> row_lists = batch_.ListsOf(begin, count);
    for (size_t first = 0; first < lists_.size(); first += kPanelQueries) {
      for (size_t row = 0; row < row_lists.size(); ++row) {
        row_thresholds_[row] = row_lists[row].threshold() - error_;
      }
      const size_t num_hits =
          ScanPanel(first, rows, begin, count,
                    row_lists.empty() ? nullptr : row_thresholds_);
      if (!row_lists.empty()) PushQueries(first, num_hits, row_lists);
    }
  }
  const std::vector<CandidateList>& lists() const { return lists_; }

 private:
  // Queries from `first` with the rows from `begin`, which lie at `rows`.
  // Returns how many hits there are.
  size_t ScanPanel(size_t first, const float* rows, size_t begin, size_t count,
                   const float* row_thresholds) {
    const size_t num_queries = PanelSize(first);
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
                 penalties, thresholds, row_thresholds, scores_, hits_);
    for (size_t hit = 0; hit < num_hits; ++hit) {
      const float* const scores = scores_ + hits_[hit] * kPanelQueries;
      const WordId word = ToWordId(begin + hits_[hit]);
      for (size_t q = 0; q < num_queries; ++q) {
        if (scores[q] >= thresholds[q]) Push(first + q, word, scores[q]);
      }
    }
    return num_hits;
  }

  // The other way round: the queries of the panel as candidates of the rows.
  void PushQueries(size_t first, size_t num_hits,
                   absl::Span<CandidateList> row_lists) {
    const size_t num_queries = PanelSize(first);
    for (size_t hit = 0; hit < num_hits; ++hit) {
      const size_t row = hits_[hit];
      const float* const scores = scores_ + row * kPanelQueries;
      for (size_t q = 0; q < num_queries; ++q) {
        if (scores[q] < row_thresholds_[row]) continue;
        row_lists[row].Push(ToWordId(batch_.first_row + first + q),
                            scores[q] - error_, scores[q] + error_);
      }
    }
  }

  void Push(size_t query, WordId word, float score) {
    if (batch_.queries[query].Excludes(word)) return;
    lists_[query].Push(word, score - error_, score + error_);
  }

  size_t PanelSize(size_t first) const {
    return std::min(kPanelQueries, lists_.size() - first);
  }

  const ScannedRows& rows_;
  const Batch& batch_;
  const PaddedMatrix& panels_;
  const float error_;
  RowBlock block_;
  std::vector<CandidateList> lists_;  // [queries]
  const float no_penalties_[kBatchRows] = {};
  float row_thresholds_[kBatchRows];
  alignas(64) float scores_[kBatchRows * kPanelQueries];
  uint32_t hits_[kBatchRows];
};

// Adds to the list of each query the rows among which are its `top` best: those
// and the few that are as good within rounding. lists: [queries].
void AddCandidates(const ScannedRows& rows, const Batch& batch, size_t top,
                   const Hooks& hooks, absl::Span<CandidateList> lists) {
  const PaddedMatrix panels = PackPanels(batch.queries, RowDim(rows.store));
  ParallelExceptions exceptions;
#pragma omp parallel
  {
    std::optional<BatchScan> scan;
    exceptions.Catch([&] { scan.emplace(rows, batch, panels, top); });
#pragma omp for schedule(static) nowait
    for (size_t begin = batch.first_row; begin < rows.size();
         begin += kBatchRows) {
      if (!scan.has_value() || hooks.StopRequested()) continue;
      exceptions.Catch([&] {
        scan->ScanBlock(begin, std::min(kBatchRows, rows.size() - begin));
      });
    }
#pragma omp critical(firth_add_candidates)
    for (size_t query = 0; scan.has_value() && query < lists.size(); ++query) {
      exceptions.Catch([&] { lists[query].Merge(scan->lists()[query]); });
    }
  }
  exceptions.Rethrow();
}

// The answers of queries whose candidates are known, which are taken.
void RankCandidates(const ScannedRows& rows,
                    absl::Span<const UnitQuery> queries, size_t top,
                    absl::Span<CandidateList> lists,
                    absl::Span<std::vector<Neighbor>> best) {
  ParallelExceptions exceptions;
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < queries.size(); ++i) {
    exceptions.Catch([&] {
      best[i] = RankRows(rows, queries[i], lists[i].TakeWords(), top);
    });
  }
  exceptions.Rethrow();
}

// Rows as queries that do not ask for themselves.
std::vector<UnitQuery> QueriesOf(const ScannedRows& rows, size_t begin,
                                 size_t count) {
  std::vector<UnitQuery> queries(count);
  ParallelExceptions exceptions;
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < count; ++i) {
    exceptions.Catch([&] {
      std::vector<float> row(RowDim(rows.store));
      CopyRow(rows.store, begin + i, absl::MakeSpan(row));
      queries[i] = {UnitQueryVector(rows.store, row), {ToWordId(begin + i)}};
    });
  }
  exceptions.Rethrow();
  return queries;
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
    std::vector<CandidateList> lists(batch.size(), CandidateList(most));
    AddCandidates(rows, {batch}, most, hooks, absl::MakeSpan(lists));
    RankCandidates(rows, batch, top, absl::MakeSpan(lists),
                   absl::MakeSpan(best).subspan(begin, batch.size()));
  }
  return best;
}

void FindBestOfEach(const ScannedRows& rows, size_t top, TakeBest take) {
  FIRTH_CHECK(rows.penalties.empty());
  const size_t most = std::min(top, rows.size());
  std::vector<CandidateList> lists(rows.size(), CandidateList(most));
  for (size_t begin = 0; begin < rows.size(); begin += kSharedQueries) {
    const size_t count = std::min(kSharedQueries, rows.size() - begin);
    const std::vector<UnitQuery> queries = QueriesOf(rows, begin, count);
    const absl::Span<CandidateList> own =
        absl::MakeSpan(lists).subspan(begin, count);
    AddCandidates(rows, {queries, begin, absl::MakeSpan(lists)}, most, {}, own);
    std::vector<std::vector<Neighbor>> best(count);
    RankCandidates(rows, queries, top, own, absl::MakeSpan(best));
    if (!take(begin, best)) return;
    // Their memory is free for the rows to come.
    for (CandidateList& list : own) list = CandidateList(0);
  }
}

}  // namespace firth
