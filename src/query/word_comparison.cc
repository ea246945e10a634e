// Compares a few words with one another, in double, without a search.

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/algorithm/container.h"
#include "base/check.h"
#include "firth/query.h"
#include "query/unit_rows.h"

namespace firth {
namespace {

double Dot(absl::Span<const float> a, absl::Span<const float> b) {
  double dot = 0;
  for (size_t i = 0; i < a.size(); ++i) dot += double{a[i]} * b[i];
  return dot;
}

// Returns unit vectors. All vectors must have the same length.
std::vector<std::vector<float>> UnitVectors(
    absl::Span<const absl::Span<const float>> vectors) {
  std::vector<std::vector<float>> units;
  for (const absl::Span<const float> vector : vectors) {
    FIRTH_CHECK(vector.size() == vectors[0].size());
    units.push_back(UnitVector(vector));
  }
  return units;
}

// Returns the dot product of each vector with the sum of all.
std::vector<double> DotsWithSum(const std::vector<std::vector<float>>& units) {
  std::vector<double> sum(units[0].size());
  for (const std::vector<float>& unit : units) {
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += unit[i];
  }
  std::vector<double> dots(units.size());
  for (size_t word = 0; word < units.size(); ++word) {
    for (size_t i = 0; i < sum.size(); ++i)
      dots[word] += sum[i] * units[word][i];
  }
  return dots;
}

}  // namespace

float Similarity(const WordVectors& vectors, WordId a, WordId b) {
  FIRTH_CHECK(Index(a) < vectors.size() && Index(b) < vectors.size());
  return Similarity(vectors.CopyVector(a), vectors.CopyVector(b));
}

float Similarity(absl::Span<const float> a, absl::Span<const float> b) {
  FIRTH_CHECK(a.size() == b.size());
  return static_cast<float>(
      std::clamp(Dot(UnitVector(a), UnitVector(b)), -1.0, 1.0));
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
  const std::vector<double> dots = DotsWithSum(UnitVectors(vectors));
  return static_cast<size_t>(absl::c_min_element(dots) - dots.begin());
}

std::vector<float> Centrality(
    absl::Span<const absl::Span<const float>> vectors) {
  FIRTH_CHECK(!vectors.empty());
  const std::vector<double> dots = DotsWithSum(UnitVectors(vectors));
  // The squared length of the sum is the sum of its dot products with the
  // vectors.
  const double norm = std::sqrt(std::max(0.0, absl::c_accumulate(dots, 0.0)));
  std::vector<float> cosines;
  cosines.reserve(dots.size());
  for (const double dot : dots) {
    cosines.push_back(
        norm > 0 ? static_cast<float>(std::clamp(dot / norm, -1.0, 1.0)) : 0);
  }
  return cosines;
}

std::vector<float> SimilarityMatrix(
    absl::Span<const absl::Span<const float>> vectors) {
  const std::vector<std::vector<float>> units = UnitVectors(vectors);
  std::vector<float> cosines;
  for (const std::vector<float>& a : units) {
    for (const std::vector<float>& b : units) {
      cosines.push_back(static_cast<float>(std::clamp(Dot(a, b), -1.0, 1.0)));
    }
  }
  return cosines;
}

std::vector<float> SumOfUnitVectors(absl::Span<const QueryTerm> terms) {
  FIRTH_CHECK(!terms.empty());
  std::vector<float> sum(terms[0].vector.size());
  for (const QueryTerm& term : terms) {
    FIRTH_CHECK(term.vector.size() == sum.size());
    const std::vector<float> unit = UnitVector(term.vector);
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += term.weight * unit[i];
  }
  return sum;
}

}  // namespace firth
