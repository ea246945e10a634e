// The arrays of a finalfusion file:
//
//   array      u64 rows, u32 cols, u32 type 10 (f32), padding, rows * cols f32
//   norms      u64 n, u32 type 10, padding, n f32
//   quantized  u32 projected, u32 separate norms, u32 parts, u32 cols,
//              u32 centroids, u64 rows, u32 type 1 (u8), u32 type 10, padding,
//              [cols, cols] f32 if projected, [parts, centroids, cols / parts]
//              f32, rows f32 if norms are separate, [rows, parts] u8
//
// A quantized row y consists of one centroid for each part (Jegou, Douze and
// Schmid, "Product Quantization for Nearest Neighbor Search", 2011). If there
// is a projection P, it becomes P y. If norms are separate, it is multiplied by
// its norm.

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

// Reads an array. A plain array stays in the file; a quantized one is decoded
// by all threads. Errors: DataLoss, ResourceExhausted.
absl::StatusOr<FloatTable> ReadFifuArray(const MappedFilePtr& file,
                                         const FifuChunk& chunk,
                                         ByteReader& reader);

// Returns the norms [n, 1], which stay in the file.
absl::StatusOr<FloatTable> ReadFifuNorms(const MappedFilePtr& file,
                                         const FifuChunk& chunk,
                                         ByteReader& reader);

struct FifuShape {
  uint64_t rows = 0;
  uint64_t cols = 0;
};
// Reads the shape without the values.
absl::StatusOr<FifuShape> ReadFifuShape(const FifuChunk& chunk,
                                        ByteReader& reader);

// Returns the rows of `table`, each multiplied by its norm, computed by all
// threads. norms: [rows, 1].
absl::StatusOr<FloatTable> ScaleRows(const MappedFilePtr& file,
                                     const FloatTable& table,
                                     const FloatTable& norms);

// Returns the norm by which the vector is divided in a file. It is 1 if the
// norm is too large for a float or not normal, so that division is not
// possible, and 0 for a zero vector.
float FifuNorm(absl::Span<const float> vector);

// Writes an array of the words' vectors at unit length, and of the n-grams'
// rows. `subwords` is null if there are none. `norms` are those of the words,
// from FifuNorm().
absl::Status WriteFifuArray(const FloatTable& words,
                            absl::Span<const float> norms,
                            const SubwordTables* subwords, OutputFile& out);
// Writes an array of quantized vectors of words.
absl::Status WriteFifuQuantized(const PqRows& words, OutputFile& out);
absl::Status WriteFifuNorms(absl::Span<const float> norms, OutputFile& out);

}  // namespace firth

#endif  // FIRTH_IO_FORMATS_FINALFUSION_ARRAYS_H_
