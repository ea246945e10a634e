// ByteReader: walks over the bytes of a binary file, whose numbers are
// little-endian, and never leaves them.

#ifndef FIRTH_IO_CODECS_BYTE_READER_H_
#define FIRTH_IO_CODECS_BYTE_READER_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/mapped_file.h"
#include "firth/status_macros.h"

namespace firth {

// All errors are DataLoss and name the file and the byte.
class ByteReader {
 public:
  // Borrows the file.
  explicit ByteReader(const MappedFile& file) : file_(&file) {}

  uint64_t position() const { return position_; }
  uint64_t left() const { return file_->size() - position_; }
  const MappedFile& file() const { return *file_; }
  // Goes to a byte of the file, or its end.
  void GoTo(uint64_t position) { position_ = position; }

  // `what` stands in messages: "the number of words".
  template <class Number>
  absl::StatusOr<Number> Read(absl::string_view what) {
    FIRTH_ASSIGN_OR_RETURN(const absl::string_view bytes,
                           ReadBytes(sizeof(Number), what));
    Number number;
    std::memcpy(&number, bytes.data(), sizeof(number));
    return number;
  }

  // A number from low to high.
  template <class Number>
  absl::StatusOr<Number> ReadRange(absl::string_view what, Number low,
                                   Number high) {
    const uint64_t at = position_;
    FIRTH_ASSIGN_OR_RETURN(const Number number, Read<Number>(what));
    if (number >= low && number <= high) return number;
    return ErrorAt(at, absl::StrCat(what, " from ", low, " to ", high),
                   absl::StrCat(number));
  }

  absl::StatusOr<absl::string_view> ReadBytes(uint64_t count,
                                              absl::string_view what) {
    if (count > left()) {
      return ErrorAt(position_, absl::StrCat(what, ", ", count, " bytes"),
                     absl::StrCat(left(), " bytes to the end of the file"));
    }
    const absl::string_view bytes = file_->bytes().substr(position_, count);
    position_ += count;
    return bytes;
  }

  absl::Status Skip(uint64_t count, absl::string_view what) {
    return ReadBytes(count, what).status();
  }

  // Bytes up to a NUL, which is passed too.
  absl::StatusOr<absl::string_view> ReadString(absl::string_view what) {
    const absl::string_view rest = file_->bytes().substr(position_);
    const size_t end = rest.find('\0');
    if (end == rest.npos) {
      return ErrorAt(position_, absl::StrCat(what, " with a NUL after it"),
                     "none to the end of the file");
    }
    position_ += end + 1;
    return rest.substr(0, end);
  }

  absl::Status ErrorAt(uint64_t position, absl::string_view expected,
                       absl::string_view found) const {
    return absl::DataLossError(absl::StrCat(file_->path(), ": byte ", position,
                                            ": expected ", expected, ", found ",
                                            found));
  }

 private:
  const MappedFile* file_;
  uint64_t position_ = 0;
};

}  // namespace firth

#endif  // FIRTH_IO_CODECS_BYTE_READER_H_
