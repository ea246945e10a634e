// Small models: vectors in fewer bits.

#ifndef FIRTH_QUANTIZE_H_
#define FIRTH_QUANTIZE_H_

#include <cstdint>
#include <string>
#include <variant>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "firth/word_vectors.h"

namespace firth {

class FieldTable;

// The forms that vectors can take; see firth/row_store.h.
struct ToFloat32 {
  static constexpr char kName[] = "none";
};
struct ToFloat16 {
  static constexpr char kName[] = "float16";
};
struct ToInt8 {  // each row with a scale of its own
  static constexpr char kName[] = "int8";
};
// Product quantization: a byte for each part of a row (Jegou, Douze and Schmid
// 2011).
struct ToPq {
  static constexpr char kName[] = "pq";
  uint64_t parts = 0;     // bytes a row, divides dim, at most 65535; 0: about
                          // dim / 4
  bool rotation = false;  // rotate rows so that little gets lost (Ge et al.
                          // 2013); dim * dim floats more; not done for fewer
                          // rows than dimensions
  bool norms = false;     // quantize unit vectors and keep the lengths apart, 4
                          // bytes a row
  uint64_t seed = 1;      // of the clusters

  static FieldTable Fields();
};
using QuantizeOptions = std::variant<ToFloat32, ToFloat16, ToInt8, ToPq>;

// The vectors in another form; counts and n-grams, whose rows stay floats, are
// kept. The result does not depend on the number of threads. Errors:
// InvalidArgument (parts that do not divide dim, a value beyond what 16 bits
// hold or one that is not finite), ResourceExhausted.
absl::StatusOr<WordVectors> Quantize(const WordVectors& vectors,
                                     const QuantizeOptions& options);

// The vectors as floats, themselves where they are. Errors: ResourceExhausted.
absl::StatusOr<WordVectors> Dequantize(const WordVectors& vectors);

}  // namespace firth

#endif  // FIRTH_QUANTIZE_H_
