// ProductQuantizer: represents vectors by a few bytes each (Jegou, Douze and
// Schmid, "Product Quantization for Nearest Neighbor Search", 2011).
//
// A vector is divided into parts of equal length. Each part is replaced by the
// nearest of up to 256 centroids of its own codebook, identified by a byte.
// With a rotation (Ge et al., "Optimized Product Quantization", 2013), not x is
// divided but y = R x, where the orthogonal matrix R reduces the error:
//
//   y = R x        x ~ R^T (codebook_0[code_0], ..., codebook_m[code_m])
//
// The rotation does not change dot products: q . x = (R q) . (R x).

#ifndef FIRTH_VECTORS_PRODUCT_QUANTIZER_H_
#define FIRTH_VECTORS_PRODUCT_QUANTIZER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "firth/matrix.h"

namespace firth {

struct ProductQuantizerOptions {
  size_t parts = 0;  // Number of parts; must divide the dimension.
  // Whether to train a rotation, from at least as many rows as dimensions.
  bool rotation = false;
  uint64_t seed = 1;  // Seed of the first centroids.
};

// Immutable and cheap to copy.
class ProductQuantizer {
 public:
  // Creates a quantizer from stored values. codebooks: [parts * centroids,
  // part_dim], without gaps between rows; centroid c of part p is row p *
  // centroids + c, and there are 1 to 256 centroids per part. rotation: R,
  // [dim, dim] with dim = parts * part_dim, or empty. Errors: InvalidArgument,
  // another shape, a value that is not finite, a rotation that changes lengths.
  static absl::StatusOr<ProductQuantizer> Create(FloatTable codebooks,
                                                 size_t parts,
                                                 FloatTable rotation);

  // Trains codebooks, and a rotation if requested, from (a sample of) the rows.
  // Uses all cores, whose number does not change the result. Errors:
  // InvalidArgument, a number of parts that does not divide the dimension.
  static absl::StatusOr<ProductQuantizer> Train(
      const FloatTable& rows, const ProductQuantizerOptions& options);

  size_t dim() const { return parts_ * part_dim(); }
  size_t parts() const { return parts_; }
  size_t part_dim() const { return codebooks_.cols(); }
  size_t centroids() const { return codebooks_.rows() / parts_; }  // Per part.
  const FloatTable& codebooks() const { return codebooks_; }
  const FloatTable& rotation() const { return rotation_; }

  // Writes codes [rows, parts], using all cores.
  void Encode(const FloatTable& rows, uint8_t* codes) const;

  // Decodes `codes` [parts] to `vector` [dim]. DecodeRotated() does not rotate
  // it back, which is faster.
  void Decode(const uint8_t* codes, absl::Span<float> vector) const;
  void DecodeRotated(const uint8_t* codes, absl::Span<float> vector) const;

  // Return R x and R^T y, [dim]; without a rotation, the vector itself.
  std::vector<float> Rotate(absl::Span<const float> vector) const;
  std::vector<float> RotateBack(absl::Span<const float> rotated) const;

 private:
  ProductQuantizer(FloatTable codebooks, size_t parts, FloatTable rotation);

  FloatTable codebooks_;
  size_t parts_;
  FloatTable rotation_;
};

// Returns InvalidArgument unless `parts` divides `dim`. The message suggests
// nearby numbers that do.
absl::Status CheckParts(size_t parts, size_t dim);

// Points to cluster by k-means: seeds by k-means++ (Arthur and Vassilvitskii
// 2007), then Lloyd's steps. The result depends only on the points and the
// seed.
//
// `count` points of `dim` floats, one after another.
struct Points {
  const float* data;
  size_t count;
  size_t dim;

  const float* operator[](size_t point) const { return data + point * dim; }
};

// Writes k of the points, far from one another, to `centroids` [k, dim]. There
// must be at least one point.
void SeedCentroids(const Points& points, uint64_t seed,
                   absl::Span<float> centroids);

// Moves each centroid to the mean of its nearest points, `steps` times.
// Centroids without points stay. k must be at most kMostCentroids.
void MoveCentroids(const Points& points, int steps,
                   absl::Span<float> centroids);

}  // namespace firth

#endif  // FIRTH_VECTORS_PRODUCT_QUANTIZER_H_
