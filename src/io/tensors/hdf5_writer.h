// Writing tables of floats to an HDF5 file (hdf5_format.h).

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

// Writes values as they come and, at the end, the root group that has them all
// as its members, in the oldest form, which every version of libhdf5 reads.
// Keeps some 40 bytes a dataset in memory.
class Hdf5Writer {
 public:
  // Errors: those of OutputFile; InvalidArgument where `path` is no regular
  // file.
  static absl::StatusOr<Hdf5Writer> Create(const std::string& path);

  // A new dataset of floats of 32 bits, or of 16 as base/float16.h makes them.
  // Its name differs from all others and has no slash. Errors: those of
  // OutputFile.
  absl::Status Add(const std::string& name, absl::Span<const uint64_t> shape,
                   const float* values);
  absl::Status Add(const std::string& name, absl::Span<const uint64_t> shape,
                   const uint16_t* values);
  // Ends the file, which appears only now.
  absl::Status Commit();

 private:
  struct Member {
    std::string name;
    uint64_t header;  // its address
  };
  // A part of the tree, as the node above it describes it.
  struct Child {
    uint64_t address;
    uint64_t last_name;  // the largest one below it, by its place in the heap
  };

  explicit Hdf5Writer(OutputFile out) : out_(std::move(out)) {}
  // type: of kHdf5Float16 and its like.
  absl::Status AddValues(const std::string& name, absl::string_view type,
                         absl::Span<const uint64_t> shape, const void* values);
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
