// A .safetensors file in which each tensor has a checksum, used for models and
// checkpoints. One entry of the metadata contains the kind of the file and a
// description of its content, as JSON. "checksums" contains the checksum of
// that entry and of each tensor.

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
#include "nlohmann/json.hpp"

namespace firth {

// Borrows values.
class CheckedWriter {
 public:
  void Add(const char* name, const char* dtype, absl::string_view bytes);
  void Add(const std::string& name, const FloatTable& table);
  // Adds [rows, cols] values of that type, or another shape with as many
  // values. Only a table of floats may have gaps between its rows.
  template <class Value>
  void AddTable(const std::string& name, const char* dtype,
                const Table<Value>& table, std::vector<uint64_t> shape = {});
  // Adds one word per line, without counts.
  void AddWords(const char* name, const Vocabulary& words);
  // Adds n-grams. Only the table has a checksum.
  void Add(const SubwordTables& subwords);

  // Writes the file, whole or not at all. `content` becomes the metadata entry
  // `kind`. Errors: OutOfRange, a value that is not finite, which no reader
  // accepts.
  absl::Status Write(std::map<std::string, std::string> metadata,
                     const char* kind, std::string content,
                     const std::string& path) &&;
  // Writes a file without a name, which disappears with its mapping. `path` is
  // used in messages. Errors: those of Write() and of temporary files.
  absl::StatusOr<MappedFilePtr> WriteUnnamed(
      std::map<std::string, std::string> metadata, const char* kind,
      std::string content, const std::string& path) &&;

 private:
  // Finishes the list of tensors. Nothing may be added afterwards.
  absl::Status Seal(std::map<std::string, std::string> metadata,
                    const char* kind, std::string content,
                    const std::string& path);
  void AddSum(const std::string& name, absl::string_view bytes);

  SafetensorsWriter writer_;
  nlohmann::json checksums_ = nlohmann::json::object();
  absl::Status status_;
  std::deque<std::string> texts_;  // Owns the lines that writer_ refers to.
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
  // Opens a file. Errors: NotFound; DataLoss, a file that is truncated or
  // altered; InvalidArgument, a file without the metadata `kind`, which is
  // reported as not being a `what`.
  static absl::StatusOr<CheckedReader> Open(const std::string& path,
                                            const char* kind,
                                            absl::string_view what);
  static absl::StatusOr<CheckedReader> Open(const MappedFilePtr& file,
                                            const char* kind,
                                            absl::string_view what);

  // Returns nothing if the file is not a .safetensors file, or is of another
  // kind. Errors: DataLoss; FailedPrecondition, a newer file.
  static absl::StatusOr<std::optional<CheckedReader>> OpenIfKind(
      const MappedFilePtr& file, const char* kind);

  const std::string& path() const { return file_->path(); }
  uint64_t size() const { return file_->size(); }
  const MappedFilePtr& file() const { return file_; }
  const SafetensorsHeader& header() const { return header_; }
  const std::string& content() const { return header_.metadata.at(kind_); }
  // Returns the content as JSON. Levels so deep that only a malicious file has
  // them are dropped. Returns a "discarded" value if the content is not JSON.
  nlohmann::json ContentJson() const;
  // Returns all metadata except those that this class added.
  std::map<std::string, std::string> Metadata() const;

  bool Has(absl::string_view name) const;
  // Returns the number of values in all F32 tensors.
  uint64_t num_floats() const;

  // The following functions fail with InvalidArgument or DataLoss, with the
  // tensor.

  // Reads one word per line, with counts if that tensor exists. Returns an
  // empty vocabulary if there is no tensor `name`.
  absl::StatusOr<Vocabulary> ReadWords(const char* name,
                                       const char* counts_name) const;
  // Reads a table [rows, any].
  absl::StatusOr<FloatTable> ReadRows(const char* name, uint64_t rows) const;
  // Returns vectors without words, but with n-grams, if there are any.
  absl::StatusOr<WordVectors> ReadNGrams(uint64_t dim) const;
  // Reads [rows, cols] into memory whose rows are `stride` values apart.
  absl::Status ReadInto(absl::string_view name, uint64_t rows, uint64_t cols,
                        uint64_t stride, float* to) const;

  // Returns a file that was written as a U8 tensor. Its path is for messages.
  absl::StatusOr<MappedFilePtr> ReadFile(absl::string_view name) const;

  // Returns InvalidArgument: the tensor is not as expected. `found` is null if
  // there is none.
  absl::Status BadTensor(absl::string_view name, absl::string_view expected,
                         const TensorEntry* found) const;
  // Returns DataLoss: the tensor is damaged.
  absl::Status DataLoss(absl::string_view tensor,
                        absl::string_view message) const;

 private:
  CheckedReader(MappedFilePtr file, SafetensorsHeader header, const char* kind)
      : file_(std::move(file)), header_(std::move(header)), kind_(kind) {}

  absl::string_view Bytes(const TensorEntry& tensor) const;
  absl::Status CheckSums() const;
  absl::Status CheckNoSumIsMissing(const nlohmann::json& sums) const;

  MappedFilePtr file_;
  SafetensorsHeader header_;
  const char* kind_;
};

}  // namespace firth

#endif  // FIRTH_IO_TENSORS_CHECKED_TENSORS_H_
