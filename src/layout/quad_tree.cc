// Points are sorted by the interleaved bits of their two coordinates (Morton
// 1966), 16 bits each. The points of a cell are then contiguous, and each pair
// of bits selects a quarter.

#include "layout/quad_tree.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace firth {
namespace {

constexpr int kBits = 16;  // bits per coordinate

// Moves each of the 16 bits of x to twice its position.
uint32_t SpreadBits(uint32_t x) {
  x = (x | (x << 8)) & 0x00ff00ff;
  x = (x | (x << 4)) & 0x0f0f0f0f;
  x = (x | (x << 2)) & 0x33333333;
  return (x | (x << 1)) & 0x55555555;
}

struct Square {
  Point corner;
  float width;
};

Square BoundsOf(const std::vector<Point>& points) {
  Point low = points[0], high = points[0];
  for (const Point& point : points) {
    low = {std::min(low.x, point.x), std::min(low.y, point.y)};
    high = {std::max(high.x, point.x), std::max(high.y, point.y)};
  }
  return {low, std::max(high.x - low.x, high.y - low.y)};
}

uint32_t CodeOf(Point point, const Square& bounds) {
  constexpr uint32_t kMost = (1u << kBits) - 1;
  const float scale = bounds.width > 0 ? (1 << kBits) / bounds.width : 0;
  const auto cell = [&](float distance) {
    const float at = scale * distance;
    return at < static_cast<float>(kMost) ? static_cast<uint32_t>(at) : kMost;
  };
  return SpreadBits(cell(point.x - bounds.corner.x)) |
         SpreadBits(cell(point.y - bounds.corner.y)) << 1;
}

}  // namespace

QuadTree::QuadTree(const std::vector<Point>& points) {
  const Square bounds = BoundsOf(points);
  width_ = bounds.width;
  std::vector<std::pair<uint32_t, uint32_t>> sorted;  // code and point
  sorted.reserve(points.size());
  for (uint32_t i = 0; i < points.size(); ++i) {
    sorted.push_back({CodeOf(points[i], bounds), i});
  }
  std::sort(sorted.begin(), sorted.end());
  for (const auto& [code, point] : sorted) {
    codes_.push_back(code);
    order_.push_back(point);
    points_.push_back(points[point]);
  }
  AddCell(0, static_cast<uint32_t>(points.size()), 2 * kBits);
}

// `bit` is the number of low bits in which the codes may differ.
void QuadTree::AddCell(uint32_t begin, uint32_t end, int bit) {
  // Skip levels on which all points are in one quarter.
  while (bit >= 2 &&
         codes_[begin] >> (bit - 2) == codes_[end - 1] >> (bit - 2)) {
    bit -= 2;
  }
  const size_t self = cells_.size();
  double x = 0, y = 0;
  for (uint32_t i = begin; i < end; ++i) {
    x += points_[i].x;
    y += points_[i].y;
  }
  const double count = end - begin;
  const float width = std::ldexp(width_, bit / 2 - kBits);
  cells_.push_back(
      {{static_cast<float>(x / count), static_cast<float>(y / count)},
       width * width,
       static_cast<float>(count),
       begin,
       end,
       0,
       bit == 0});
  for (uint32_t first = begin; bit > 0 && first < end;) {
    const uint32_t quarter = codes_[first] >> (bit - 2);
    const auto last =
        std::upper_bound(codes_.begin() + first, codes_.begin() + end, quarter,
                         [&](uint32_t wanted, uint32_t code) {
                           return wanted < code >> (bit - 2);
                         });
    const auto next = static_cast<uint32_t>(last - codes_.begin());
    AddCell(first, next, bit - 2);
    first = next;
  }
  cells_[self].skip = static_cast<uint32_t>(cells_.size());
}

QuadTree::Repulsion QuadTree::Repel(uint32_t place, float angle) const {
  const Point point = points_[place];
  const float squared_angle = angle * angle;
  Repulsion sum;
  for (size_t i = 0; i < cells_.size();) {
    const Cell& cell = cells_[i];
    const Point way = point - cell.center;
    const float squared = SquaredLength(way);
    const bool is_far = cell.squared_width < squared_angle * squared;
    if (!is_far && !cell.is_leaf) {
      ++i;
      continue;
    }
    // A leaf counts as one position. A point in the leaf is repelled only by
    // the others.
    const bool is_own = place >= cell.begin && place < cell.end;
    const float count = is_own ? cell.count - 1 : cell.count;
    const float q = 1 / (1 + squared);
    sum.weight += double{count} * q;
    sum.force = sum.force + count * q * q * way;
    i = cell.skip;
  }
  return sum;
}

}  // namespace firth
