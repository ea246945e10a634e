// Exact search scans the rows as they are in memory, in blocks on a fixed grid
// that OpenMP assigns to threads. A thread keeps the best words of its blocks
// in its own list, and the lists are merged at the end. All other methods find
// candidates, whose cosines are then computed as in the exact scan.

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "base/check.h"
#include "base/parallel_exceptions.h"
#include "firth/fields.h"
#include "firth/query.h"
#include "firth/status_macros.h"
#include "query/hnsw_file.h"
#include "query/hnsw_graph.h"
#include "query/neighbor_batch.h"
#include "query/quantized_rows.h"
#include "query/top_list.h"
#include "query/unit_rows.h"

namespace firth {
namespace {

// A block of rows of 300 floats stays in an L2 cache for the three dot products
// of 3CosMul. A list is queried once per row for any block size.
constexpr size_t kScanRows = 128;

// Below this many floats, starting threads takes longer than the scan.
constexpr size_t kParallelFloats = 100'000;

// A panel takes equally long whether it is full or not. For few queries, that
// is longer than one scan per query.
constexpr size_t kFewQueries = 3;

UnitQuery MakeUnitQuery(const RowStore& rows, absl::Span<const float> vector,
                        absl::Span<const WordId> exclude) {
  UnitQuery query = {UnitQueryVector(rows, vector),
                     {exclude.begin(), exclude.end()}};
  std::sort(query.exclude.begin(), query.exclude.end());
  return query;
}

// Computes the scores of 3CosMul, one block of words at a time.
class ProductScan {
 public:
  ProductScan(const WordVectors& vectors, absl::Span<const QueryTerm> terms) {
    FIRTH_CHECK(!terms.empty());
    for (const QueryTerm& term : terms) {
      FIRTH_CHECK(term.vector.size() == vectors.dim());
      const UnitQuery query = {UnitQueryVector(vectors.rows(), term.vector),
                               {}};
      has_direction_ = has_direction_ || query.HasDirection();
      factors_.push_back(
          {RowScan(vectors.rows(), vectors.inverse_norms(), query.unit),
           term.weight});
    }
  }

  // Returns false if all terms are zeros. Every word would then have the same
  // score.
  bool has_direction() const { return has_direction_; }

  // `count` must be at most kScanRows.
  void Scores(size_t begin, size_t count, float* scores) const {
    float cosines[kScanRows];
    double products[kScanRows], divisors[kScanRows];
    std::fill_n(products, count, 1.0);
    std::fill_n(divisors, count, 1.0);
    for (const Factor& factor : factors_) {
      factor.scan.Cosines(begin, count, cosines);
      ShiftCosines(count, cosines);
      const bool divides = factor.weight < 0;
      double* const product = divides ? divisors : products;
      for (size_t i = 0; i < count; ++i) {
        const float base = divides ? cosines[i] + 0.001f : cosines[i];
        product[i] *= Power(base, std::abs(factor.weight));
      }
    }
    // The product of hundreds of terms may underflow, but the score must be
    // finite.
    constexpr double kLeast = std::numeric_limits<double>::min();
    constexpr double kMost = std::numeric_limits<float>::max();
    for (size_t i = 0; i < count; ++i) {
      const double score = products[i] / std::max(divisors[i], kLeast);
      scores[i] = static_cast<float>(std::min(score, kMost));
    }
  }

 private:
  struct Factor {
    RowScan scan;
    float weight;
  };
  static float Power(float base, float exponent) {
    return exponent == 1 ? base : std::pow(base, exponent);
  }

  std::vector<Factor> factors_;
  bool has_direction_ = false;
};

}  // namespace

struct NearestNeighbors::Index {
  WordVectors vectors;
  size_t num_rows;  // number of words that can be answers, from the first
  std::optional<QuantizedRows> quantized = {};  // for Int8Search
  std::optional<HnswGraph> graph = {};          // for HnswSearch
  size_t breadth = 0;                           // for HnswSearch

  bool IsWorthThreads() const {
    return num_rows * vectors.dim() > kParallelFloats;
  }

  std::vector<Neighbor> Find(const UnitQuery& query, size_t top) const;

