// A .safetensors file of whose tensors each has a checksum: what models and
// checkpoints are kept in. One entry of the metadata tells the kind of the file
// and what is in it, as JSON; "checksums" has one of it and of each tensor.

#ifndef FIRTH_IO_TENSORS_CHECKED_TENSORS_H_
#define FIRTH_IO_TENSORS_CHECKED_TENSORS_H_

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "base/mapped_file.h"
#include "firth/matrix.h"
#include "firth/vocabulary.h"
#include "firth/word_vectors.h"
#include "io/codecs/vector_rows.h"
#include "io/tensors/safetensors_header.h"
#include "io/tensors/safetensors_writer.h"
#include "nlohmann/json.hpp"

namespace firth {

// Borrows values.
class CheckedWriter {
 public:
  void Add(const char* name, const char* dtype, absl::string_view bytes);
  void Add(const std::string& name, const FloatTable& table);
  // [rows, cols] of values of that type, or another shape of as many. Only a
  // table of floats may have gaps between its rows.
  template <class Value>
  void AddTable(const std::string& name, const char* dtype,
                const Table<Value>& table, std::vector<uint64_t> shape = {});
  // One word a line, without counts.
  void AddWords(const char* name, const Vocabulary& words);
  // A checksum has only the table.
  void Add(const SubwordTables& subwords);

  // Writes the file, whole or not at all: `content` is the metadata `kind`.
  // Errors: OutOfRange, a value that is not finite, which no reader takes.
  absl::Status Write(std::map<std::string, std::string> metadata,
                     const char* kind, std::string content,
                     const std::string& path) &&;
  // The same as a file without a name, which vanishes with its mapping. `path`
  // stands in messages. Errors: those of Write() and of temporary files.
  absl::StatusOr<MappedFilePtr> WriteUnnamed(
      std::map<std::string, std::string> metadata, const char* kind,
      std::string content, const std::string& path) &&;

 private:
  // Nothing is added any more.
  absl::Status Seal(std::map<std::string, std::string> metadata,
                    const char* kind, std::string content,
                    const std::string& path);
  void AddSum(const std::string& name, absl::string_view bytes);

  SafetensorsWriter writer_;
  nlohmann::json checksums_ = nlohmann::json::object();
  absl::Status status_;
  std::deque<std::string> texts_;  // where writer_ finds lines
};

template <class Value>
void CheckedWriter::AddTable(const std::string& name, const char* dtype,
                             const Table<Value>& table,
                             std::vector<uint64_t> shape) {
  if constexpr (std::is_same_v<Value, float>) {
    if (shape.empty()) return Add(name, table);
  }
  FIRTH_CHECK(table.stride() == table.cols() || table.rows() <= 1);
  AddSum(name, BytesOf(absl::MakeConstSpan(table.data(),
                                           table.rows() * table.cols())));
  writer_.AddTable(name, dtype, table, std::move(shape));
}

class CheckedReader {
 public:
  // Errors: NotFound; DataLoss, a file that is truncated or altered;
  // InvalidArgument, one without the metadata `kind`: it is no `what`.
  static absl::StatusOr<CheckedReader> Open(const std::string& path,
                                            const char* kind,
                                            absl::string_view what);
  static absl::StatusOr<CheckedReader> Open(const MappedFilePtr& file,
                                            const char* kind,
                                            absl::string_view what);

  // Nothing if the file is no .safetensors file, or one of another kind.
  // Errors: DataLoss.
  static absl::StatusOr<std::optional<CheckedReader>> OpenIfKind(
      const MappedFilePtr& file, const char* kind);

  const std::string& path() const { return file_->path(); }
  uint64_t size() const { return file_->size(); }
  const MappedFilePtr& file() const { return file_; }
  const SafetensorsHeader& header() const { return header_; }
  const std::string& content() const { return header_.metadata.at(kind_); }
  // The same as JSON, without what is nested so deep that only somebody who
  // wants to break a program wrote it; discarded if it is none.
  nlohmann::json ContentJson() const;
  // All but what this class put there.
  std::map<std::string, std::string> Metadata() const;

  bool Has(absl::string_view name) const;
  // In all F32 tensors.
  uint64_t num_floats() const;

  // What follows fails with InvalidArgument or DataLoss, with the tensor.

  // One word a line, with counts if there is that tensor; empty if there is no
  // tensor of that name.
  absl::StatusOr<Vocabulary> ReadWords(const char* name,
                                       const char* counts_name) const;
  // [rows, any]
  absl::StatusOr<FloatTable> ReadRows(const char* name, uint64_t rows) const;
  // Vectors of no words, but with n-grams, if there are some.
  absl::StatusOr<WordVectors> ReadNGrams(uint64_t dim) const;
  // [rows, cols] into memory whose rows are `stride` values apart.
  absl::Status ReadInto(absl::string_view name, uint64_t rows, uint64_t cols,
                        uint64_t stride, float* to) const;

  // A file that was written as a U8 tensor, of a name for messages.
  absl::StatusOr<MappedFilePtr> ReadFile(absl::string_view name) const;

  // InvalidArgument: the tensor is not what it should be; found: null if there
  // is none.
  absl::Status BadTensor(absl::string_view name, absl::string_view expected,
                         const TensorEntry* found) const;

 private:
  CheckedReader(MappedFilePtr file, SafetensorsHeader header, const char* kind)
      : file_(std::move(file)), header_(std::move(header)), kind_(kind) {}

  absl::string_view Bytes(const TensorEntry& tensor) const;
  absl::Status DataLoss(absl::string_view tensor,
                        absl::string_view message) const;
  absl::Status CheckSums() const;
  absl::Status CheckNoSumIsMissing(const nlohmann::json& sums) const;

  MappedFilePtr file_;
  SafetensorsHeader header_;
  const char* kind_;
};

}  // namespace firth

#endif  // FIRTH_IO_TENSORS_CHECKED_TENSORS_H_
