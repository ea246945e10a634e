// The rows of a model2vec folder, from its model.safetensors (described in
// model2vec_format.cc).

#ifndef FIRTH_IO_FORMATS_MODEL2VEC_ROWS_H_
#define FIRTH_IO_FORMATS_MODEL2VEC_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "base/mapped_file.h"
#include "firth/row_store.h"
#include "io/tensors/safetensors_header.h"

namespace firth {

inline constexpr char kEmbeddings[] = "embeddings";
inline constexpr char kWeights[] = "weights";

struct Model2vecTensors {
  const TensorEntry* embeddings = nullptr;
  const TensorEntry* weights = nullptr;  // Null if all are 1.
  const TensorEntry* mapping = nullptr;  // Null if token i has row i.

  uint64_t dim() const { return embeddings->shape[1]; }
  uint64_t tokens() const {
    return mapping != nullptr ? mapping->shape[0] : embeddings->shape[0];
  }
};

// Finds the tensors and checks types and shapes. Errors: InvalidArgument.
absl::StatusOr<Model2vecTensors> FindModel2vecTensors(
    const MappedFile& file, const SafetensorsHeader& header);

// Returns the rows of these tokens, in the file if they are consecutive floats.
// Errors: DataLoss, a mapping out of range; InvalidArgument, an invalid code or
// weight.
absl::StatusOr<RowStore> ReadModel2vecRows(const MappedFilePtr& file,
                                           const Model2vecTensors& tensors,
                                           const std::vector<size_t>& tokens);

}  // namespace firth

#endif  // FIRTH_IO_FORMATS_MODEL2VEC_ROWS_H_
