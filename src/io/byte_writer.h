// Numbers of a binary file, little-endian as the machine's memory.

#ifndef FIRTH_IO_BYTE_WRITER_H_
#define FIRTH_IO_BYTE_WRITER_H_

#include "absl/status/status.h"
#include "base/output_file.h"

namespace firth {

template <class Number>
absl::Status WriteNumber(Number number, OutputFile& out) {
  return out.Write({reinterpret_cast<const char*>(&number), sizeof(number)});
}

}  // namespace firth

#endif  // FIRTH_IO_BYTE_WRITER_H_
