// The header of a .safetensors file: u64 length, then that many bytes of JSON,
//
//   {"__metadata__": {"key": "value"},
//    "name": {"dtype": "F32", "shape": [V, d], "data_offsets": [begin, end]}}
//
// with offsets counted from the end of the header. The tensors cover the rest
// of the file without holes or overlaps.

#ifndef FIRTH_IO_TENSORS_SAFETENSORS_HEADER_H_
#define FIRTH_IO_TENSORS_SAFETENSORS_HEADER_H_

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/mapped_file.h"
#include "firth/matrix.h"

namespace firth {

struct TensorEntry {
  std::string name;
  std::string dtype;
  std::vector<uint64_t> shape;
  // In bytes. ReadSafetensorsHeader() returns offsets from the start of the
  // file.
  uint64_t begin = 0;
  uint64_t end = 0;
};

struct SafetensorsHeader {
  std::map<std::string, std::string> metadata;
  std::vector<TensorEntry> tensors;  // Sorted by offset.

  // Returns null if there is no tensor of that name.
  const TensorEntry* Find(absl::string_view name) const;

  // For writing: adds the next tensor, directly after the last. `dtype` must be
  // a type of the format.
  void Append(const char* name, const char* dtype, std::vector<uint64_t> shape);
};

// Returns the bytes per value, or 0 for a type that the format does not have.
uint64_t BytesPerValue(absl::string_view dtype);

// Returns whether the tensor is F32 [rows, cols] with cols above 0.
bool IsTable(const TensorEntry& tensor);

// Returns whether there is a tensor of this type and shape.
constexpr uint64_t kAnySize = UINT64_MAX;
bool IsOfShape(const TensorEntry* tensor, absl::string_view dtype,
               absl::Span<const uint64_t> shape);

// Copies the values of a tensor, which must be of that type.
template <class Value>
std::vector<Value> CopyValues(const MappedFile& file,
                              const TensorEntry& tensor) {
  std::vector<Value> values((tensor.end - tensor.begin) / sizeof(Value));
  if (!values.empty()) {
    std::memcpy(values.data(), file.data() + tensor.begin,
                values.size() * sizeof(Value));
  }
  return values;
}

// Returns an error that states what tensor `name` should be. `found` is null if
// it is missing.
absl::Status BadTensor(const MappedFile& file, absl::string_view name,
                       absl::string_view expected, const TensorEntry* found);

// Returns the `count` texts, each followed by '\n', of a U8 tensor of the file,
// one for each row of tensor `rows`. Errors: DataLoss, another number of texts,
// or an empty one.
absl::StatusOr<std::vector<absl::string_view>> ReadTexts(
    const MappedFile& file, const TensorEntry& tensor, uint64_t count,
    absl::string_view rows);

// Returns the [rows, cols] floats of an F32 tensor, in place. If `all_finite`
// is true, checks for NaN and infinities. Errors: InvalidArgument, one was
// found.
absl::StatusOr<FloatTable> ReadTable(const MappedFilePtr& file,
                                     const TensorEntry& tensor, uint64_t rows,
                                     uint64_t cols, bool all_finite);

// Returns whether a file that starts with `head` may be a .safetensors file.
bool StartsLikeSafetensors(absl::string_view head);
// Returns whether the header of a file that starts with `head` has such a key,
// of a tensor or of the metadata. Searches only the text, and only the part
// that is in `head`.
bool HasKey(absl::string_view head, absl::string_view key);

// Checks everything that the format requires, without reading the data. Errors:
// DataLoss, with the tensor's name.
absl::StatusOr<SafetensorsHeader> ReadSafetensorsHeader(const MappedFile& file);

// Returns the bytes before the data of `header`, whose offsets count from their
// end. They are padded with spaces so that offset `aligned`, a multiple of 8,
// is at a multiple of 64 in the file. Invalid UTF-8 in metadata is replaced.
std::string MakeSafetensorsHeader(const SafetensorsHeader& header,
                                  uint64_t aligned);

}  // namespace firth

#endif  // FIRTH_IO_TENSORS_SAFETENSORS_HEADER_H_
