// A position on a map.

#ifndef FIRTH_LAYOUT_POINT_H_
#define FIRTH_LAYOUT_POINT_H_

#include <cstddef>
#include <optional>
#include <vector>

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

// The positions of words on an older map, and the pull back to them.
struct Anchors {
  // [words], or empty if there is no older map
  std::vector<std::optional<Point>> places;
  double hold = 1;  // MapOptions::hold

  // Returns the point after a spring has pulled it back. The strength of the
  // spring, relative to a step of size `rate`, is hold / (1 - hold); with hold
  // = 1 the point returns to its old position at once.
  Point Drawn(size_t word, Point point, double rate) const {
    if (places.empty() || !places[word].has_value()) return point;
    if (hold == 1) return *places[word];  // exact to the last bit
    const double share = hold * rate / (1 - hold + hold * rate);
    return point + static_cast<float>(share) * (*places[word] - point);
  }
};

}  // namespace firth

#endif  // FIRTH_LAYOUT_POINT_H_
