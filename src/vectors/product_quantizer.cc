// Blocks of rows are encoded together. One product rotates a block, and then
// each part searches for its nearest centroids in a panel that stores them
// column by column (simd/nearest_centroid.h). Data from a file are checked
// before use: the shapes, the values, and that the rotation is orthogonal.

#include "vectors/product_quantizer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/matrix.h"
#include "base/parallel_exceptions.h"
#include "base/rng.h"
#include "firth/status_macros.h"
#include "simd/gemm.h"
#include "simd/nearest_centroid.h"
#include "vectors/principal_components.h"
#include "vectors/procrustes.h"
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

// Points per centroid from which seeds are drawn. More points hardly improve
// the seeds, and every draw reads all of them.
constexpr size_t kSeedPoints = 32;

float SquaredDistance(const float* a, const float* b, size_t dim) {
  float sum = 0;
  for (size_t i = 0; i < dim; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

// Draws a position in proportion to the weights, or any position if all are 0.
size_t Draw(const std::vector<float>& weights, double total, Rng& rng) {
  double rest = total * rng.NextFloat();
  for (size_t i = 0; i < weights.size(); ++i) {
    rest -= weights[i];
    if (rest < 0) return i;
  }
  return rng.Below(static_cast<uint32_t>(weights.size()));
}

// Training of codebooks and rotation.
//
// Codebooks are clusters, computed for each part. The rotation starts from the
// principal components, distributed so that the parts have about equal
// variances (Ge et al. 2013, section 3.2). Then rotation and codebooks are
// improved in turn (3.1): if Y is the approximation of the rotated sample X by
// the codebooks, the next rotation is the one that moves X closest to Y.

// 256 rows per centroid; more hardly change the result.
constexpr size_t kSampleRows = 65536;
constexpr int kSteps = 20;      // Steps of k-means at the end.
constexpr int kRotations = 20;  // Rotations, each with one step of k-means.

// Variances below this fraction of the largest one are raised to it.
constexpr double kLeastShare = 1e-6;

// Rows of one product of matrices.
constexpr size_t kAssignedRows = 1024;

using Floats = std::shared_ptr<std::vector<float>>;

FloatTable ToTable(const Floats& floats, size_t cols) {
  FIRTH_CHECK(cols > 0);
  return FloatTable(
      ConstView<float>(floats->data(), floats->size() / cols, cols), floats);
}

// Returns rows spread evenly over all rows: [n, dim], without padding.
Floats Sample(const FloatTable& rows) {
  const size_t count = std::min(rows.rows(), kSampleRows);
  auto sample = std::make_shared<std::vector<float>>();
  sample->reserve(count * rows.cols());
  for (size_t i = 0; i < count; ++i) {
    const auto row = rows.Row(i * rows.rows() / count);
    sample->insert(sample->end(), row.begin(), row.end());
  }
  return sample;
}

// The centroids of all parts, [parts, centroids, part_dim]. Each part is
// processed by one thread.
class Codebooks {
 public:
  Codebooks(size_t dim, size_t parts, size_t centroids)
      : dim_(dim),
        parts_(parts),
        part_dim_(dim / parts),
        values_(std::make_shared<std::vector<float>>(centroids * dim)) {}

  // rows: [n, dim].
  void Seed(const std::vector<float>& rows, uint64_t seed) {
    ForEachPart(rows, [&](size_t part, const Points& points) {
      SeedCentroids(points, CombineKeys(seed, part), OfPart(part));
    });
  }
  void Move(const std::vector<float>& rows, int steps) {
    ForEachPart(rows, [&](size_t part, const Points& points) {
      MoveCentroids(points, steps, OfPart(part));
    });
  }
  FloatTable Table() const { return ToTable(values_, part_dim_); }

 private:
  absl::Span<float> OfPart(size_t part) {
    const size_t size = values_->size() / parts_;
    return absl::MakeSpan(*values_).subspan(part * size, size);
  }

  template <class Body>
  void ForEachPart(const std::vector<float>& rows, const Body& body) {
    const size_t count = rows.size() / dim_;
    ParallelExceptions exceptions;
#pragma omp parallel for schedule(dynamic)
    for (size_t part = 0; part < parts_; ++part) {
      exceptions.Catch([&] {
        std::vector<float> points(count * part_dim_);
        for (size_t row = 0; row < count; ++row) {
          std::copy_n(rows.data() + row * dim_ + part * part_dim_, part_dim_,
                      points.data() + row * part_dim_);
        }
        body(part, Points{points.data(), count, part_dim_});
      });
    }
    exceptions.Rethrow();
  }

  size_t dim_;
  size_t parts_;
  size_t part_dim_;
  Floats values_;
};

// Returns rows * matrix^T: [n, dim].
std::vector<float> RotateAll(const std::vector<float>& rows,
                             const std::vector<float>& matrix, size_t dim) {
  std::vector<float> rotated(rows.size());
  const size_t count = rows.size() / dim;
#pragma omp parallel for schedule(static)
  for (size_t begin = 0; begin < count; begin += kAssignedRows) {
    Gemm(Transpose::kNo, Transpose::kYes,
         std::min(kAssignedRows, count - begin), dim, dim, 1,
         rows.data() + begin * dim, dim, matrix.data(), dim, 0,
         rotated.data() + begin * dim, dim);
  }
  return rotated;
}

// Assigns each principal component to the part with the smallest product of
// variances so far, among those with room. Variances are in units of the
// smallest one: a variance below 1 would reduce the product, and the part that
// has just received a component would also receive the next.
absl::StatusOr<std::vector<float>> FirstRotation(const Floats& sample,
                                                 size_t dim, size_t parts) {
  const FloatTable rows = ToTable(sample, dim);
  FIRTH_ASSIGN_OR_RETURN(const Components components,
                         PrincipalComponents(rows, MeanRow(rows), dim));
  const double unit =
      std::max(components.sums.back(), kLeastShare * components.sums.front());
  std::vector<double> logs(parts);  // Logarithms of the products.
  std::vector<size_t> used(parts);
  std::vector<float> rotation(dim * dim);
  for (size_t i = 0; i < dim; ++i) {
    size_t least = parts;
    for (size_t part = 0; part < parts; ++part) {
      if (used[part] == dim / parts) continue;
      if (least == parts || logs[part] < logs[least]) least = part;
    }
    if (unit > 0)
      logs[least] += std::log(std::max(components.sums[i] / unit, 1.0));
    const size_t row = least * (dim / parts) + used[least]++;
    std::copy_n(components.vectors.data() + i * dim, dim,
                rotation.data() + row * dim);
  }
  return rotation;
}

// Returns the rotation that moves the rows closest to `targets`.
absl::StatusOr<std::vector<float>> BestRotation(
    const std::vector<float>& rows, const std::vector<float>& targets,
    size_t dim) {
  const auto copy_from = [dim](const std::vector<float>& from) {
    return [&from, dim](size_t begin, size_t count, float* block) {
      std::copy_n(from.data() + begin * dim, count * dim, block);
    };
  };
  return ProcrustesRotation(rows.size() / dim, dim, copy_from(rows),
                            copy_from(targets));
}

// Returns the approximation of the rows by the codebooks.
std::vector<float> Approximate(const ProductQuantizer& quantizer,
                               const Floats& rows) {
  const size_t dim = quantizer.dim();
  const size_t count = rows->size() / dim;
  std::vector<uint8_t> codes(count * quantizer.parts());
  quantizer.Encode(ToTable(rows, dim), codes.data());
  std::vector<float> decoded(rows->size());
  for (size_t row = 0; row < count; ++row) {
    quantizer.DecodeRotated(codes.data() + row * quantizer.parts(),
                            absl::MakeSpan(decoded).subspan(row * dim, dim));
  }
  return decoded;
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

void SeedCentroids(const Points& points, uint64_t seed,
                   absl::Span<float> centroids) {
  const size_t dim = points.dim;
  const size_t k = centroids.size() / dim;
  const size_t count = std::min(points.count, kSeedPoints * k);
  // Evenly spread over all points, because their order may be significant.
  const auto point = [&](size_t i) { return points[i * points.count / count]; };
  Rng rng(CombineKeys(seed, count));
  // Distance of each point to the nearest centroid so far.
  std::vector<float> distances(count, std::numeric_limits<float>::infinity());
  size_t chosen = rng.Below(static_cast<uint32_t>(count));
  for (size_t c = 0; c < k; ++c) {
    std::copy_n(point(chosen), dim, centroids.data() + c * dim);
    double total = 0;
    for (size_t i = 0; i < count; ++i) {
      distances[i] =
          std::min(distances[i], SquaredDistance(point(i), point(chosen), dim));
      total += distances[i];
    }
    chosen = Draw(distances, total, rng);
  }
}

void MoveCentroids(const Points& points, int steps,
                   absl::Span<float> centroids) {
  const size_t dim = points.dim;
  const size_t k = centroids.size() / dim;
  std::vector<uint8_t> nearest(points.count);
  std::vector<double> sums;
  std::vector<uint32_t> sizes;
  for (int step = 0; step < steps; ++step) {
    CentroidPanel(centroids.data(), k, dim)
        .FindNearest(points.data, points.count, dim, nearest.data(), 1);
    sums.assign(centroids.size(), 0);
    sizes.assign(k, 0);
    for (size_t i = 0; i < points.count; ++i) {
      double* const sum = sums.data() + nearest[i] * dim;
      for (size_t j = 0; j < dim; ++j) sum[j] += points[i][j];
      ++sizes[nearest[i]];
    }
    for (size_t i = 0; i < centroids.size(); ++i) {
      const uint32_t size = sizes[i / dim];
      if (size > 0) centroids[i] = static_cast<float>(sums[i] / size);
    }
  }
}

absl::StatusOr<ProductQuantizer> ProductQuantizer::Train(
    const FloatTable& rows, const ProductQuantizerOptions& options) {
  const size_t dim = rows.cols();
  const size_t parts = options.parts;
  FIRTH_RETURN_IF_ERROR(CheckParts(parts, dim));
  const size_t centroids = std::clamp<size_t>(rows.rows(), 1, kMostCentroids);
  Codebooks codebooks(dim, parts, centroids);
  if (rows.empty()) return Create(codebooks.Table(), parts, FloatTable());
  const Floats sample = Sample(rows);
  // Fewer rows than dimensions do not determine a rotation, and a rotation
  // takes more space than they do.
  if (!options.rotation || dim == 1 || rows.rows() < dim) {
    codebooks.Seed(*sample, options.seed);
    codebooks.Move(*sample, kSteps);
    return Create(codebooks.Table(), parts, FloatTable());
  }
  FIRTH_ASSIGN_OR_RETURN(std::vector<float> rotation,
                         FirstRotation(sample, dim, parts));
  Floats rotated =
      std::make_shared<std::vector<float>>(RotateAll(*sample, rotation, dim));
  codebooks.Seed(*rotated, options.seed);
  for (int round = 0; round < kRotations; ++round) {
    codebooks.Move(*rotated, 1);
    FIRTH_ASSIGN_OR_RETURN(const ProductQuantizer unrotated,
                           Create(codebooks.Table(), parts, FloatTable()));
    FIRTH_ASSIGN_OR_RETURN(
        rotation, BestRotation(*sample, Approximate(unrotated, rotated), dim));
    *rotated = RotateAll(*sample, rotation, dim);
  }
  codebooks.Move(*rotated, kSteps);
  return Create(codebooks.Table(), parts, FloatTable(std::move(rotation), dim));
}

}  // namespace firth
