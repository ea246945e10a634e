// Writing tables of floats to an HDF5 file, over libhdf5.

#ifndef FIRTH_CONTEXTUAL_HDF5_WRITER_H_
#define FIRTH_CONTEXTUAL_HDF5_WRITER_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/output_file.h"

namespace firth {

// Not thread-safe: the library is not.
class Hdf5Writer {
 public:
  // Errors: those of OutputFile; InvalidArgument where `path` is no regular
  // file.
  static absl::StatusOr<Hdf5Writer> Create(const std::string& path);
  ~Hdf5Writer();
  Hdf5Writer(Hdf5Writer&& other) noexcept;
  Hdf5Writer& operator=(Hdf5Writer&&) = delete;

  // A new dataset of 32-bit floats. Errors: ResourceExhausted, not written.
  absl::Status Add(const std::string& name, absl::Span<const uint64_t> shape,
                   const float* values);
  // Ends the file, which appears only now.
  absl::Status Commit();

 private:
  Hdf5Writer(std::string path, OutputFile output, int64_t file)
      : path_(std::move(path)), output_(std::move(output)), file_(file) {}
  absl::Status Failed() const;

  std::string path_;
  OutputFile output_;  // creates, syncs and renames; the library writes
  int64_t file_;       // an hid_t; negative: closed or moved from
};

}  // namespace firth

#endif  // FIRTH_CONTEXTUAL_HDF5_WRITER_H_
