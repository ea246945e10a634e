// A quadtree over points, for sums over all of them. A distant cell counts as
// that many points at its center of mass (Barnes and Hut 1986).

#ifndef FIRTH_LAYOUT_QUAD_TREE_H_
#define FIRTH_LAYOUT_QUAD_TREE_H_

#include <cstdint>
#include <vector>

#include "layout/point.h"

namespace firth {

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

}  // namespace firth

#endif  // FIRTH_LAYOUT_QUAD_TREE_H_
