// The superblock and the object headers of an HDF5 file (hdf5_format.h).

#ifndef FIRTH_IO_TENSORS_HDF5_HEADER_H_
#define FIRTH_IO_TENSORS_HDF5_HEADER_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "io/codecs/byte_reader.h"
#include "io/tensors/hdf5_format.h"

namespace firth {

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
