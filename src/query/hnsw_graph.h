// HnswGraph: a hierarchical navigable small world of the words, the one seam
// over hnswlib (Malkov and Yashunin, "Efficient and robust approximate nearest
// neighbor search using Hierarchical Navigable Small World graphs", 2018).
//
// Nodes hold the words' vectors, centered and rounded to bytes
// (query/centered_rows.h), a quarter of the memory and of its traffic; callers
// compute the exact scores of what is found. The bytes come from the vectors
// and only the links go to a file.

#ifndef FIRTH_QUERY_HNSW_GRAPH_H_
#define FIRTH_QUERY_HNSW_GRAPH_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/query.h"
#include "query/centered_rows.h"

namespace firth {

// Immutable; searches may run at the same time.
class HnswGraph {
 public:
  // Links all rows, with so many threads, or on all cores for 0; with one
  // thread the same seed gives the same graph. Errors: ResourceExhausted,
  // Cancelled.
  static absl::StatusOr<HnswGraph> Build(const CenteredRows& rows,
                                         const HnswOptions& options,
                                         const Hooks& hooks = {},
                                         int threads = 0);

  // The graph that Links() of one over the same rows, with the same options,
  // returned. Errors: DataLoss, what was expected and found; ResourceExhausted.
  static absl::StatusOr<HnswGraph> FromLinks(const CenteredRows& rows,
                                             const HnswOptions& options,
                                             absl::string_view links);

  ~HnswGraph();
  HnswGraph(HnswGraph&&) noexcept;
  HnswGraph& operator=(HnswGraph&&) noexcept;

  std::string Links() const;

  // `breadth` words near a unit vector, in no order; fewer where there are no
  // more. Visits more words, and misses fewer, the greater the breadth is.
  std::vector<WordId> Search(absl::Span<const float> unit,
                             size_t breadth) const;

 private:
  struct Body;
  explicit HnswGraph(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

}  // namespace firth

#endif  // FIRTH_QUERY_HNSW_GRAPH_H_
