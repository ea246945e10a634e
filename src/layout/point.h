// A position on a map.

#ifndef FIRTH_LAYOUT_POINT_H_
#define FIRTH_LAYOUT_POINT_H_

#include <cstddef>

namespace firth {

// Up to this many points, starting the threads takes longer than moving the
// points.
inline constexpr size_t kPointsOfAThread = 2000;

struct Point {
  float x = 0;
  float y = 0;
};

inline Point operator+(Point a, Point b) { return {a.x + b.x, a.y + b.y}; }
inline Point operator-(Point a, Point b) { return {a.x - b.x, a.y - b.y}; }
inline Point operator*(float scale, Point p) {
  return {scale * p.x, scale * p.y};
}
inline float SquaredLength(Point p) { return p.x * p.x + p.y * p.y; }

}  // namespace firth

#endif  // FIRTH_LAYOUT_POINT_H_
