// Writes contextual vectors to files, one sentence after another.

#ifndef FIRTH_EMBEDDING_FILE_H_
#define FIRTH_EMBEDDING_FILE_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "firth/contextualizer.h"
#include "firth/tagger.h"

namespace firth {

enum class EmbeddingFormat {
  // HDF5 as bilm-tf and AllenNLP write it: sentence i is a dataset named i,
  // [layers, tokens, dim]. The dataset "sentence_to_index" contains one JSON
  // object with the name of each sentence's dataset; it is left out if no
  // sentence was given.
  kHdf5,
  // The next two hold one array of all sentences: [tokens, layers, dim], or
  // [tokens, dim] for a single layer. Sentence i has the tokens from offsets[i]
  // up to, but not including, offsets[i + 1].
  kNpy,  // The offsets (I64) are in a second file: x.offsets.npy for x.npy.
  kSafetensors,  // The tensors are called "embeddings" and "offsets".
};

enum class EmbeddingValues {
  kFloat32,
  kFloat16,  // Half the size, with 11 significant bits per value.
};

// Returns the additional files of this format: for x.npy, its x.offsets.npy.
std::vector<std::string> FilesBeside(const std::string& path,
                                     EmbeddingFormat format);

// Returns the weighted sum of the layers, as a scalar mix computes it.
TokenVectors MixLayers(const TokenVectors& vectors, const MixWeights& mix);

// Writes the vectors of sentences to a file. Keeps 8 bytes per sentence in
// memory (for HDF5, about 200 bytes and the sentence itself), and no vectors. A
// writer can be moved, and is not thread-safe.
class EmbeddingWriter {
 public:
  // Creates a file for vectors with this number of layers and dimensions.
  // Errors: errors of creating a file; InvalidArgument, `path` is not a regular
  // file.
  static absl::StatusOr<EmbeddingWriter> Create(
      const std::string& path, EmbeddingFormat format, size_t layers,
      size_t dim, EmbeddingValues values = EmbeddingValues::kFloat32);
  ~EmbeddingWriter();
  EmbeddingWriter(EmbeddingWriter&&) noexcept;

  // Writes the next sentence. `sentence` is its text, which only HDF5 files
  // contain. If a text occurs twice, the file names its first dataset. Errors:
  // write errors; InvalidArgument, a magnitude above 65504 with kFloat16.
  absl::Status Add(const TokenVectors& vectors,
                   absl::string_view sentence = "");
  // Completes the file, which appears only now. Nothing can be added
  // afterwards.
  absl::Status Commit();

  class Body;

 private:
  explicit EmbeddingWriter(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

}  // namespace firth

#endif  // FIRTH_EMBEDDING_FILE_H_
