#include "contextual/hdf5_file.h"

#include <cmath>
#include <fstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/quote.h"
#include "base/status_macros.h"
#include "contextual/hdf5_handle.h"

namespace firth {
namespace {

std::string ShapeText(absl::Span<const uint64_t> shape) {
  return absl::StrCat("[", absl::StrJoin(shape, ", "), "]");
}

// Whether `name` and every group on the way to it exist: the library's lookup
// of a whole path fails loudly if a group lacks.
bool Exists(hid_t file, const std::string& name) {
  for (size_t end = name.find('/'); end != std::string::npos;
       end = name.find('/', end + 1)) {
    if (H5Lexists(file, name.substr(0, end).c_str(), H5P_DEFAULT) <= 0) {
      return false;
    }
  }
  return H5Lexists(file, name.c_str(), H5P_DEFAULT) > 0;
}

}  // namespace

absl::StatusOr<Hdf5File> Hdf5File::Open(const std::string& path) {
  PrepareHdf5();
  if (!std::ifstream(path).good()) {
    return absl::NotFoundError(absl::StrCat(path, ": cannot be opened"));
  }
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file < 0) {
    return absl::DataLossError(
        absl::StrCat(path,
                     ": expected an HDF5 file, found something else or "
                     "a truncated one"));
  }
  return Hdf5File(path, file);
}

Hdf5File::~Hdf5File() {
  if (file_ >= 0) H5Fclose(file_);
}

Hdf5File::Hdf5File(Hdf5File&& other) noexcept
    : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)) {}

absl::StatusOr<std::vector<uint64_t>> Hdf5File::Shape(
    const std::string& name) const {
  if (!Exists(file_, name)) {
    return absl::NotFoundError(absl::StrCat(path_, ": expected a dataset ",
                                            Quote(name), ", found none"));
  }
  const Hdf5Handle dataset(H5Dopen2(file_, name.c_str(), H5P_DEFAULT),
                           &H5Dclose);
  const Hdf5Handle space(dataset.ok() ? H5Dget_space(dataset.id()) : -1,
                         &H5Sclose);
  const int rank = space.ok() ? H5Sget_simple_extent_ndims(space.id()) : -1;
  if (rank < 0) {
    return absl::DataLossError(
        absl::StrCat(path_, ": dataset ", Quote(name), " cannot be read"));
  }
  std::vector<hsize_t> sizes(static_cast<size_t>(rank));
  H5Sget_simple_extent_dims(space.id(), sizes.data(), nullptr);
  return std::vector<uint64_t>(sizes.begin(), sizes.end());
}

absl::Status Hdf5File::CheckShape(const std::string& name,
                                  absl::Span<const uint64_t> shape) const {
  FIRTH_ASSIGN_OR_RETURN(const std::vector<uint64_t> found, Shape(name));
  if (absl::MakeConstSpan(found) != shape) {
    return absl::DataLossError(
        absl::StrCat(path_, ": dataset ", Quote(name), ": expected the shape ",
                     ShapeText(shape), ", found ", ShapeText(found)));
  }
  const Hdf5Handle dataset(H5Dopen2(file_, name.c_str(), H5P_DEFAULT),
                           &H5Dclose);
  const Hdf5Handle type(dataset.ok() ? H5Dget_type(dataset.id()) : -1,
                        &H5Tclose);
  if (!type.ok() || H5Tget_class(type.id()) != H5T_FLOAT) {
    return absl::DataLossError(
        absl::StrCat(path_, ": dataset ", Quote(name),
                     ": expected floating-point numbers, found another type"));
  }
  return absl::OkStatus();
}

absl::Status Hdf5File::Read(const std::string& name,
                            absl::Span<const uint64_t> shape,
                            float* values) const {
  FIRTH_RETURN_IF_ERROR(CheckShape(name, shape));
  const Hdf5Handle dataset(H5Dopen2(file_, name.c_str(), H5P_DEFAULT),
                           &H5Dclose);
  if (!dataset.ok() || H5Dread(dataset.id(), H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL,
                               H5P_DEFAULT, values) < 0) {
    return absl::DataLossError(
        absl::StrCat(path_, ": dataset ", Quote(name), " cannot be read"));
  }
  uint64_t count = 1;
  for (const uint64_t size : shape) count *= size;
  for (uint64_t i = 0; i < count; ++i) {
    if (!std::isfinite(values[i])) {
      return absl::DataLossError(absl::StrCat(path_, ": dataset ", Quote(name),
                                              ": value ", i, " is not finite"));
    }
  }
  return absl::OkStatus();
}

}  // namespace firth
