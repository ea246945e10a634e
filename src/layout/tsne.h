// The two steps of t-SNE. The first computes probabilities from distances, the
// second finds points with nearly the same probabilities (van der Maaten and
// Hinton, "Visualizing Data using t-SNE", 2008; van der Maaten, "Accelerating
// t-SNE using Tree-Based Algorithms", 2014).

#ifndef FIRTH_LAYOUT_TSNE_H_
#define FIRTH_LAYOUT_TSNE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "firth/layout.h"
#include "layout/neighbor_graph.h"
#include "layout/point.h"

namespace firth {

// A quadtree over points, for sums over all of them. A distant cell counts as
// that many points at its center of mass (Barnes and Hut 1986).
class QuadTree {
 public:
  // Copies the points. There must be at least one, and all must be finite.
  explicit QuadTree(const std::vector<Point>& points);

  // Returns the points in the order of the tree, in which consecutive points
  // are near one another.
  const std::vector<uint32_t>& order() const { return order_; }

  // Sums over all points except the one at `place` of order(), where q = 1 / (1
  // + squared distance): of q, and of q^2 times the vector from the other point
  // to this one.
  struct Repulsion {
    double weight = 0;
    Point force;
  };
  // A cell counts as one point if its width is below `angle` times its
  // distance.
  Repulsion Repel(uint32_t place, float angle) const;

 private:
  // A cell comes before the cells inside it. The next cell in the list is the
  // first one inside, and `skip` is the index after all that are inside.
  struct Cell {
    Point center;  // center of mass
    float squared_width;
    float count;          // number of points
    uint32_t begin, end;  // positions of its points
    uint32_t skip;
    bool is_leaf;
  };

  void AddCell(uint32_t begin, uint32_t end, int bit);

  std::vector<uint32_t> order_;
  std::vector<uint32_t> codes_;  // [places], ascending
  std::vector<Point> points_;    // [places]
  std::vector<Cell> cells_;
  float width_;  // width of the whole
};

// Returns the number of neighbors that are required per word. Beyond three
// times the perplexity, neighbors have no weight.
size_t TsneNeighbors(const TsneMethod& method);

// Replaces each distance 1 - cos by exp(-2 beta (1 - cos)), normalized to sum
// to 1. The beta of each word is chosen so that the perplexity of its
// probabilities, 2 to the power of their entropy in bits, is `perplexity`, but
// at most a third of the number of neighbors. 2 (1 - cos) is the squared
// distance of unit vectors.
void DistancesToProbabilities(double perplexity, NeighborLists* lists);

// Moves the points, one per word of the graph. The weights of the graph are
// means of the probabilities of both directions. Uses as many threads as OpenMP
// is set to. The result is the same, bit for bit, for any number of threads.
// Errors: Cancelled.
absl::Status OptimizeTsne(const NeighborGraph& graph, const TsneMethod& method,
                          const Anchors& anchors, Continue go_on,
                          std::vector<Point>* points);

}  // namespace firth

#endif  // FIRTH_LAYOUT_TSNE_H_
