// Blocks of rows are assigned to threads. Each block stays in an L2 cache while
// it is multiplied by one panel of 16 queries after another. A thread keeps one
// list of candidates per query, and the kernel compares scores with the
// thresholds of these lists. The candidates are then scored in the same way as
// for a single query, bit for bit.
//
// If all rows are queries, a batch of them is compared only with itself and the
// rows after it, and a score counts for both of its rows. A row after the batch
// belongs to the thread that has its block. So does its list, until the row is
// in the batch itself and has been compared with all rows before it.

#include "query/neighbor_batch.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <variant>

#include "base/check.h"
#include "base/matrix.h"
#include "base/parallel_exceptions.h"
#include "query/top_list.h"
#include "query/unit_rows.h"
#include "simd/query_batch.h"
#include "simd/stored_rows.h"
#include "vectors/product_quantizer.h"
#include "vectors/row_block.h"

namespace firth {
namespace {

// 96 rows of 300 floats take 115 kB, a panel 19 kB. The number is a multiple of
// the rows that any kernel processes at once.
constexpr size_t kBatchRows = 96;

// Number of queries whose panels fit in an L2 cache together.
constexpr size_t kBatchQueries = 256;

// The same if rows are queries; must be whole blocks of rows.
constexpr size_t kSharedQueries = 3 * kBatchRows;

// Approximate number of candidates that a thread keeps for all queries of a
// batch; they take 25 MB. If queries have more answers, a batch has fewer
// queries, down to one panel.
constexpr size_t kBatchCandidates = size_t{1} << 20;

size_t BatchQueries(size_t top) {
  const size_t panels =
      kBatchCandidates / std::max<size_t>(top, 1) / kPanelQueries;
  return std::clamp(panels * kPanelQueries, kPanelQueries, kBatchQueries);
}

// Returns how far two rounded sums of the same products, less a penalty, may
// differ. The final order of rows is decided by their scores as in a single
// query.
float ScoreRounding(size_t dim) {
  return static_cast<float>(dim + 16) * std::numeric_limits<float>::epsilon();
}

// Returns all panels, one after another: [panels * dim, kPanelQueries].
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

// Queries that are compared with rows together.
struct Batch {
  absl::Span<const UnitQuery> queries;
  size_t first_row = 0;  // first row with which they are compared
  // One list per row if the queries, which are the rows from first_row, are
  // also candidates for all rows; otherwise empty.
  absl::Span<CandidateList> row_lists = {};

  // Returns the lists of the rows of a block, unless these rows are queries,
  // which are compared with one another in both directions.
  absl::Span<CandidateList> ListsOf(size_t begin, size_t count) const {
    if (row_lists.empty() || begin < first_row + queries.size()) return {};
    return row_lists.subspan(begin, count);
  }
};

// Scans blocks of rows in one thread.
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
  // Compares the queries from `first` with the rows from `begin`, which are at
  // `rows`. Returns the number of hits.
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

  // Adds the queries of the panel as candidates of the rows.
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

// Adds to the list of each query the rows that include its `top` best rows, and
// the few rows that are as good within rounding. lists: [queries].
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

// Takes the candidates of the queries and sets their answers.
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

// Returns rows as queries. Each query excludes its own row.
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

// Returns the dot product of each part of the unit vector with each centroid of
// that part: [parts, centroids].
std::vector<float> LookupTables(const ProductQuantizer& quantizer,
                                absl::Span<const float> unit) {
  const FloatTable& codebooks = quantizer.codebooks();
  const size_t centroids = quantizer.centroids();
  std::vector<float> tables(codebooks.rows());
  for (size_t part = 0; part < quantizer.parts(); ++part) {
    DotRows(unit.data() + part * codebooks.cols(),
            codebooks.Row(part * centroids).data(), centroids,
            codebooks.stride(), codebooks.cols(),
            tables.data() + part * centroids);
  }
  return tables;
}

// Computes the dot products of the rows [begin, begin + count) with the query.
void Dots(const FloatTable& table, const std::vector<float>& query,
          size_t begin, size_t count, float* dots) {
  DotRows(query.data(), table.data() + begin * table.stride(), count,
          table.stride(), table.cols(), dots);
}

void Dots(const Float16Rows& rows, const std::vector<float>& query,
          size_t begin, size_t count, float* dots) {
  const Table<uint16_t>& table = rows.values;
  DotRows(query.data(), table.data() + begin * table.stride(), count,
          table.stride(), table.cols(), dots);
}

void Dots(const Int8Rows& rows, const std::vector<float>& query, size_t begin,
          size_t count, float* dots) {
  const Table<int8_t>& table = rows.codes;
  DotRows(query.data(), table.data() + begin * table.stride(), count,
          table.stride(), table.cols(), dots);
  const float* const scales = rows.scales.data() + begin;
  for (size_t i = 0; i < count; ++i) dots[i] *= scales[i];
}

void Dots(const PqRows& rows, const std::vector<float>& tables, size_t begin,
          size_t count, float* dots) {
  SumLookups(tables.data(), rows.quantizer->centroids(),
             rows.codes.data() + begin * rows.codes.stride(), count,
             rows.codes.cols(), dots);
  if (rows.norms.empty()) return;
  const float* const norms = rows.norms.data() + begin;
  for (size_t i = 0; i < count; ++i) dots[i] *= norms[i];
}

}  // namespace

std::vector<float> UnitQueryVector(const RowStore& rows,
                                   absl::Span<const float> vector) {
  return RotateFor(rows, UnitVector(vector));
}

RowScan::RowScan(const RowStore& rows, absl::Span<const float> inverse_norms,
                 absl::Span<const float> unit)
    : rows_(rows), inverse_norms_(inverse_norms) {
  const auto* pq = std::get_if<PqRows>(&rows);
  query_ = pq != nullptr ? LookupTables(*pq->quantizer, unit)
                         : std::vector<float>(unit.begin(), unit.end());
}

void RowScan::Cosines(size_t begin, size_t count, float* cosines) const {
  std::visit(
      [&](const auto& rows) { Dots(rows, query_, begin, count, cosines); },
      rows_);
  ScaleToCosines(inverse_norms_.data() + begin, count, cosines);
}

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
    // Frees their memory for the following rows.
    for (CandidateList& list : own) list = CandidateList(0);
  }
}

}  // namespace firth