  // Returns the best words by score_block(begin, count, scores). `exclude` is
  // sorted.
  template <class ScoreBlock>
  std::vector<Neighbor> Scan(size_t top, const std::vector<WordId>& exclude,
                             const ScoreBlock& score_block) const;

  std::vector<WordId> ScanQuantized(const UnitQuery& query, size_t top) const;

  // Returns the words that can be answers.
  ScannedRows rows() const {
    return {vectors.rows(), vectors.inverse_norms().subspan(0, num_rows)};
  }
};

template <class ScoreBlock>
std::vector<Neighbor> NearestNeighbors::Index::Scan(
    size_t top, const std::vector<WordId>& exclude,
    const ScoreBlock& score_block) const {
  TopList best(std::min(top, num_rows));
  ParallelExceptions exceptions;
#pragma omp parallel if (IsWorthThreads())
  {
    std::optional<TopList> own_best;
    exceptions.Catch([&] { own_best.emplace(std::min(top, num_rows)); });
#pragma omp for schedule(static) nowait
    for (size_t begin = 0; begin < num_rows; begin += kScanRows) {
      if (!own_best.has_value()) continue;
      exceptions.Catch([&] {
        float scores[kScanRows];
        const size_t count = std::min(kScanRows, num_rows - begin);
        score_block(begin, count, scores);
        for (size_t i = 0; i < count; ++i) {
          const Neighbor neighbor = {ToWordId(begin + i), scores[i]};
          if (own_best->Accepts(neighbor) &&
              !std::binary_search(exclude.begin(), exclude.end(),
                                  neighbor.word)) {
            own_best->Push(neighbor);
          }
        }
      });
    }
#pragma omp critical(firth_nearest_neighbors)
    if (own_best.has_value()) {
      exceptions.Catch([&] { best.Merge(*own_best); });
    }
  }
  exceptions.Rethrow();
  return best.TakeSorted();
}

std::vector<WordId> NearestNeighbors::Index::ScanQuantized(
    const UnitQuery& query, size_t top) const {
  const QuantizedQuery coarse = QuantizeQuery(query.unit);
  CandidateList candidates(std::min(top, num_rows));
  ParallelExceptions exceptions;
#pragma omp parallel if (IsWorthThreads())
  {
    std::optional<CandidateList> own_candidates;
    exceptions.Catch([&] { own_candidates.emplace(std::min(top, num_rows)); });
#pragma omp for schedule(static) nowait
    for (size_t begin = 0; begin < num_rows; begin += kScanRows) {
      if (!own_candidates.has_value()) continue;
      exceptions.Catch([&] {
        float cosines[kScanRows], errors[kScanRows];
        const size_t count = std::min(kScanRows, num_rows - begin);
        quantized->Cosines(coarse, begin, count, cosines, errors);
        for (size_t i = 0; i < count; ++i) {
          const float upper = cosines[i] + errors[i];
          if (upper < own_candidates->threshold()) continue;
          const WordId word = ToWordId(begin + i);
          if (query.Excludes(word)) continue;
          own_candidates->Push(word, cosines[i] - errors[i], upper);
        }
      });
    }
#pragma omp critical(firth_scan_quantized)
    if (own_candidates.has_value()) {
      exceptions.Catch([&] { candidates.Merge(*own_candidates); });
    }
  }
  exceptions.Rethrow();
  return candidates.TakeWords();
}

std::vector<Neighbor> NearestNeighbors::Index::Find(const UnitQuery& query,
                                                    size_t top) const {
  if (!query.HasDirection()) return {};
  if (graph.has_value()) {
    const size_t asked =
        std::max(breadth, std::min(top, num_rows) + query.exclude.size());
    return RankRows(rows(), query, graph->Search(query.unit, asked), top);
  }
  if (quantized.has_value()) {
    return RankRows(rows(), query, ScanQuantized(query, top), top);
  }
  const RowScan scan(vectors.rows(), vectors.inverse_norms(), query.unit);
  return Scan(top, query.exclude,
              [&](size_t begin, size_t count, float* scores) {
                scan.Cosines(begin, count, scores);
              });
}

NearestNeighbors::NearestNeighbors(std::unique_ptr<const Index> index)
    : index_(std::move(index)) {}

NearestNeighbors::NearestNeighbors(WordVectors vectors, size_t restrict) {
  const size_t num_rows =
      restrict == 0 ? vectors.size() : std::min(restrict, vectors.size());
  index_ = std::make_unique<const Index>(
      Index{WithNormalRows(std::move(vectors)), num_rows});
}

FieldTable HnswSearch::Fields() {
  FieldsOf<HnswSearch> fields;
  fields
      .Add("breadth", &HnswSearch::breadth,
           "number of candidates in an HNSW search (ef); a larger number takes "
           "longer and misses fewer neighbors")
      .Range(1, 1000000);
  return fields;
}

absl::StatusOr<NearestNeighbors> NearestNeighbors::Create(
    WordVectors vectors, const SearchOptions& search, size_t restrict,
    const Hooks& hooks) {
  NearestNeighbors exact(std::move(vectors), restrict);
  // Rows that are already bytes are scanned as they are. Rounding them again
  // would take memory and save no time.
  const bool is_rounded =
      std::holds_alternative<Int8Search>(search) &&
      std::holds_alternative<Int8Rows>(exact.vectors().rows());
  if (std::holds_alternative<ExactSearch>(search) || is_rounded) return exact;
  auto index =
      std::make_unique<Index>(Index{exact.vectors(), exact.index_->num_rows});
  const auto* hnsw = std::get_if<HnswSearch>(&search);
  if (hnsw == nullptr) {
    index->quantized.emplace(index->vectors, index->num_rows, hooks);
    if (hooks.StopRequested()) return absl::CancelledError("interrupted");
    return NearestNeighbors(std::move(index));
  }
  if (restrict != 0) {
    return absl::InvalidArgumentError(
        "an HNSW index holds all words, so its answers cannot be restricted; "
        "search exactly instead");
  }
  FIRTH_RETURN_IF_ERROR(CheckFields(*hnsw));
  const CenteredRows rows(index->vectors, hooks);
  if (hooks.StopRequested()) return absl::CancelledError("interrupted");
  FIRTH_ASSIGN_OR_RETURN(
      index->graph, LoadHnswGraph(index->vectors, rows, hnsw->path, hooks));
  index->breadth = static_cast<size_t>(hnsw->breadth);
  return NearestNeighbors(std::move(index));
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
  return index_->Find(MakeUnitQuery(vectors().rows(), query, exclude), top);
}

std::vector<Neighbor> NearestNeighbors::FindWord(WordId word,
                                                 size_t top) const {
  FIRTH_CHECK(firth::Index(word) < vectors().size());
  return Find(vectors().CopyVector(word), top, {word});
}

std::vector<std::vector<Neighbor>> NearestNeighbors::FindAll(
    absl::Span<const NeighborQuery> queries, size_t top,
    const Hooks& hooks) const {
  std::vector<UnitQuery> units;
  units.reserve(queries.size());
  for (const NeighborQuery& query : queries) {
    if (hooks.StopRequested()) return {};
    FIRTH_CHECK(query.vector.size() == vectors().dim());
    units.push_back(
        MakeUnitQuery(vectors().rows(), query.vector, query.exclude));
  }
  std::vector<std::vector<Neighbor>> found(queries.size());
  const auto find = [&](size_t i) { found[i] = index_->Find(units[i], top); };
  // A query uses one core with a graph and all cores with a scan. In a parallel
  // region, even one of a single thread, a scan would start its threads anew
  // each time.
  if (index_->graph.has_value()) {
    ParallelExceptions exceptions;
#pragma omp parallel for schedule(dynamic)
    for (size_t i = 0; i < found.size(); ++i) {
      if (hooks.StopRequested()) continue;
      exceptions.Catch([&] { find(i); });
    }
    exceptions.Rethrow();
    return found;
  }
  if (queries.size() > kFewQueries) {
    found = FindBest(index_->rows(), units, top, hooks);
    for (size_t i = 0; i < found.size(); ++i) {
      if (!units[i].HasDirection()) found[i].clear();
    }
    return found;
  }
  for (size_t i = 0; i < found.size(); ++i) find(i);
  return found;
}

std::vector<std::vector<Neighbor>> NearestNeighbors::FindWords(
    absl::Span<const WordId> words, size_t top, const Hooks& hooks) const {
  std::vector<std::vector<float>> rows;
  std::vector<NeighborQuery> queries;
  rows.reserve(words.size());
  queries.reserve(words.size());
  for (const WordId word : words) {
    if (hooks.StopRequested()) return {};
    FIRTH_CHECK(firth::Index(word) < vectors().size());
    rows.push_back(vectors().CopyVector(word));
    queries.push_back({rows.back(), {word}});
  }
  return FindAll(queries, top, hooks);
}

std::vector<Neighbor> NearestNeighbors::SolveAnalogy(
    WordId a, WordId b, WordId c, size_t top, AnalogyMethod method) const {
  for (const WordId word : {a, b, c}) {
    FIRTH_CHECK(firth::Index(word) < vectors().size());
  }
  const std::vector<float> vector_a = vectors().CopyVector(a);
  const std::vector<float> vector_b = vectors().CopyVector(b);
  const std::vector<float> vector_c = vectors().CopyVector(c);
  return FindSum({{{vector_a, -1}, {vector_b}, {vector_c}}, {a, b, c}}, top,
                 method);
}

std::vector<Neighbor> NearestNeighbors::FindSum(const SumQuery& query,
                                                size_t top,
                                                AnalogyMethod method) const {
  if (method == AnalogyMethod::kAdd) {
    return Find(SumOfUnitVectors(query.terms), top, query.exclude);
  }
  const ProductScan scan(vectors(), query.terms);
  if (!scan.has_direction()) return {};
  std::vector<WordId> exclude = query.exclude;
  std::sort(exclude.begin(), exclude.end());
  return index_->Scan(top, exclude,
                      [&](size_t begin, size_t count, float* scores) {
                        scan.Scores(begin, count, scores);
                      });
}

std::vector<float> NearestNeighbors::Cosines(
    absl::Span<const float> query) const {
  FIRTH_CHECK(query.size() == vectors().dim());
  const RowScan scan(vectors().rows(), vectors().inverse_norms(),
                     UnitQueryVector(vectors().rows(), query));
  std::vector<float> cosines(index_->num_rows);
#pragma omp parallel for if (index_->IsWorthThreads())
  for (size_t begin = 0; begin < cosines.size(); begin += kScanRows) {
    scan.Cosines(begin, std::min(kScanRows, cosines.size() - begin),
                 cosines.data() + begin);
  }
  return cosines;
}

std::vector<Neighbor> NearestNeighbors::FindCloser(
    absl::Span<const float> query, float cosine,
    absl::Span<const WordId> exclude) const {
  const std::vector<float> cosines = Cosines(query);
  std::vector<Neighbor> closer;
  for (size_t i = 0; i < cosines.size(); ++i) {
    const WordId word = ToWordId(i);
    if (cosines[i] > cosine && !absl::c_linear_search(exclude, word)) {
      closer.push_back({word, cosines[i]});
    }
  }
  absl::c_stable_sort(closer, [](const Neighbor& a, const Neighbor& b) {
    return a.score > b.score;
  });
  return closer;
}

size_t NearestNeighbors::num_candidates() const { return index_->num_rows; }

size_t NearestNeighbors::Rank(WordId word, WordId other) const {
  FIRTH_CHECK(firth::Index(word) < index_->num_rows);
  FIRTH_CHECK(firth::Index(other) < index_->num_rows);
  std::vector<float> cosines = Cosines(vectors().CopyVector(word));
  const float cosine = cosines[firth::Index(other)];
  cosines[firth::Index(word)] = cosine;  // not counted as closer
  return 1 +
         absl::c_count_if(cosines, [&](float found) { return found > cosine; });
}

double Recall(absl::Span<const Neighbor> exact,
              absl::Span<const Neighbor> found) {
  if (exact.empty()) return 1;
  const auto is_found = [&](const Neighbor& wanted) {
    return std::any_of(found.begin(), found.end(), [&](const Neighbor& other) {
      return other.word == wanted.word;
    });
  };
  return static_cast<double>(
             std::count_if(exact.begin(), exact.end(), is_found)) /
         static_cast<double>(exact.size());
}

}  // namespace firth
