// ByteReader: walks over the bytes of a binary file, whose numbers are
// little-endian, and never leaves them.
//
// The first error stays: after it nothing is read, numbers come as the least
// that they may be, bytes as none, and status() tells what was wrong. So a
// header is read field by field, and asked once whether all of them were there:
// before one of them decides how much memory is taken or how often a loop runs.

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

namespace firth {

// All errors are DataLoss and name the file and the byte.
class ByteReader {
 public:
  // Borrows the file.
  explicit ByteReader(const MappedFile& file) : file_(&file) {}

  const absl::Status& status() const { return status_; }
  bool ok() const { return status_.ok(); }

  uint64_t position() const { return position_; }
  uint64_t left() const { return file_->size() - position_; }
  const MappedFile& file() const { return *file_; }
  // Goes to a byte of the file, or its end.
  void GoTo(uint64_t position) { position_ = position; }

  // `what` stands in messages: "the number of words".
  template <class Number>
  Number Read(absl::string_view what) {
    Number number = {};
    const absl::string_view bytes = ReadBytes(sizeof(Number), what);
    if (ok()) std::memcpy(&number, bytes.data(), sizeof(number));
    return number;
  }

  // A number of `bytes` bytes, at most 8.
  uint64_t ReadNumber(size_t bytes, absl::string_view what) {
    uint64_t number = 0;
    const absl::string_view found = ReadBytes(bytes, what);
    if (ok()) std::memcpy(&number, found.data(), found.size());
    return number;
  }

  // A number from low to high; `low` after an error.
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

  // Bytes up to a NUL, which is passed too.
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

  // Makes this the error, if it is the first one; returns the first one.
  const absl::Status& Fail(uint64_t position, absl::string_view expected,
                           absl::string_view found) {
    if (ok()) {
      status_ = absl::DataLossError(absl::StrCat(file_->path(), ": byte ",
                                                 position, ": expected ",
                                                 expected, ", found ", found));
    }
    return status_;
  }

  // An error unless all of the file has been read.
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
