// SafetensorsWriter: collects tensors, then writes header and data.

#ifndef FIRTH_IO_TENSORS_SAFETENSORS_WRITER_H_
#define FIRTH_IO_TENSORS_SAFETENSORS_WRITER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/output_file.h"
#include "firth/matrix.h"
#include "io/codecs/vector_rows.h"

namespace firth {

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

#endif  // FIRTH_IO_TENSORS_SAFETENSORS_WRITER_H_
