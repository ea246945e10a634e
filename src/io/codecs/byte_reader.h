// ByteReader: reads the bytes of a binary file with little-endian numbers, and
// never reads outside it.
//
// The first error is kept. After it nothing is read: numbers have their lowest
// allowed value, byte strings are empty, and status() returns the error. A
// header is therefore read field by field and checked once, before any field
// determines how much memory is allocated or how often a loop runs.

#ifndef FIRTH_IO_CODECS_BYTE_READER_H_
#define FIRTH_IO_CODECS_BYTE_READER_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/mapped_file.h"
#include "base/newer_file.h"

namespace firth {

// All errors are DataLoss, with the file and the byte, except for that of
// ReadVersion().
class ByteReader {
 public:
  // Borrows the file.
  explicit ByteReader(const MappedFile& file) : file_(&file) {}

  const absl::Status& status() const { return status_; }
  bool ok() const { return status_.ok(); }

  uint64_t position() const { return position_; }
  uint64_t left() const { return file_->size() - position_; }
  const MappedFile& file() const { return *file_; }
  // Moves to a byte of the file, or to its end.
  void GoTo(uint64_t position) { position_ = position; }

  // Reads a number. `what` names it in messages, such as "the number of words".
  template <class Number>
  Number Read(absl::string_view what) {
    Number number = {};
    const absl::string_view bytes = ReadBytes(sizeof(Number), what);
    if (ok()) std::memcpy(&number, bytes.data(), sizeof(number));
    return number;
  }

  // Reads a number of `bytes` bytes, at most 8.
  uint64_t ReadNumber(size_t bytes, absl::string_view what) {
    uint64_t number = 0;
    const absl::string_view found = ReadBytes(bytes, what);
    if (ok()) std::memcpy(&number, found.data(), found.size());
    return number;
  }

  // Reads a number from `low` to `high`. Returns `low` after an error.
  template <class Number>
  Number ReadRange(absl::string_view what, Number low,
                   Number high = std::numeric_limits<Number>::max()) {
    const uint64_t at = position_;
    const auto number = Read<Number>(what);
    if (ok() && number >= low && number <= high) return number;
    Fail(at, absl::StrCat(what, " from ", low, " to ", high),
         absl::StrCat(number));
    return low;
  }

  // Reads the version of a format, from `low` to `high`; see NewerFile() for
  // `what`, `program` and the error for a higher one.
  template <class Number>
  Number ReadVersion(absl::string_view what, Number low, Number high,
                     absl::string_view program) {
    const uint64_t at = position_;
    const auto version = Read<Number>("a version");
    if (ok() && version >= low && version <= high) return version;
    if (ok() && version > high) {
      status_ = NewerFile(absl::StrCat(file_->path(), ": byte ", at), what,
                          static_cast<uint64_t>(high),
                          static_cast<uint64_t>(version), program);
    }
    Fail(at, absl::StrCat("a version from ", low, " to ", high),
         absl::StrCat(version));
    return low;
  }

  absl::string_view ReadBytes(uint64_t count, absl::string_view what) {
    if (count > left()) {
      Fail(position_, absl::StrCat(what, ", ", count, " bytes"),
           absl::StrCat(left(), " bytes to the end of the file"));
    }
    if (!ok()) return {};
    const absl::string_view bytes = file_->bytes().substr(position_, count);
    position_ += count;
    return bytes;
  }

  void Skip(uint64_t count, absl::string_view what) { ReadBytes(count, what); }

  // Reads bytes up to a NUL, and skips the NUL.
  absl::string_view ReadString(absl::string_view what) {
    if (!ok()) return {};
    const absl::string_view rest = file_->bytes().substr(position_);
    const size_t end = rest.find('\0');
    if (end == rest.npos) {
      Fail(position_, absl::StrCat(what, " with a NUL after it"),
           "none to the end of the file");
      return {};
    }
    position_ += end + 1;
    return rest.substr(0, end);
  }

  // Sets the error if it is the first one. Returns the first error.
  const absl::Status& Fail(uint64_t position, absl::string_view expected,
                           absl::string_view found) {
    if (ok()) {
      status_ = absl::DataLossError(absl::StrCat(file_->path(), ": byte ",
                                                 position, ": expected ",
                                                 expected, ", found ", found));
    }
    return status_;
  }

  // Returns an error unless the whole file has been read.
  const absl::Status& CheckEnd() {
    if (left() == 0) return status_;
    return Fail(position_, "the end of the file",
                absl::StrCat(left(), " bytes"));
  }

 private:
  const MappedFile* file_;
  uint64_t position_ = 0;
  absl::Status status_;
};

}  // namespace firth

#endif  // FIRTH_IO_CODECS_BYTE_READER_H_
