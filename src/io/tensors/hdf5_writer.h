// Writes tables of floats to an HDF5 file (hdf5_header.h).

#ifndef FIRTH_IO_TENSORS_HDF5_WRITER_H_
#define FIRTH_IO_TENSORS_HDF5_WRITER_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/output_file.h"

namespace firth {

// Writes values as they are added and, at the end, the root group with all of
// them as members, in the oldest form, which every version of libhdf5 reads.
// Uses about 40 bytes of memory per dataset.
class Hdf5Writer {
 public:
  // Creates a file. Errors: those of OutputFile; InvalidArgument if `path` is
  // not a regular file.
  static absl::StatusOr<Hdf5Writer> Create(const std::string& path);

  // Adds a dataset of floats of 32 bits, or of 16 bits as base/float16.h makes
  // them. Its name must be unique and have no slash. Errors: those of
  // OutputFile.
  absl::Status Add(const std::string& name, absl::Span<const uint64_t> shape,
                   const float* values);
  absl::Status Add(const std::string& name, absl::Span<const uint64_t> shape,
                   const uint16_t* values);
  // Adds a dataset that contains one text of 1 to 2^32 - 1 bytes.
  absl::Status AddText(const std::string& name, absl::string_view text);
  // Completes the file, which appears only now.
  absl::Status Commit();

 private:
  struct Member {
    std::string name;
    uint64_t header;  // Address of the header.
  };
  // A part of the tree, as described in the node above it.
  struct Child {
    uint64_t address;
    // The largest name below it, as a position in the heap.
    uint64_t last_name;
  };

  explicit Hdf5Writer(OutputFile out) : out_(std::move(out)) {}
  // `type` is kHdf5Float16 or a similar constant. `values` are bytes.
  absl::Status AddValues(const std::string& name, absl::string_view type,
                         absl::Span<const uint64_t> shape,
                         absl::string_view values);
  absl::StatusOr<std::vector<Child>> WriteSymbols(
      absl::Span<const uint64_t> names);
  absl::StatusOr<uint64_t> WriteTree(std::vector<Child> children);
  absl::Status WriteTreeNode(absl::Span<const Child> children, uint8_t level,
                             uint64_t first_name, uint64_t left,
                             uint64_t right);

  OutputFile out_;
  std::vector<Member> members_;
};

}  // namespace firth

#endif  // FIRTH_IO_TENSORS_HDF5_WRITER_H_
