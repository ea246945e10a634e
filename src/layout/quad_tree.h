// A quadtree over points, for sums over all of them: a cell that is far away
// counts as so many points at its center of mass (Barnes and Hut 1986).

#ifndef FIRTH_LAYOUT_QUAD_TREE_H_
#define FIRTH_LAYOUT_QUAD_TREE_H_

#include <cstdint>
#include <vector>

#include "layout/point.h"

namespace firth {

class QuadTree {
 public:
  // There is at least one point, and all are finite. Copies them.
  explicit QuadTree(const std::vector<Point>& points);

  // Points in the order in which the tree has them: those that follow one
  // another lie near one another.
  const std::vector<uint32_t>& order() const { return order_; }

  // Sums over all points but the one at `place` of order(), with q = 1 / (1 +
  // squared distance): of q, and of q^2 times the way from the other to it.
  struct Repulsion {
    double weight = 0;
    Point force;
  };
  // A cell counts as one where its width is below `angle` times its distance.
  Repulsion Repel(uint32_t place, float angle) const;

 private:
  // Cells stand before what is in them: the next one in the list is the first
  // inside, and `skip` is where the list goes on behind all that is inside.
  struct Cell {
    Point center;  // of mass
    float squared_width;
    float count;          // of points
    uint32_t begin, end;  // places of its points
    uint32_t skip;
    bool is_leaf;
  };

  void AddCell(uint32_t begin, uint32_t end, int bit);

  std::vector<uint32_t> order_;
  std::vector<uint32_t> codes_;  // [places], rising
  std::vector<Point> points_;    // [places]
  std::vector<Cell> cells_;
  float width_;  // of the whole
};

}  // namespace firth

#endif  // FIRTH_LAYOUT_QUAD_TREE_H_
