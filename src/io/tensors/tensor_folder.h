// The tensors of a model that another program saved into a folder, like the
// libraries of Hugging Face. They are in model.safetensors, or in several files
// listed in model.safetensors.index.json:
//
//   {"weight_map": {"tensor": "model-00001-of-00002.safetensors", ...}}
//
// The files must be next to the index. A name that leads anywhere else is
// rejected, so that no folder can make us open a file outside it. A model that
// was only pickled is rejected, too, because unpickling executes code from the
// file.

#ifndef FIRTH_IO_TENSORS_TENSOR_FOLDER_H_
#define FIRTH_IO_TENSORS_TENSOR_FOLDER_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/mapped_file.h"
#include "io/tensors/safetensors_header.h"

namespace firth {

class TensorFolder {
 public:
  // Opens a folder. Errors: NotFound, no such folder or no tensors in it;
  // InvalidArgument, an index that names no tensors, a file that is not in the
  // folder, or a file that lacks a tensor; DataLoss, a file that is truncated
  // or altered.
  static absl::StatusOr<TensorFolder> Open(const std::string& folder);

  const std::string& path() const { return path_; }
  bool Has(absl::string_view name) const { return Find(name) != nullptr; }
  // Returns the names of all tensors, sorted.
  std::vector<std::string> Names() const;
  // Returns the bytes of all tensors together.
  uint64_t size() const;

  // Checks that there is a tensor of this shape whose values are F32, F16 or
  // BF16. Errors: InvalidArgument, with the tensor, what was expected and what
  // was found.
  absl::Status Check(absl::string_view name,
                     absl::Span<const uint64_t> shape) const;
  // Fills `to` with its values, by rows. Errors: those of Check();
  // InvalidArgument, the first value that is not finite.
  absl::Status Read(absl::string_view name, absl::Span<const uint64_t> shape,
                    float* to) const;

 private:
  struct Place {
    MappedFilePtr file;
    TensorEntry tensor;
  };

  explicit TensorFolder(std::string path) : path_(std::move(path)) {}

  const Place* Find(absl::string_view name) const;
  // Adds the tensors of a file: those listed in `only`, which it must have, or
  // all if null.
  absl::Status AddFile(const std::string& path,
                       const std::vector<std::string>* only);
  absl::Status AddIndexed(const std::string& index_path);

  std::string path_;
  std::map<std::string, Place, std::less<>> tensors_;
};

}  // namespace firth

#endif  // FIRTH_IO_TENSORS_TENSOR_FOLDER_H_
