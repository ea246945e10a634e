// Blocks of rows are encoded together. One product rotates a block, and then
// each part searches for its nearest centroids in a panel that stores them
// column by column (simd/nearest_centroid.h). Data from a file are checked
// before use: the shapes, the values, and that the rotation is orthogonal.

#include "vectors/product_quantizer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/parallel_exceptions.h"
#include "base/rng.h"
#include "firth/status_macros.h"
#include "simd/gemm.h"
#include "simd/nearest_centroid.h"
#include "vectors/row_block.h"

namespace firth {
namespace {

absl::Status CheckFinite(absl::string_view name, const FloatTable& table) {
  for (size_t row = 0; row < table.rows(); ++row) {
    for (const float value : table.Row(row)) {
      if (std::isfinite(value)) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          name, ", row ", row, ": expected finite numbers, found ", value));
    }
  }
  return absl::OkStatus();
}

double SquaredLength(absl::Span<const float> vector) {
  double sum = 0;
  for (const float value : vector) sum += double{value} * value;
  return sum;
}

std::vector<float> Times(const FloatTable& matrix, Transpose transpose,
                         absl::Span<const float> vector) {
  std::vector<float> product(vector.size());
  Gemm(Transpose::kNo,
       transpose == Transpose::kYes ? Transpose::kNo : Transpose::kYes, 1,
       vector.size(), vector.size(), 1, vector.data(), vector.size(),
       matrix.data(), matrix.stride(), 0, product.data(), product.size());
  return product;
}

// Checks that R^T R x = x for a few random x. This shows almost certainly that
// R is orthogonal, without a matrix product (Freivalds 1977).
absl::Status CheckOrthogonal(const FloatTable& rotation) {
  // Relative, since files may store few digits.
  constexpr double kMostError = 1e-3;
  Rng rng(rotation.rows());
  for (int trial = 0; trial < 4; ++trial) {
    std::vector<float> vector(rotation.cols());
    for (float& value : vector) value = 2 * rng.NextFloat() - 1;
    std::vector<float> back = Times(rotation, Transpose::kYes,
                                    Times(rotation, Transpose::kNo, vector));
    for (size_t i = 0; i < back.size(); ++i) back[i] -= vector[i];
    const double error = std::sqrt(SquaredLength(back) / SquaredLength(vector));
    if (error <= kMostError) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "the matrix of the rotation does not preserve lengths; it is off by ",
        error));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckParts(size_t parts, size_t dim) {
  if (parts >= 1 && dim % parts == 0) return absl::OkStatus();
  size_t below = std::min(parts, dim);
  while (below > 1 && dim % below != 0) --below;
  size_t above = std::clamp<size_t>(parts, 1, dim);
  while (dim % above != 0) ++above;
  return absl::InvalidArgumentError(absl::StrCat(
      "the number of parts must divide the ", dim, " dimensions, such as ",
      below > 0 && below != above ? absl::StrCat(below, " or ") : "", above,
      "; found ", parts));
}

ProductQuantizer::ProductQuantizer(FloatTable codebooks, size_t parts,
                                   FloatTable rotation)
    : codebooks_(std::move(codebooks)),
      parts_(parts),
      rotation_(std::move(rotation)) {}

absl::StatusOr<ProductQuantizer> ProductQuantizer::Create(FloatTable codebooks,
                                                          size_t parts,
                                                          FloatTable rotation) {
  if (parts == 0 || codebooks.empty() || codebooks.cols() == 0 ||
      codebooks.stride() != codebooks.cols() || codebooks.rows() % parts != 0 ||
      codebooks.rows() / parts > kMostCentroids) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected 1 to ", kMostCentroids, " centroids for each of ", parts,
        " parts, found a table of [", codebooks.rows(), ", ", codebooks.cols(),
        "]"));
  }
  FIRTH_RETURN_IF_ERROR(CheckFinite("codebooks", codebooks));
  const size_t dim = parts * codebooks.cols();
  if (!rotation.empty()) {
    if (rotation.rows() != dim || rotation.cols() != dim) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected a rotation of [", dim, ", ", dim, "], found [",
                       rotation.rows(), ", ", rotation.cols(), "]"));
    }
    FIRTH_RETURN_IF_ERROR(CheckFinite("rotation", rotation));
    FIRTH_RETURN_IF_ERROR(CheckOrthogonal(rotation));
  }
  return ProductQuantizer(std::move(codebooks), parts, std::move(rotation));
}

void ProductQuantizer::Encode(const FloatTable& rows, uint8_t* codes) const {
  std::vector<CentroidPanel> panels;
  panels.reserve(parts_);
  for (size_t part = 0; part < parts_; ++part) {
    panels.emplace_back(codebooks_.Row(part * centroids()).data(), centroids(),
                        part_dim());
  }
  ParallelExceptions exceptions;
#pragma omp parallel
  {
    std::vector<float> rotated;
    exceptions.Catch([&] { rotated.resize(kBlockRows * dim()); });
#pragma omp for schedule(static)
    for (size_t begin = 0; begin < rows.rows(); begin += kBlockRows) {
      if (rotated.empty()) continue;
      const size_t count = std::min(kBlockRows, rows.rows() - begin);
      const float* block = rows.data() + begin * rows.stride();
      size_t stride = rows.stride();
      if (!rotation_.empty()) {
        Gemm(Transpose::kNo, Transpose::kYes, count, dim(), dim(), 1, block,
             stride, rotation_.data(), rotation_.stride(), 0, rotated.data(),
             dim());
        block = rotated.data();
        stride = dim();
      }
      for (size_t part = 0; part < parts_; ++part) {
        panels[part].FindNearest(block + part * part_dim(), count, stride,
                                 codes + begin * parts_ + part, parts_);
      }
    }
  }
  exceptions.Rethrow();
}

void ProductQuantizer::DecodeRotated(const uint8_t* codes,
                                     absl::Span<float> vector) const {
  const size_t size = part_dim();
  const float* codebook = codebooks_.data();
  for (size_t part = 0; part < parts_; ++part) {
    std::copy_n(codebook + codes[part] * size, size,
                vector.data() + part * size);
    codebook += centroids() * size;
  }
}

void ProductQuantizer::Decode(const uint8_t* codes,
                              absl::Span<float> vector) const {
  DecodeRotated(codes, vector);
  if (rotation_.empty()) return;
  const std::vector<float> back = RotateBack(vector);
  std::copy(back.begin(), back.end(), vector.begin());
}

std::vector<float> ProductQuantizer::Rotate(
    absl::Span<const float> vector) const {
  if (rotation_.empty()) return {vector.begin(), vector.end()};
  return Times(rotation_, Transpose::kNo, vector);
}

std::vector<float> ProductQuantizer::RotateBack(
    absl::Span<const float> rotated) const {
  if (rotation_.empty()) return {rotated.begin(), rotated.end()};
  return Times(rotation_, Transpose::kYes, rotated);
}

}  // namespace firth
