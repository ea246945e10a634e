#include "query/centered_rows.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/parallel_exceptions.h"
#include "simd/dot_int8.h"
#include "vectors/row_block.h"

namespace firth {
namespace {

// Number of rows per partial sum. Partial sums are added in row order.
constexpr size_t kSummedRows = 1024;

void AddUnit(const float* row, float inverse_norm, absl::Span<double> sum) {
  for (size_t i = 0; i < sum.size(); ++i) {
    sum[i] += double{row[i]} * inverse_norm;
  }
}

}  // namespace

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
  ParallelExceptions exceptions;
#pragma omp parallel
  {
    std::vector<float> unit;
    std::optional<RowBlock> block;
    exceptions.Catch([&] {
      unit.resize(vectors.dim());
      block.emplace(vectors.rows(), 1);
    });
#pragma omp for schedule(static)
    for (size_t row = 0; row < size(); ++row) {
      if (!block.has_value() || hooks.StopRequested()) continue;
      const float inverse_norm = vectors.inverse_norms()[row];
      if (inverse_norm == 0) {
        squared_norms_[row] = zero_norm;
        continue;
      }
      exceptions.Catch([&] {
        const float* const vector = block->Read(row, 1);
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
  }
  exceptions.Rethrow();
}

void CenteredRows::SetMean(const WordVectors& vectors, const Hooks& hooks) {
  const size_t num_blocks = (size() + kSummedRows - 1) / kSummedRows;
  std::vector<std::vector<double>> sums(num_blocks);
  ParallelExceptions exceptions;
#pragma omp parallel
  {
    std::optional<RowBlock> rows;
    exceptions.Catch([&] { rows.emplace(vectors.rows(), 1); });
#pragma omp for schedule(static)
    for (size_t block = 0; block < num_blocks; ++block) {
      if (!rows.has_value() || hooks.StopRequested()) continue;
      exceptions.Catch([&] {
        sums[block].resize(vectors.dim());
        const size_t end = std::min((block + 1) * kSummedRows, size());
        for (size_t row = block * kSummedRows; row < end; ++row) {
          const float inverse_norm = vectors.inverse_norms()[row];
          if (inverse_norm == 0) continue;
          AddUnit(rows->Read(row, 1), inverse_norm,
                  absl::MakeSpan(sums[block]));
        }
      });
    }
  }
  exceptions.Rethrow();
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
