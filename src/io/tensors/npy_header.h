// The header of a .npy file (numpy/lib/format): the bytes 0x93 "NUMPY", major
// and minor version, the header's length (u16 in version 1, u32 from 2 on) and
// a Python dict, padded with spaces so that the data start at a multiple of 64:
//
//   {'descr': '<f4', 'fortran_order': False, 'shape': (V, d), }\n

#ifndef FIRTH_IO_TENSORS_NPY_HEADER_H_
#define FIRTH_IO_TENSORS_NPY_HEADER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/mapped_file.h"

namespace firth {

constexpr absl::string_view kNpyMagic = "\x93NUMPY";

struct NpyHeader {
  uint64_t rows = 0;
  uint64_t cols = 0;
  size_t value_bytes = 0;  // 4 for '<f4', 8 for '<f8'.
  size_t data_begin = 0;   // The data are the rest of the file.
};

// An array of any type and shape.
struct NpyArray {
  std::string type;  // The type, such as '<f4'.
  std::vector<uint64_t> shape;
};
// Reads only the header. Errors: DataLoss, a header that is truncated or
// invalid, or a file of numbers whose length does not match it.
absl::StatusOr<NpyArray> ReadNpyArray(const MappedFile& file);

// Parses the header of a table. Errors: DataLoss for a header that is truncated
// or invalid and for a file whose length does not match it, InvalidArgument for
// an array that is not [rows, cols] of '<f4' or '<f8' in C order.
absl::StatusOr<NpyHeader> ParseNpyHeader(const MappedFile& file);

// Returns everything before the data of a type such as '<f4', at least
// `least_bytes` long. With 128, the sizes can still change.
std::string MakeNpyHeader(absl::string_view type,
                          absl::Span<const uint64_t> shape,
                          size_t least_bytes = 0);

}  // namespace firth

#endif  // FIRTH_IO_TENSORS_NPY_HEADER_H_
