// Training of codebooks and rotation.
//
// Codebooks are clusters, computed for each part. The rotation starts from the
// principal components, distributed so that the parts have about equal
// variances (Ge et al. 2013, section 3.2). Then rotation and codebooks are
// improved in turn (3.1): if Y is the approximation of the rotated sample X by
// the codebooks, the next rotation is the one that moves X closest to Y.

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "base/check.h"
#include "base/matrix.h"
#include "base/parallel_exceptions.h"
#include "base/rng.h"
#include "firth/status_macros.h"
#include "simd/gemm.h"
#include "simd/nearest_centroid.h"
#include "vectors/k_means.h"
#include "vectors/principal_components.h"
#include "vectors/procrustes.h"
#include "vectors/product_quantizer.h"

namespace firth {
namespace {

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
