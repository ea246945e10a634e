// Reading tables of floats from an HDF5 file, over libhdf5.

#ifndef FIRTH_CONTEXTUAL_HDF5_FILE_H_
#define FIRTH_CONTEXTUAL_HDF5_FILE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace firth {

// Not thread-safe: the library is not.
class Hdf5File {
 public:
  // Errors: NotFound; DataLoss, not an HDF5 file.
  static absl::StatusOr<Hdf5File> Open(const std::string& path);
  ~Hdf5File();
  Hdf5File(Hdf5File&& other) noexcept;
  Hdf5File& operator=(Hdf5File&&) = delete;

  const std::string& path() const { return path_; }

  // The sizes of a dataset. Errors: NotFound.
  absl::StatusOr<std::vector<uint64_t>> Shape(const std::string& name) const;

  // DataLoss unless the dataset holds floating-point numbers of this shape.
  absl::Status CheckShape(const std::string& name,
                          absl::Span<const uint64_t> shape) const;

  // All values of a dataset of this shape, as floats, to `values`. Errors:
  // those of CheckShape(); DataLoss, also if a value is not finite.
  absl::Status Read(const std::string& name, absl::Span<const uint64_t> shape,
                    float* values) const;

 private:
  Hdf5File(std::string path, int64_t file)
      : path_(std::move(path)), file_(file) {}

  std::string path_;
  int64_t file_;  // an hid_t; negative: moved from
};

}  // namespace firth

#endif  // FIRTH_CONTEXTUAL_HDF5_FILE_H_
