// Quantizes vectors: stores them in fewer bits, for small models.

#ifndef FIRTH_QUANTIZE_H_
#define FIRTH_QUANTIZE_H_

#include <cstdint>
#include <variant>

#include "absl/status/statusor.h"
#include "firth/word_vectors.h"

namespace firth {

class FieldTable;

// Forms in which vectors can be stored; see firth/row_store.h.
struct ToFloat32 {
  static constexpr char kName[] = "none";
};
struct ToFloat16 {
  static constexpr char kName[] = "float16";
};
// Each row has its own scale.
struct ToInt8 {
  static constexpr char kName[] = "int8";
};
// Product quantization: one byte for each part of a row (Jegou, Douze and
// Schmid 2011).
struct ToPq {
  static constexpr char kName[] = "pq";
  // Bytes per row, a divisor of dim, at most 65535; 0 means about dim / 4.
  uint64_t parts = 0;
  // Rotate rows to reduce the error (Ge et al. 2013). Stores dim * dim
  // additional floats. Not done if there are fewer rows than dimensions.
  bool rotation = false;
  // Quantize unit vectors and store the lengths separately, 4 bytes per row.
  bool norms = false;
  uint64_t seed = 1;  // Seed of the clustering.

  static FieldTable Fields();
};
using QuantizeOptions = std::variant<ToFloat32, ToFloat16, ToInt8, ToPq>;

// Returns the vectors in another form. Counts and n-grams are kept, and rows of
// n-grams stay floats. The result does not depend on the number of threads.
// Errors: InvalidArgument (parts that do not divide dim, or a value that is not
// finite or exceeds the range of 16 bits), ResourceExhausted.
absl::StatusOr<WordVectors> Quantize(const WordVectors& vectors,
                                     const QuantizeOptions& options);

// Returns the vectors as floats, or unchanged if they already are. Errors:
// ResourceExhausted.
absl::StatusOr<WordVectors> Dequantize(const WordVectors& vectors);

}  // namespace firth

#endif  // FIRTH_QUANTIZE_H_
