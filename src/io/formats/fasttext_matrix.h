// The matrices of a fastText model file:
//
//   dense      i64 rows, i64 cols, rows * cols f32
//   quantized  u8 norms apart, i64 rows, i64 cols, i32 code bytes, codes u8,
//              quantizer; with norms apart also rows u8 codes, quantizer
//   quantizer  i32 dim, parts, part dim, last part's dim; dim * 256 f32
//
// A quantized row is one centroid of 256 for each part, times its norm, which
// is one of 256, too (Jegou, Douze and Schmid 2011; Joulin et al. 2016).
// Centroid i of part p lies at 256 p * part dim + i * (dim of that part).

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

// Reads a matrix of [rows, dim], or of [0, dim] where that may be, and before
// it whether it is quantized; `name` stands in messages. A dense one stays in
// the file where it is aligned; a quantized one is written out. Errors:
// DataLoss, also for another shape; ResourceExhausted.
absl::StatusOr<FloatTable> ReadFasttextMatrix(const MappedFilePtr& file,
                                              ByteReader& reader,
                                              const FasttextHeader& header,
                                              uint64_t rows, bool may_lack,
                                              absl::string_view name);

}  // namespace firth

#endif  // FIRTH_IO_FORMATS_FASTTEXT_MATRIX_H_
