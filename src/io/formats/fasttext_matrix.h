// The matrices of a fastText model file:
//
//   dense      i64 rows, i64 cols, rows * cols f32
//   quantized  u8 separate norms, i64 rows, i64 cols, i32 code bytes, codes u8,
//              quantizer; with separate norms also rows u8 codes, quantizer
//   quantizer  i32 dim, parts, part dim, last part's dim; dim * 256 f32
//
// A quantized row consists of one of 256 centroids for each part, multiplied by
// its norm, which is also one of 256 (Jegou, Douze and Schmid 2011; Joulin et
// al. 2016). Centroid i of part p is at 256 p * part dim + i * (dim of that
// part).

#ifndef FIRTH_IO_FORMATS_FASTTEXT_MATRIX_H_
#define FIRTH_IO_FORMATS_FASTTEXT_MATRIX_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/mapped_file.h"
#include "firth/matrix.h"
#include "io/codecs/byte_reader.h"
#include "io/formats/fasttext_header.h"

namespace firth {

// Reads the flag whether the matrix is quantized, and then a matrix of [rows,
// dim], or [0, dim] if `may_lack` is true. `name` is used in messages. A dense
// matrix stays in the file if it is aligned; a quantized one is converted to
// floats. Errors: DataLoss, also for a different shape; ResourceExhausted.
absl::StatusOr<FloatTable> ReadFasttextMatrix(const MappedFilePtr& file,
                                              ByteReader& reader,
                                              const FasttextHeader& header,
                                              uint64_t rows, bool may_lack,
                                              absl::string_view name);

}  // namespace firth

#endif  // FIRTH_IO_FORMATS_FASTTEXT_MATRIX_H_
