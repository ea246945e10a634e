// Words that belong together side by side: average linkage (UPGMA, Sokal and
// Michener 1958), with each join turned so that the most similar ends of both
// sides meet (Gruvaeus and Wainer 1972).

#ifndef FIRTH_TOOLS_PLOT_DENDROGRAM_H_
#define FIRTH_TOOLS_PLOT_DENDROGRAM_H_

#include <cstddef>
#include <vector>

namespace firth::tools {

// Two groups that are joined to one. Groups 0 to n - 1 are the items, group
// n + i is what join i made.
struct Join {
  size_t left;
  size_t right;
  double similarity;  // the mean of all pairs between both
};

struct Dendrogram {
  std::vector<Join> joins;    // n - 1, the most similar first
  std::vector<size_t> order;  // of the items, [n]
};

// similarities: [n, n], row by row, symmetric; n is at least 1. Takes time that
// grows with the cube of n: a second for 1,000.
Dendrogram Cluster(const std::vector<float>& similarities, size_t n);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_PLOT_DENDROGRAM_H_
