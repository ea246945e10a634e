// The lists are reversed by counting. The incoming edges of each word come in
// the order of the words, so two sorted lists are merged per word.

#include "layout/neighbor_graph.h"

#include <algorithm>

namespace firth {
namespace {

struct Edge {
  uint32_t other;
  float weight;
};

bool ComesBefore(const Edge& a, const Edge& b) { return a.other < b.other; }

// The edges that lead to each word, sorted by the word from which they come.
struct IncomingEdges {
  explicit IncomingEdges(const NeighborLists& lists)
      : begins(lists.size() + 1), edges(lists.ids.size()) {
    for (const uint32_t to : lists.ids) ++begins[to + 1];
    for (size_t i = 1; i < begins.size(); ++i) begins[i] += begins[i - 1];
    std::vector<size_t> next(begins.begin(), begins.end() - 1);
    for (size_t from = 0; from < lists.size(); ++from) {
      for (size_t i = 0; i < lists.count; ++i) {
        edges[next[lists.Ids(from)[i]]++] = {static_cast<uint32_t>(from),
                                             lists.Values(from)[i]};
      }
    }
  }

  std::vector<size_t> begins;
  std::vector<Edge> edges;
};

float Unite(float a, float b, EdgeUnion rule) {
  return rule == EdgeUnion::kMean ? (a + b) / 2 : a + b - a * b;
}

// Appends the edges of one word to the graph: its own, and those that lead to
// it. Both are sorted.
void Merge(const std::vector<Edge>& own, const Edge* in, const Edge* in_end,
           EdgeUnion rule, NeighborGraph* graph) {
  auto out = own.begin();
  while (out != own.end() || in != in_end) {
    const bool has_out =
        out != own.end() && (in == in_end || out->other <= in->other);
    const bool has_in =
        in != in_end && (out == own.end() || in->other <= out->other);
    graph->others.push_back(has_out ? out->other : in->other);
    graph->weights.push_back(
        Unite(has_out ? out->weight : 0, has_in ? in->weight : 0, rule));
    if (has_out) ++out;
    if (has_in) ++in;
  }
}

}  // namespace

NeighborGraph JoinLists(const NeighborLists& lists, EdgeUnion rule) {
  const IncomingEdges incoming(lists);
  NeighborGraph graph;
  graph.begins.push_back(0);
  std::vector<Edge> own(lists.count);
  for (size_t word = 0; word < lists.size(); ++word) {
    for (size_t i = 0; i < lists.count; ++i) {
      own[i] = {lists.Ids(word)[i], lists.Values(word)[i]};
    }
    std::sort(own.begin(), own.end(), ComesBefore);
    Merge(own, incoming.edges.data() + incoming.begins[word],
          incoming.edges.data() + incoming.begins[word + 1], rule, &graph);
    graph.begins.push_back(graph.others.size());
  }
  return graph;
}

}  // namespace firth
