#include "layout/start_points.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/rng.h"
#include "firth/status_macros.h"
#include "vectors/principal_components.h"

namespace firth {
namespace {

constexpr float kNoiseShare = 1e-4f;

float GreatestCoordinate(const std::vector<Point>& points) {
  float greatest = 0;
  for (const Point& point : points) {
    greatest = std::max({greatest, std::abs(point.x), std::abs(point.y)});
  }
  return greatest;
}

void AddNoise(float size, uint64_t seed, std::vector<Point>* points) {
  for (size_t i = 0; i < points->size(); ++i) {
    Rng rng(CombineKeys(seed, i));
    const float x = 2 * rng.NextFloat() - 1;
    const float y = 2 * rng.NextFloat() - 1;
    (*points)[i] = (*points)[i] + size * Point{x, y};
  }
}

// Returns the mean of the known positions of the word's neighbors, or nothing
// if none is known.
std::optional<Point> MeanPlace(const NeighborGraph& graph, size_t word,
                               const std::vector<std::optional<Point>>& known) {
  Point sum;
  float weights = 0;
  for (size_t i = graph.begins[word]; i < graph.begins[word + 1]; ++i) {
    const std::optional<Point>& place = known[graph.others[i]];
    if (!place.has_value()) continue;
    sum = sum + graph.weights[i] * *place;
    weights += graph.weights[i];
  }
  if (weights == 0) return std::nullopt;
  return 1 / weights * sum;
}

// Sets the positions of the words next to known ones. Returns whether there
// were any.
bool Extend(const NeighborGraph& graph,
            std::vector<std::optional<Point>>* known) {
  const std::vector<std::optional<Point>> before = *known;
  bool extended = false;
  for (size_t word = 0; word < before.size(); ++word) {
    if (before[word].has_value()) continue;
    (*known)[word] = MeanPlace(graph, word, before);
    extended = extended || (*known)[word].has_value();
  }
  return extended;
}

}  // namespace

absl::StatusOr<std::vector<Point>> ProjectOnPlane(
    const FloatTable& rows, const std::atomic<bool>* stop) {
  const std::vector<float> center = MeanRow(rows);
  FIRTH_ASSIGN_OR_RETURN(const Components components,
                         PrincipalComponents(rows, center, 2, stop));
  const size_t count = components.sums.size();
  std::vector<Point> points(rows.rows());
#pragma omp parallel for schedule(static)
  for (size_t row = 0; row < points.size(); ++row) {
    const auto values = rows.Row(row);
    double projections[2] = {};
    for (size_t k = 0; k < count; ++k) {
      const float* const component = &components.vectors[k * rows.cols()];
      for (size_t i = 0; i < values.size(); ++i) {
        projections[k] += double{values[i] - center[i]} * component[i];
      }
    }
    points[row] = {static_cast<float>(projections[0]),
                   static_cast<float>(projections[1])};
  }
  return points;
}

void SpreadPoints(float extent, uint64_t seed, std::vector<Point>* points) {
  const float greatest = GreatestCoordinate(*points);
  // Smaller coordinates are only rounding errors of vectors that are all equal.
  constexpr float kRounding = 1e-6f;
  for (Point& point : *points) {
    point = (greatest < kRounding ? 0 : extent / greatest) * point;
  }
  AddNoise(kNoiseShare * extent, seed, points);
}

void PlaceByAnchors(const NeighborGraph& graph, const Anchors& anchors,
                    uint64_t seed, std::vector<Point>* points) {
  std::vector<std::optional<Point>> known = anchors.places;
  while (Extend(graph, &known)) {
  }
  for (size_t word = 0; word < known.size(); ++word) {
    if (known[word].has_value()) (*points)[word] = *known[word];
  }
  AddNoise(kNoiseShare * GreatestCoordinate(*points), seed, points);
  for (size_t word = 0; word < known.size(); ++word) {
    if (anchors.places[word].has_value()) {
      (*points)[word] = *anchors.places[word];
    }
  }
}

}  // namespace firth
