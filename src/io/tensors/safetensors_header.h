// The header of a .safetensors file, with its reader and the writer of the
// whole file: u64 length, then that many bytes of JSON,
//
//   {"__metadata__": {"key": "value"},
//    "name": {"dtype": "F32", "shape": [V, d], "data_offsets": [begin, end]}}
//
// with offsets counted from the end of the header. The tensors cover the rest
// of the file without holes or overlaps.
//
// The metadata of Firth's own files contain "format" ("firth" or a longer
// name), "format_version" (1 if it is missing) and "firth_version", the version
// of the program, which is not checked. A change that older programs would
// misread takes a new format version; files without the change keep the older
// one.

#ifndef FIRTH_IO_TENSORS_SAFETENSORS_HEADER_H_
#define FIRTH_IO_TENSORS_SAFETENSORS_HEADER_H_

#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/mapped_file.h"
#include "base/output_file.h"
#include "firth/matrix.h"
#include "io/codecs/vector_rows.h"

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

// The newest format version that this program reads.
constexpr uint64_t kNewestFormatVersion = 1;

// Adds the metadata of Firth's own files.
void MarkAsOwn(absl::string_view format,
               std::map<std::string, std::string>* metadata);

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
// DataLoss, with the tensor's name; FailedPrecondition, a file of a newer
// version of Firth.
absl::StatusOr<SafetensorsHeader> ReadSafetensorsHeader(const MappedFile& file);

// Returns the bytes before the data of `header`, whose offsets count from their
// end. They are padded with spaces so that offset `aligned`, a multiple of 8,
// is at a multiple of 64 in the file. Invalid UTF-8 in metadata is replaced.
std::string MakeSafetensorsHeader(const SafetensorsHeader& header,
                                  uint64_t aligned);

// Collects tensors, then writes header and data.
class SafetensorsWriter {
 public:
  using WriteData = std::function<absl::Status(OutputFile&)>;

  // `dtype` must be a type of the format; `write` must write all values.
  void Add(std::string name, const char* dtype, std::vector<uint64_t> shape,
           WriteData write);

  // Adds [rows, cols] values of that type, or another shape with as many
  // values. Borrows the memory of the table.
  template <class Value>
  void AddTable(const std::string& name, const char* dtype,
                const Table<Value>& table, std::vector<uint64_t> shape = {});

  // Adds texts in the form that ReadTexts() reads. Borrows the bytes of the
  // texts.
  void AddTexts(const char* name, std::vector<absl::string_view> texts);
  // Adds a tensor [numbers.size()]. Borrows the memory.
  template <class Number>
  void AddNumbers(const char* name, const char* dtype,
                  absl::Span<const Number> numbers) {
    Add(name, dtype, {numbers.size()},
        [numbers](OutputFile& out) { return out.Write(BytesOf(numbers)); });
  }

  std::map<std::string, std::string>& metadata() { return metadata_; }

  // Writes the file, whole or not at all. Tensors are sorted by the size of
  // their values, the largest first, so that all are aligned without holes.
  // Tensors of the same size keep the order in which they were added. The first
  // one with values of less than 8 bytes starts at a multiple of 64.
  absl::Status Write(const std::string& path, const Hooks& hooks = {}) &&;
  // Writes to a file that is already open, and does not commit it.
  absl::Status WriteTo(OutputFile& out) &&;

 private:
  struct Tensor {
    std::string name;
    const char* dtype;
    std::vector<uint64_t> shape;
    WriteData write;
  };

  std::map<std::string, std::string> metadata_;
  std::vector<Tensor> tensors_;
};

template <class Value>
void SafetensorsWriter::AddTable(const std::string& name, const char* dtype,
                                 const Table<Value>& table,
                                 std::vector<uint64_t> shape) {
  if (shape.empty()) shape = {table.rows(), table.cols()};
  Add(name, dtype, std::move(shape),
      [table](OutputFile& out) { return WriteTable(table, out); });
}

}  // namespace firth

#endif  // FIRTH_IO_TENSORS_SAFETENSORS_HEADER_H_
