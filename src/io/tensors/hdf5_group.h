// Finds names in the groups of an HDF5 file (hdf5_format.h).

#ifndef FIRTH_IO_TENSORS_HDF5_GROUP_H_
#define FIRTH_IO_TENSORS_HDF5_GROUP_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "io/codecs/byte_reader.h"

namespace firth {

// Returns the address of the object header of `path`, such as "CNN/W_cnn_0",
// below the group whose header is at `root`. Takes time in proportion to the
// size of the groups. Errors: NotFound; DataLoss, also if the path leads
// through a soft or external link.
absl::StatusOr<uint64_t> FindHdf5Object(ByteReader& reader, uint64_t root,
                                        absl::string_view path);

}  // namespace firth

#endif  // FIRTH_IO_TENSORS_HDF5_GROUP_H_
