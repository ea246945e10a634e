#include "query/quantized_rows.h"

#include <cmath>
#include <limits>
#include <utility>

#include "simd/stored_rows.h"

namespace firth {
namespace {

constexpr size_t kProductRows = 128;
constexpr float kMostCode = 127;

float GreatestMagnitude(absl::Span<const float> values) {
  float greatest = 0;
  for (const float value : values) {
    greatest = std::max(greatest, std::abs(value));
  }
  return greatest;
}

// Rounds values / scale to codes and returns the length of the rounding error.
template <class Code>
float Round(absl::Span<const float> values, float scale, Code* codes) {
  const float inverse_scale = scale == 0 ? 0 : 1 / scale;
  double squared_rest = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    // Adding and subtracting kShift rounds to even, twice as fast as
    // std::lrint.
    constexpr float kShift = 0x1.8p23f;
    const float code = (values[i] * inverse_scale + kShift) - kShift;
    codes[i] = static_cast<Code>(static_cast<int32_t>(code));
    const float rest = values[i] - code * scale;
    squared_rest += double{rest} * rest;
  }
  return static_cast<float>(std::sqrt(squared_rest));
}

// Returns a bound for the product of a unit vector with the rounding error of a
// row. The length of the error is a strict bound, by the Cauchy-Schwarz
// inequality, but no vector is parallel to the error. The errors behave like
// random signs, so the product has a standard deviation of length / sqrt(dim),
// and six standard deviations cover all but one in 5e8.
float ErrorOfRest(float length, size_t dim) {
  constexpr double kDeviations = 6;
  return static_cast<float>(
      length *
      std::min(1.0, kDeviations / std::sqrt(static_cast<double>(dim))));
}

// Returns what float arithmetic adds to the error of a cosine: in these bounds,
// in the unit vectors, and in the exact score with which they are compared.
float RoundingError(size_t dim) {
  return static_cast<float>(dim + 64) * std::numeric_limits<float>::epsilon();
}

// Number of rows per partial sum. Partial sums are added in row order.
constexpr size_t kSummedRows = 1024;

void AddUnit(const float* row, float inverse_norm, absl::Span<double> sum) {
  for (size_t i = 0; i < sum.size(); ++i) {
    sum[i] += double{row[i]} * inverse_norm;
  }
}

}  // namespace

size_t PaddedInt8Dim(size_t dim) {
  return (dim + kInt8RowBytes - 1) / kInt8RowBytes * kInt8RowBytes;
}

QuantizedVector QuantizeVector(absl::Span<const float> unit) {
  QuantizedVector quantized;
  quantized.codes.resize(PaddedInt8Dim(unit.size()));
  quantized.scale = GreatestMagnitude(unit) / kMostCode;
  Round(unit, quantized.scale, quantized.codes.data());
  return quantized;
}

QuantizedQuery QuantizeQuery(absl::Span<const float> unit) {
  QuantizedQuery query;
  query.codes.resize(PaddedInt8Dim(unit.size()));
  double sum = 0;  // sum of magnitudes
  for (const float value : unit) sum += std::abs(value);
  // No sum of products with bytes may reach 2^31, whatever their signs.
  // Rounding adds at most 1/2 to each magnitude.
  const double room = 0x1p30 / kMostCode - static_cast<double>(unit.size());
  query.scale = std::max(GreatestMagnitude(unit) / 32767,
                         static_cast<float>(sum / std::max(room, 1.0)));
  const float rest = Round(unit, query.scale, query.codes.data());
  query.error = rest * 1.01f + RoundingError(unit.size());
  return query;
}

