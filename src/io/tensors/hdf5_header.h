// The part of HDF5 that Firth reads and writes ("HDF5 File Format Specification
// 3.0"): groups of tables of floats, each table in one piece.
//
//   superblock     where the root group's object header is
//   object header  messages: for a table, its sizes, the type of its values and
//                  their position; for a group, the position of its members
//   group          in old files, a B-tree of nodes of symbols, whose names are
//                  in a heap; in newer ones, one message per member
//
// Numbers are little-endian; addresses are bytes from the start of the file.
//
// HDF5 has more features: values and members in other files (external storage,
// external links, virtual datasets), filters that are loaded as plugins, and
// files divided into several files by the driver. Nothing here can open another
// file; the reader rejects a file that needs one, and reports why. For this
// reason, it does not use libhdf5, which follows such references and was not
// made for hostile files.

#ifndef FIRTH_IO_TENSORS_HDF5_HEADER_H_
#define FIRTH_IO_TENSORS_HDF5_HEADER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "io/codecs/byte_reader.h"

namespace firth {

constexpr absl::string_view kHdf5Signature("\x89HDF\r\n\x1a\n", 8);
constexpr absl::string_view kHdf5Tree = "TREE";
constexpr absl::string_view kHdf5Symbols = "SNOD";
constexpr absl::string_view kHdf5Heap = "HEAP";

// The undefined address, which marks an object that does not exist.
constexpr uint64_t kHdf5Nowhere = ~uint64_t{0};

enum class Hdf5MessageType : uint16_t {
  kDataspace = 0x01,
  kLinkInfo = 0x02,
  kDatatype = 0x03,
  kFillValue = 0x05,
  kLink = 0x06,
  kExternalFiles = 0x07,
  kLayout = 0x08,
  kContinuation = 0x10,
  kSymbolTable = 0x11,
};

// Values in a layout message.
constexpr uint8_t kHdf5LayoutVersion = 3;
constexpr uint8_t kHdf5Compact = 0;
constexpr uint8_t kHdf5Contiguous = 1;
constexpr uint8_t kHdf5Chunked = 2;
constexpr uint8_t kHdf5Virtual = 3;

// Kinds of members of a group, stored in a symbol in addition to name and
// address.
constexpr uint32_t kHdf5NothingKnown = 0;
constexpr uint32_t kHdf5GroupSymbol = 1;
constexpr uint32_t kHdf5SoftLink = 2;
constexpr size_t kHdf5SymbolBytes = 40;

// The messages for IEEE numbers of 16, 32 and 64 bits: class and version of the
// message, byte order and sign, bytes, then the bits of the parts.
constexpr absl::string_view kHdf5Float16(
    "\x11\x20\x0f\0\x02\0\0\0\0\0\x10\0\x0a\x05\0\x0a\x0f\0\0\0", 20);
constexpr absl::string_view kHdf5Float32(
    "\x11\x20\x1f\0\x04\0\0\0\0\0\x20\0\x17\x08\0\x17\x7f\0\0\0", 20);
constexpr absl::string_view kHdf5Float64(
    "\x11\x20\x3f\0\x08\0\0\0\0\0\x40\0\x34\x0b\0\x34\xff\x03\0\0", 20);

// Returns the message for texts of `bytes` bytes in UTF-8, padded with zeros.
inline std::string Hdf5Text(uint32_t bytes) {
  std::string type("\x13\x11\0\0", 4);
  return type.append(reinterpret_cast<const char*>(&bytes), sizeof(bytes));
}

struct Hdf5Message {
  Hdf5MessageType type;
  // Whether it only refers to another object that has the message.
  bool shared = false;
  uint64_t begin = 0;  // Start of its data, which are in the file.
  uint64_t bytes = 0;
};

// Returns the address of the root group's object header. Errors: DataLoss, not
// an HDF5 file, or a file that is truncated or consists of several files.
absl::StatusOr<uint64_t> ReadHdf5Superblock(ByteReader& reader);

// Returns all messages of the object header at an address. Errors: DataLoss.
absl::StatusOr<std::vector<Hdf5Message>> ReadHdf5Messages(ByteReader& reader,
                                                          uint64_t address);

// Moves to an address found in a file; `what` names the object there in
// messages.
void GoToHdf5(ByteReader& reader, uint64_t address, absl::string_view what);

// Reads bytes that must be `signature`.
void ReadHdf5Signature(ByteReader& reader, absl::string_view signature,
                       absl::string_view what);

}  // namespace firth

#endif  // FIRTH_IO_TENSORS_HDF5_HEADER_H_
