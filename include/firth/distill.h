// The way back: from vectors of tokens in their contexts to one vector a word,
// which all that asks word vectors can ask.

#ifndef FIRTH_DISTILL_H_
#define FIRTH_DISTILL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/contextualizer.h"
#include "firth/corpus.h"
#include "firth/progress.h"
#include "firth/tagger.h"
#include "firth/word_vectors.h"

namespace firth {

class FieldTable;

// Provides the vectors of the tokens of a text, one sentence after another.
// Used by one thread at a time. Movable.
class TokenTeacher {
 public:
  // A language model. Errors: as of Contextualizer::Load().
  static absl::StatusOr<TokenTeacher> OfModel(const std::string& path,
                                              int threads = 0);
  // A file of EmbeddingWriter, .npy or .safetensors, of the text that will be
  // asked: its sentences, in their order. Errors: NotFound; InvalidArgument, a
  // file of something else; DataLoss, sizes that do not fit one another.
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
  // A word has the mean of its tokens' vectors (Bommasani et al., "Interpreting
  // pretrained contextualized representations via reductions to static
  // embeddings", ACL 2020).
  kMean,
  // A word learns to tell the sentences that it stands in: CBOW with negative
  // sampling in which the context of a token is the mean of the teacher's
  // vectors of the other tokens (Gupta and Jaggi, "Obtaining better static word
  // embeddings using contextual embedding models", ACL 2021).
  kCbow,
};

struct DistillOptions {
  DistillMethod method = DistillMethod::kMean;
  VocabularyOptions vocabulary;  // words that get a vector
  MixWeights layers;  // of the teacher, into one; without shares: their mean
  int negatives = 5;  // noise words a token, 1 to 1000; of kCbow, as are the
                      // others
  double learning_rate = 0.5;  // 1e-12 to 1e9; falls linearly to 0
  uint64_t seed = 1;

  static FieldTable Fields();
  absl::Status Validate() const;
};

// Distills a text that was read with min_count 1, once. Takes memory for the
// words, whatever the length of the text. Deterministic for a seed. Errors:
// InvalidArgument (options; no word of the text occurs often enough, or none is
// known to the model; arrays of another text; vectors that are not finite),
// ResourceExhausted, Cancelled.
absl::StatusOr<WordVectors> Distill(const Corpus& text, TokenTeacher& teacher,
                                    const DistillOptions& options = {},
                                    const Hooks& hooks = {});

}  // namespace firth

#endif  // FIRTH_DISTILL_H_
