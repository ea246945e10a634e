// The rows of a .safetensors model, "input" if they are those of words, in one
// of four forms:
//
//   float32  input            F32 [V, dim]
//   float16  input            F16 [V, dim]
//   int8     input            I8  [V, dim]  from -127 to 127
//            input_scales     F32 [V]       a value is its code times the scale
//                                           of its row
//   pq       input_codes      U8  [V, parts]
//            input_codebooks  F32 [parts, centroids, dim / parts]
//            input_rotation   F32 [dim, dim]  R, orthogonal; optional
//            input_norms      F32 [V]         optional; 1 if missing
//
// In the form pq, a word is its norm times R^T (codebook_0[code_0], ...,
// codebook_m[code_m]).

#ifndef FIRTH_IO_FORMATS_SAFETENSORS_ROWS_H_
#define FIRTH_IO_FORMATS_SAFETENSORS_ROWS_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/mapped_file.h"
#include "firth/row_store.h"
#include "io/tensors/safetensors_header.h"

namespace firth {

// The tensors of the rows; null if missing.
struct RowTensors {
  // "input", "input_codes" or, in a file from another program, its only F32
  // table.
  const TensorEntry* rows = nullptr;
  const TensorEntry* scales = nullptr;
  const TensorEntry* codebooks = nullptr;
  const TensorEntry* rotation = nullptr;
  const TensorEntry* norms = nullptr;

  uint64_t words() const { return rows->shape[0]; }
  uint64_t dim() const;
  std::string Form() const;  // For people: "pq, 75 parts, rotated".
  double BitsPerValue() const;
};

// Finds the tensors and checks types and shapes. Errors: InvalidArgument.
absl::StatusOr<RowTensors> FindRowTensors(const MappedFile& file,
                                          const SafetensorsHeader& header,
                                          absl::string_view name);
// Finds the tensors of the rows of words.
absl::StatusOr<RowTensors> FindWordRowTensors(const MappedFile& file,
                                              const SafetensorsHeader& header);

// Returns the rows, which stay in the file if they are aligned. AssembleFile()
// checks whether the values of words are finite. Errors: InvalidArgument, an
// invalid code, scale, norm, codebook or rotation.
absl::StatusOr<RowStore> ReadRowTensors(const MappedFilePtr& file,
                                        const RowTensors& tensors);

// Adds the tensors of the rows, which must outlive the writer: a
// SafetensorsWriter or a CheckedWriter.
template <class Writer>
void AddRowTensors(const RowStore& rows, const std::string& name,
                   Writer* writer);

}  // namespace firth

#endif  // FIRTH_IO_FORMATS_SAFETENSORS_ROWS_H_
