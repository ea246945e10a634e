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
  const std::vector<float> unit_a = UnitVector(vectors.Vector(a));
  const std::vector<float> unit_b = UnitVector(vectors.Vector(b));
  double cosine = 0;
  for (size_t i = 0; i < unit_a.size(); ++i) {
    cosine += double{unit_a[i]} * unit_b[i];
  }
  return static_cast<float>(std::clamp(cosine, -1.0, 1.0));
}

size_t OddOneOut(const WordVectors& vectors, absl::Span<const WordId> words) {
  FIRTH_CHECK(words.size() >= 2);
  std::vector<std::vector<float>> units;
  std::vector<double> mean(vectors.dim());  // its length does not matter
  for (const WordId word : words) {
    FIRTH_CHECK(Index(word) < vectors.size());
    units.push_back(UnitVector(vectors.Vector(word)));
    for (size_t i = 0; i < mean.size(); ++i) mean[i] += units.back()[i];
  }
  // Of unit vectors, the farthest is the one of the smallest dot product.
  std::vector<double> dots(words.size());
  for (size_t word = 0; word < words.size(); ++word) {
    for (size_t i = 0; i < mean.size(); ++i) {
      dots[word] += mean[i] * units[word][i];
    }
  }
  return static_cast<size_t>(std::min_element(dots.begin(), dots.end()) -
                             dots.begin());
}

}  // namespace firth