QuantizedRows::QuantizedRows(const WordVectors& vectors, size_t num_rows,
                             const Hooks& hooks)
    : codes_(num_rows, PaddedInt8Dim(vectors.dim())),
      scales_(num_rows),
      errors_(num_rows) {
  ForRowsInParts(
      vectors, num_rows, 1, hooks, [&](size_t row, const float* vector) {
        thread_local std::vector<float> unit;  // no allocation per row
        unit.resize(vectors.dim());
        const float inverse_norm = vectors.inverse_norms()[row];
        for (size_t i = 0; i < unit.size(); ++i) {
          unit[i] = inverse_norm == 0 ? 0 : vector[i] * inverse_norm;
        }
        scales_[row] = GreatestMagnitude(unit) / kMostCode;
        errors_[row] = ErrorOfRest(
            Round<int8_t>(unit, scales_[row], codes_.Row(row)), unit.size());
      });
}

void QuantizedRows::Cosines(const QuantizedQuery& query, size_t begin,
                            size_t count, float* cosines, float* errors) const {
  int32_t products[kProductRows];
  for (size_t first = 0; first < count; first += kProductRows) {
    const size_t rows = std::min(kProductRows, count - first);
    DotInt8Rows(query.codes.data(), Codes(begin + first), rows, stride(),
                products);
    for (size_t i = 0; i < rows; ++i) {
      const size_t row = begin + first + i;
      cosines[first + i] =
          static_cast<float>(products[i]) * (scales_[row] * query.scale);
      errors[first + i] = errors_[row] + query.error;
    }
  }
}

CenteredVector Center(absl::Span<const float> unit,
                      absl::Span<const float> mean) {
  std::vector<float> centered(unit.size());
  for (size_t i = 0; i < unit.size(); ++i) centered[i] = unit[i] - mean[i];
  QuantizedVector quantized = QuantizeVector(centered);
  const int32_t product = DotInt8(
      quantized.codes.data(), quantized.codes.data(), quantized.codes.size());
  return {std::move(quantized.codes), quantized.scale,
          static_cast<float>(product) * quantized.scale * quantized.scale};
}

CenteredRows::CenteredRows(const WordVectors& vectors, const Hooks& hooks)
    : mean_(vectors.dim()),
      codes_(vectors.size(), PaddedInt8Dim(vectors.dim())),
      scales_(vectors.size()),
      squared_norms_(vectors.size()) {
  SetMean(vectors, hooks);
  float zero_norm = 1;
  for (const float value : mean_) zero_norm += value * value;
  ForRowsInParts(
      vectors, size(), 1, hooks, [&](size_t row, const float* vector) {
        const float inverse_norm = vectors.inverse_norms()[row];
        if (inverse_norm == 0) {
          squared_norms_[row] = zero_norm;
          return;
        }
        thread_local std::vector<float> unit;  // no allocation per row
        unit.resize(vectors.dim());
        for (size_t i = 0; i < unit.size(); ++i) {
          unit[i] = vector[i] * inverse_norm;
        }
        const CenteredVector centered = Center(unit, mean_);
        std::copy(centered.codes.begin(), centered.codes.end(),
                  codes_.Row(row));
        scales_[row] = centered.scale;
        squared_norms_[row] = centered.squared_norm;
      });
}

void CenteredRows::SetMean(const WordVectors& vectors, const Hooks& hooks) {
  const size_t num_parts = (size() + kSummedRows - 1) / kSummedRows;
  std::vector<std::vector<double>> sums(num_parts,
                                        std::vector<double>(vectors.dim()));
  ForRowsInParts(vectors, size(), kSummedRows, hooks,
                 [&](size_t row, const float* vector) {
                   const float inverse_norm = vectors.inverse_norms()[row];
                   if (inverse_norm == 0) return;
                   AddUnit(vector, inverse_norm,
                           absl::MakeSpan(sums[row / kSummedRows]));
                 });
  std::vector<double> total(mean_.size());
  for (const std::vector<double>& sum : sums) {
    for (size_t i = 0; i < sum.size(); ++i) total[i] += sum[i];
  }
  const auto count = static_cast<double>(
      size() - std::count(vectors.inverse_norms().begin(),
                          vectors.inverse_norms().end(), 0.0f));
  if (count == 0) return;
  for (size_t i = 0; i < total.size(); ++i) {
    mean_[i] = static_cast<float>(total[i] / count);
  }
}

}  // namespace firth
