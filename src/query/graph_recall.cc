#include "query/graph_recall.h"

#include <algorithm>
#include <vector>

#include "firth/query.h"
#include "query/neighbor_batch.h"
#include "query/row_scan.h"

namespace firth {
namespace {

constexpr size_t kSample = 200;
constexpr size_t kTop = 10;

// Returns words spread evenly over the vocabulary. Each query excludes its own
// word.
std::vector<UnitQuery> SampleQueries(const WordVectors& vectors) {
  const size_t count = std::min(kSample, vectors.size());
  std::vector<UnitQuery> queries;
  for (size_t i = 0; i < count; ++i) {
    const WordId word = ToWordId(i * vectors.size() / count);
    if (vectors.inverse_norms()[Index(word)] == 0) continue;
    queries.push_back(
        {UnitQueryVector(vectors.rows(), vectors.CopyVector(word)), {word}});
  }
  return queries;
}

double RecallOf(const std::vector<Neighbor>& exact,
                const std::vector<Neighbor>& found) {
  if (exact.empty()) return 1;
  const float last = exact.back().score;
  const auto as_near = std::count_if(
      found.begin(), found.end(),
      [last](const Neighbor& neighbor) { return neighbor.score >= last; });
  return static_cast<double>(as_near) / static_cast<double>(exact.size());
}

}  // namespace

double MeasureRecall(const HnswGraph& graph, const WordVectors& vectors,
                     size_t breadth, const Hooks& hooks) {
  const ScannedRows rows = {vectors.rows(), vectors.inverse_norms()};
  const std::vector<UnitQuery> queries = SampleQueries(vectors);
  if (queries.empty()) return 1;
  const Hooks stop = {nullptr, hooks.stop};
  const auto exact = FindBest(rows, queries, kTop, stop);
  double sum = 0;
  for (size_t i = 0; i < queries.size() && !hooks.StopRequested(); ++i) {
    sum += RecallOf(
        exact[i],
        RankRows(rows, queries[i],
                 graph.Search(queries[i].unit, std::max(breadth, kTop + 1)),
                 kTop));
  }
  return sum / static_cast<double>(queries.size());
}

}  // namespace firth
