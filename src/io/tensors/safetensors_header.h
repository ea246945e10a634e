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
  uint64_t begin = 0;  // in bytes; ReadSafetensorsHeader: from the file's start
  uint64_t end = 0;
};

struct SafetensorsHeader {
  std::map<std::string, std::string> metadata;
  std::vector<TensorEntry> tensors;  // by offset

  // Null if there is none of that name.
  const TensorEntry* Find(absl::string_view name) const;

  // For writing: the next tensor, directly after the last. `dtype` is one of
  // the format's.
  void Append(const char* name, const char* dtype, std::vector<uint64_t> shape);
};

// Bytes of a value, or 0 for a type that the format does not have.
uint64_t BytesPerValue(absl::string_view dtype);

// Whether it is F32 [rows, cols] with cols above 0.
bool IsTable(const TensorEntry& tensor);

// Whether there is a tensor of this type and shape.
constexpr uint64_t kAnySize = UINT64_MAX;
bool IsOfShape(const TensorEntry* tensor, absl::string_view dtype,
               absl::Span<const uint64_t> shape);

// Its values, which are of that type.
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

// An error that says what tensor `name` should be. found: null if it lacks.
absl::Status BadTensor(const MappedFile& file, absl::string_view name,
                       absl::string_view expected, const TensorEntry* found);

// The `count` texts, each followed by '\n', that a U8 tensor of the file holds;
// there is one for each row of tensor `rows`. Errors: DataLoss, another number,
// an empty one.
absl::StatusOr<std::vector<absl::string_view>> ReadTexts(
    const MappedFile& file, const TensorEntry& tensor, uint64_t count,
    absl::string_view rows);

// The [rows, cols] floats of an F32 tensor, in place. all_finite: whether to
// look for NaN and infinities. Errors: InvalidArgument, one was found.
absl::StatusOr<FloatTable> ReadTable(const MappedFilePtr& file,
                                     const TensorEntry& tensor, uint64_t rows,
                                     uint64_t cols, bool all_finite);

// Whether a file that starts with `head` can be one.
bool StartsLikeSafetensors(absl::string_view head);
// Whether the header of a file that starts with `head` has such a key, of a
// tensor or of the metadata. Looks at the text alone, as far as `head` goes.
bool HasKey(absl::string_view head, absl::string_view key);

// Checks all that the format says, without looking at the data. Errors:
// DataLoss, with the tensor's name.
absl::StatusOr<SafetensorsHeader> ReadSafetensorsHeader(const MappedFile& file);

// The bytes before the data of `header`, whose offsets count from their end.
// Padded with spaces so that offset `aligned`, a multiple of 8, lies at a
// multiple of 64 in the file. Metadata that is not valid UTF-8 is replaced.
std::string MakeSafetensorsHeader(const SafetensorsHeader& header,
                                  uint64_t aligned);

}  // namespace firth

#endif  // FIRTH_IO_TENSORS_SAFETENSORS_HEADER_H_
