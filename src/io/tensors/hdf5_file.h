// Reads tables of floats from an HDF5 file.

#ifndef FIRTH_IO_TENSORS_HDF5_FILE_H_
#define FIRTH_IO_TENSORS_HDF5_FILE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/mapped_file.h"
#include "io/codecs/byte_reader.h"

namespace firth {

// Reads the format described in hdf5_header.h: values in one piece and without
// filters, as written by bilm-tf, by h5py unless configured otherwise, and by
// Hdf5Writer. Opens no other file, whatever this one contains.
class Hdf5File {
 public:
  // Opens a file. Errors: those of MappedFile; DataLoss, not an HDF5 file.
  static absl::StatusOr<Hdf5File> Open(const std::string& path);

  const std::string& path() const { return file_->path(); }

  // Returns the shape of a dataset. Errors: NotFound; DataLoss, a dataset that
  // is damaged or not in the form above.
  absl::StatusOr<std::vector<uint64_t>> Shape(const std::string& name) const;

  // Returns DataLoss unless the dataset has floating-point numbers of this
  // shape, all of them in this file.
  absl::Status CheckShape(const std::string& name,
                          absl::Span<const uint64_t> shape) const;

  // Reads all values of a dataset of this shape, as floats, into `values`.
  // Errors: those of CheckShape(); DataLoss, also if a value is not finite.
  absl::Status Read(const std::string& name, absl::Span<const uint64_t> shape,
                    float* values) const;

 private:
  struct Dataset {
    std::vector<uint64_t> shape;
    uint64_t count = 0;
    uint64_t value_bytes = 0;  // 2, 4 or 8.
    uint64_t begin = 0;        // Start of count * value_bytes bytes.
  };

  Hdf5File(std::shared_ptr<const MappedFile> file, uint64_t root)
      : file_(std::move(file)), root_(root) {}
  static absl::StatusOr<Dataset> ReadDataset(ByteReader& reader,
                                             uint64_t address);
  absl::StatusOr<Dataset> Find(const std::string& name) const;
  absl::StatusOr<Dataset> FindOfShape(const std::string& name,
                                      absl::Span<const uint64_t> shape) const;

  std::shared_ptr<const MappedFile> file_;
  uint64_t root_;  // Address of the root group's header.
};

}  // namespace firth

#endif  // FIRTH_IO_TENSORS_HDF5_FILE_H_
