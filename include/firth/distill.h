// Distills contextual vectors, one per token, into word vectors, one per word,
// which all queries for word vectors can use.

#ifndef FIRTH_DISTILL_H_
#define FIRTH_DISTILL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "firth/contextualizer.h"
#include "firth/corpus.h"
#include "firth/progress.h"
#include "firth/tagger.h"
#include "firth/word_vectors.h"

namespace firth {

class FieldTable;

// Source of token vectors for the sentences of a text, in order. It can be
// moved. Only one thread may use it at a time.
class TokenTeacher {
 public:
  // Uses a language model. Errors: as for Contextualizer::Load().
  static absl::StatusOr<TokenTeacher> OfModel(const std::string& path,
                                              int threads = 0);
  // Uses a .npy or .safetensors file that EmbeddingWriter wrote for the same
  // text: its sentences, in their order. Errors: NotFound; InvalidArgument, not
  // such a file; DataLoss, sizes that do not match.
  static absl::StatusOr<TokenTeacher> OfArrays(const std::string& path);
  ~TokenTeacher();
  TokenTeacher(TokenTeacher&&) noexcept;
  TokenTeacher& operator=(TokenTeacher&&) noexcept;

  size_t num_layers() const;
  size_t dim() const;

  class Body;
  Body& body() { return *body_; }

 private:
  explicit TokenTeacher(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

enum class DistillMethod {
  // Each word gets the mean of its tokens' vectors (Bommasani et al.,
  // "Interpreting pretrained contextualized representations via reductions to
  // static embeddings", ACL 2020).
  kMean,
  // Each word is trained to distinguish the sentences that contain it: CBOW
  // with negative sampling, in which the context of a token is the mean of the
  // teacher's vectors of the other tokens (Gupta and Jaggi, "Obtaining better
  // static word embeddings using contextual embedding models", ACL 2021).
  kCbow,
};

struct DistillOptions {
  DistillMethod method = DistillMethod::kMean;
  VocabularyOptions vocabulary;  // Words that get a vector.
  // Weights that mix the teacher's layers into one; without shares, their mean.
  MixWeights layers;
  // Negative samples per token, 1 to 1000. This and the following options are
  // only for kCbow.
  int negatives = 5;
  // Initial learning rate, 1e-12 to 1e9; decays linearly to 0.
  double learning_rate = 0.5;
  uint64_t seed = 1;

  static FieldTable Fields();
  absl::Status Validate() const;
};

// Distills a text, read with min_count 1, in one pass. Memory grows with the
// number of words, not with the length of the text. Deterministic for a seed.
// Errors: InvalidArgument (options; no word of the text occurs often enough, or
// none is known to the model; arrays of another text; vectors that are not
// finite), ResourceExhausted, Cancelled.
absl::StatusOr<WordVectors> Distill(const Corpus& text, TokenTeacher& teacher,
                                    const DistillOptions& options = {},
                                    const Hooks& hooks = {});

}  // namespace firth

#endif  // FIRTH_DISTILL_H_
