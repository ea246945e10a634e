// HnswGraph: a hierarchical navigable small world graph of the words. It is the
// only interface to hnswlib (Malkov and Yashunin, "Efficient and robust
// approximate nearest neighbor search using Hierarchical Navigable Small World
// graphs", 2018).
//
// Nodes hold the words' vectors, centered and rounded to bytes
// (query/quantized_rows.h), which takes a quarter of the memory and of the
// memory traffic. Callers compute the exact scores of what is found. The bytes
// are computed from the vectors, and only the links are written to a file.

#ifndef FIRTH_QUERY_HNSW_GRAPH_H_
#define FIRTH_QUERY_HNSW_GRAPH_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/progress.h"
#include "firth/query.h"
#include "firth/word_vectors.h"
#include "query/quantized_rows.h"

namespace firth {

// Immutable. Several searches may run at the same time.
class HnswGraph {
 public:
  // Links all rows, using `threads` threads, or all cores if it is 0. With one
  // thread, the same seed gives the same graph. Errors: ResourceExhausted,
  // Cancelled.
  static absl::StatusOr<HnswGraph> Build(const CenteredRows& rows,
                                         const HnswOptions& options,
                                         const Hooks& hooks = {},
                                         int threads = 0);

  // Returns the graph for which Links() returned `links`, given the same rows
  // and options. Errors: DataLoss, what was expected and found;
  // ResourceExhausted.
  static absl::StatusOr<HnswGraph> FromLinks(const CenteredRows& rows,
                                             const HnswOptions& options,
                                             absl::string_view links);

  ~HnswGraph();
  HnswGraph(HnswGraph&&) noexcept;
  HnswGraph& operator=(HnswGraph&&) noexcept;

  std::string Links() const;

  // Returns `breadth` words near a unit vector, in no particular order, or
  // fewer if there are no more. A larger breadth visits more words and misses
  // fewer.
  std::vector<WordId> Search(absl::Span<const float> unit,
                             size_t breadth) const;

 private:
  struct Body;
  explicit HnswGraph(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

// Minimum fraction of the ten nearest neighbors that a graph must find, on
// average. A graph that finds fewer is useless, because it answers with other
// words.
constexpr double kLeastRecall = 0.5;

// Returns the fraction of the ten nearest neighbors that the graph of all
// `vectors` finds with this breadth, averaged over a few hundred words from
// frequent to rare. Words that are as near as the tenth count as found. Returns
// 1 if no word has a vector. If `hooks` request a stop, the result must be
// discarded.
double MeasureRecall(const HnswGraph& graph, const WordVectors& vectors,
                     size_t breadth, const Hooks& hooks = {});

}  // namespace firth

#endif  // FIRTH_QUERY_HNSW_GRAPH_H_
