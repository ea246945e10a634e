// ProductQuantizer: vectors as a few bytes each (Jegou, Douze and Schmid,
// "Product Quantization for Nearest Neighbor Search", 2011).
//
// A vector is cut into parts of equal length, and each part is replaced by the
// nearest of up to 256 centroids of a codebook of its own, which a byte names.
// With a rotation (Ge et al., "Optimized Product Quantization", 2013) it is not
// x that is cut but y = R x, where the orthogonal matrix R makes the parts
// easier to replace:
//
//   y = R x        x ~ R^T (codebook_0[code_0], ..., codebook_m[code_m])
//
// Dot products do not notice the rotation: q . x = (R q) . (R x).

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
  size_t parts = 0;       // divides the dimension
  bool rotation = false;  // learn one, from at least as many rows as there are
                          // dimensions
  uint64_t seed = 1;      // of the first centroids
};

// Immutable and cheap to copy.
class ProductQuantizer {
 public:
  // As stored. codebooks: [parts * centroids, part_dim], with no space between
  // rows: centroid c of part p is row p * centroids + c, and there are 1 to 256
  // centroids a part. rotation: R, [dim, dim] with dim = parts * part_dim, or
  // empty. Errors: InvalidArgument, another shape, a value that is not finite,
  // a rotation that changes lengths.
  static absl::StatusOr<ProductQuantizer> Create(FloatTable codebooks,
                                                 size_t parts,
                                                 FloatTable rotation);

  // Learns codebooks, and a rotation if told to, from (a sample of) the rows,
  // on all cores; their number does not change the result. Errors:
  // InvalidArgument, a number of parts that does not divide the dimension.
  static absl::StatusOr<ProductQuantizer> Train(
      const FloatTable& rows, const ProductQuantizerOptions& options);

  size_t dim() const { return parts_ * part_dim(); }
  size_t parts() const { return parts_; }
  size_t part_dim() const { return codebooks_.cols(); }
  size_t centroids() const { return codebooks_.rows() / parts_; }  // a part
  const FloatTable& codebooks() const { return codebooks_; }
  const FloatTable& rotation() const { return rotation_; }

  // codes: [rows, parts]. On all cores.
  void Encode(const FloatTable& rows, uint8_t* codes) const;

  // What `codes` [parts] stand for. DecodeRotated() leaves it rotated, which is
  // faster. vector: [dim].
  void Decode(const uint8_t* codes, absl::Span<float> vector) const;
  void DecodeRotated(const uint8_t* codes, absl::Span<float> vector) const;

  // R x, and R^T y; the vector itself without a rotation. [dim]
  std::vector<float> Rotate(absl::Span<const float> vector) const;
  std::vector<float> RotateBack(absl::Span<const float> rotated) const;

 private:
  ProductQuantizer(FloatTable codebooks, size_t parts, FloatTable rotation);

  FloatTable codebooks_;
  size_t parts_;
  FloatTable rotation_;
};

// InvalidArgument unless `parts` divides `dim`; the message names numbers near
// it that do.
absl::Status CheckParts(size_t parts, size_t dim);

}  // namespace firth

#endif  // FIRTH_VECTORS_PRODUCT_QUANTIZER_H_
