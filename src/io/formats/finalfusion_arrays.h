// The arrays of a finalfusion file:
//
//   array      u64 rows, u32 cols, u32 type 10 (f32), padding, rows * cols f32
//   norms      u64 n, u32 type 10, padding, n f32
//   quantized  u32 projected, u32 norms apart, u32 parts, u32 cols,
//              u32 centroids, u64 rows, u32 type 1 (u8), u32 type 10, padding,
//              [cols, cols] f32 if projected, [parts, centroids, cols / parts]
//              f32, rows f32 if norms are apart, [rows, parts] u8
//
// A quantized row is one centroid for each part (Jegou, Douze and Schmid,
// "Product Quantization for Nearest Neighbor Search", 2011), then P y of it
// where there is a projection P, times its norm where these are apart.

#ifndef FIRTH_IO_FORMATS_FINALFUSION_ARRAYS_H_
#define FIRTH_IO_FORMATS_FINALFUSION_ARRAYS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/mapped_file.h"
#include "base/output_file.h"
#include "firth/matrix.h"
#include "firth/row_store.h"
#include "firth/word_vectors.h"
#include "io/codecs/byte_reader.h"
#include "io/formats/finalfusion_chunks.h"

namespace firth {

// A plain array stays in the file; a quantized one is written out, by all
// threads. Errors: DataLoss, ResourceExhausted.
absl::StatusOr<FloatTable> ReadFifuArray(const MappedFilePtr& file,
                                         const FifuChunk& chunk,
                                         ByteReader& reader);

// [n, 1], in the file.
absl::StatusOr<FloatTable> ReadFifuNorms(const MappedFilePtr& file,
                                         const FifuChunk& chunk,
                                         ByteReader& reader);

struct FifuShape {
  uint64_t rows = 0;
  uint64_t cols = 0;
};
// Without reading the values.
absl::StatusOr<FifuShape> ReadFifuShape(const FifuChunk& chunk,
                                        ByteReader& reader);

// The rows of `table`, each times its norm, by all threads. norms: [rows, 1].
absl::StatusOr<FloatTable> ScaleRows(const MappedFilePtr& file,
                                     const FloatTable& table,
                                     const FloatTable& norms);

// The norm by which the vector is divided for a file, as a float: 1 where that
// cannot be done, because it is too large for one or not normal; 0 of zeros.
float FifuNorm(absl::Span<const float> vector);

// An array of the words' vectors, at unit length, and the n-grams'; subwords:
// null without. `norms` are those of the words, by FifuNorm().
absl::Status WriteFifuArray(const FloatTable& words,
                            absl::Span<const float> norms,
                            const SubwordTables* subwords, OutputFile& out);
// An array of the words' vectors as they are quantized.
absl::Status WriteFifuQuantized(const PqRows& words, OutputFile& out);
absl::Status WriteFifuNorms(absl::Span<const float> norms, OutputFile& out);

}  // namespace firth

#endif  // FIRTH_IO_FORMATS_FINALFUSION_ARRAYS_H_
