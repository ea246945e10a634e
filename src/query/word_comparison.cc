// Comparing a few words with one another: all in double, no search.

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/check.h"
#include "firth/query.h"
#include "query/unit_rows.h"

namespace firth {

float Similarity(const WordVectors& vectors, WordId a, WordId b) {
  FIRTH_CHECK(Index(a) < vectors.size() && Index(b) < vectors.size());
  return Similarity(vectors.CopyVector(a), vectors.CopyVector(b));
}

float Similarity(absl::Span<const float> a, absl::Span<const float> b) {
  FIRTH_CHECK(a.size() == b.size());
  const std::vector<float> unit_a = UnitVector(a);
  const std::vector<float> unit_b = UnitVector(b);
  double cosine = 0;
  for (size_t i = 0; i < unit_a.size(); ++i) {
    cosine += double{unit_a[i]} * unit_b[i];
  }
  return static_cast<float>(std::clamp(cosine, -1.0, 1.0));
}

size_t OddOneOut(const WordVectors& vectors, absl::Span<const WordId> words) {
  std::vector<std::vector<float>> rows;
  for (const WordId word : words) {
    FIRTH_CHECK(Index(word) < vectors.size());
    rows.push_back(vectors.CopyVector(word));
  }
  return OddOneOut(
      std::vector<absl::Span<const float>>(rows.begin(), rows.end()));
}

size_t OddOneOut(absl::Span<const absl::Span<const float>> vectors) {
  FIRTH_CHECK(vectors.size() >= 2);
  std::vector<std::vector<float>> units;
  std::vector<double> mean(vectors[0].size());  // its length does not matter
  for (const absl::Span<const float> vector : vectors) {
    FIRTH_CHECK(vector.size() == mean.size());
    units.push_back(UnitVector(vector));
    for (size_t i = 0; i < mean.size(); ++i) mean[i] += units.back()[i];
  }
  // Of unit vectors, the farthest is the one of the smallest dot product.
  std::vector<double> dots(units.size());
  for (size_t word = 0; word < units.size(); ++word) {
    for (size_t i = 0; i < mean.size(); ++i) {
      dots[word] += mean[i] * units[word][i];
    }
  }
  return static_cast<size_t>(std::min_element(dots.begin(), dots.end()) -
                             dots.begin());
}

}  // namespace firth
