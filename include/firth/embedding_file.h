// Files of contextual vectors: sentences in, one after another, a file out.

#ifndef FIRTH_EMBEDDING_FILE_H_
#define FIRTH_EMBEDDING_FILE_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "firth/contextualizer.h"
#include "firth/tagger.h"

namespace firth {

enum class EmbeddingFormat {
  // The layout of bilm-tf: a dataset [layers, tokens, dim] for each sentence,
  // named 0, 1, ....
  kHdf5,
  // One array [tokens, layers, dim] of all sentences, or [tokens, dim] of one
  // layer; sentence i has the tokens from offsets[i] on, up to offsets[i + 1].
  kNpy,          // the offsets, I64, in a file beside it: x.offsets.npy
  kSafetensors,  // tensors "embeddings" and "offsets"
};

enum class EmbeddingValues {
  kFloat32,
  kFloat16,  // half of the bytes, each value to 11 significant bits
};

// The files that such a file has beside it: for x.npy its x.offsets.npy.
std::vector<std::string> FilesBeside(const std::string& path,
                                     EmbeddingFormat format);

// The layers mixed into one, as a scalar mix does it.
TokenVectors MixLayers(const TokenVectors& vectors, const MixWeights& mix);

// Keeps 8 bytes a sentence in memory, for HDF5 some 40, and no vectors. Not
// thread-safe. Movable.
class EmbeddingWriter {
 public:
  // Creates a file for vectors with this number of layers and dimensions.
  // Errors: those of creating a file; InvalidArgument if the path is not a
  // regular file.
  static absl::StatusOr<EmbeddingWriter> Create(
      const std::string& path, EmbeddingFormat format, size_t layers,
      size_t dim, EmbeddingValues values = EmbeddingValues::kFloat32);
  ~EmbeddingWriter();
  EmbeddingWriter(EmbeddingWriter&&) noexcept;

  // The next sentence. Errors: those of writing; InvalidArgument, a magnitude
  // above 65504 with kFloat16.
  absl::Status Add(const TokenVectors& vectors);
  // Ends the file, which appears only now. Nothing can be added after it.
  absl::Status Commit();

  class Body;

 private:
  explicit EmbeddingWriter(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

}  // namespace firth

#endif  // FIRTH_EMBEDDING_FILE_H_
