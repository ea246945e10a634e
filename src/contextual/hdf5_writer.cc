#include "contextual/hdf5_writer.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/file_size_signal.h"
#include "base/status_macros.h"
#include "contextual/hdf5_handle.h"

namespace firth {

absl::StatusOr<Hdf5Writer> Hdf5Writer::Create(const std::string& path) {
  PrepareHdf5();
  FIRTH_ASSIGN_OR_RETURN(OutputFile output, OutputFile::Create(path));
  if (output.temporary().empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": expected a regular file to write HDF5 to"));
  }
  const hid_t file = H5Fcreate(output.temporary().c_str(), H5F_ACC_TRUNC,
                               H5P_DEFAULT, H5P_DEFAULT);
  Hdf5Writer writer(path, std::move(output), file);
  if (file < 0) return writer.Failed();
  return writer;
}

Hdf5Writer::~Hdf5Writer() {
  const FileSizeSignalHeld held;
  if (file_ >= 0) H5Fclose(file_);
}

Hdf5Writer::Hdf5Writer(Hdf5Writer&& other) noexcept
    : path_(std::move(other.path_)),
      output_(std::move(other.output_)),
      file_(std::exchange(other.file_, -1)) {}

absl::Status Hdf5Writer::Failed() const {
  return absl::ResourceExhaustedError(
      absl::StrCat(path_, ": cannot write; is the disk full?"));
}

absl::Status Hdf5Writer::Add(const std::string& name,
                             absl::Span<const uint64_t> shape,
                             const float* values) {
  const FileSizeSignalHeld held;
  const std::vector<hsize_t> sizes(shape.begin(), shape.end());
  const Hdf5Handle space(
      H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr),
      &H5Sclose);
  const Hdf5Handle dataset(
      H5Dcreate2(file_, name.c_str(), H5T_IEEE_F32LE, space.id(), H5P_DEFAULT,
                 H5P_DEFAULT, H5P_DEFAULT),
      &H5Dclose);
  if (!dataset.ok()) return Failed();
  uint64_t count = 1;
  for (const uint64_t size : shape) count *= size;
  if (count == 0) return absl::OkStatus();
  return H5Dwrite(dataset.id(), H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                  values) < 0
             ? Failed()
             : absl::OkStatus();
}

absl::Status Hdf5Writer::Commit() {
  const FileSizeSignalHeld held;
  if (H5Fclose(std::exchange(file_, -1)) < 0) return Failed();
  return output_.Commit();
}

}  // namespace firth
