// Contextualizer: a vector for every token in its sentence, from all layers of
// a bidirectional language model (ELMo: Peters et al., "Deep contextualized
// word representations", NAACL 2018).

#ifndef FIRTH_CONTEXTUALIZER_H_
#define FIRTH_CONTEXTUALIZER_H_

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/progress.h"

namespace firth {

class FieldTable;
class LanguageModel;  // firth/language_model.h
class MappedFile;

// The vectors of a sentence's tokens in all layers: [layers, tokens, dim].
struct TokenVectors {
  size_t layers = 0;
  size_t tokens = 0;
  size_t dim = 0;
  std::vector<float> values;

  absl::Span<const float> Vector(size_t layer, size_t token) const {
    return absl::MakeConstSpan(values).subspan((layer * tokens + token) * dim,
                                               dim);
  }
};

// How the tokens' vectors become one of their sentence.
enum class Pooling {
  kMean,
  kMax,  // of each dimension by itself
  kFirst,
  kLast,
};

// Reduces the vectors of the tokens to one per layer: [layers, 1, dim]. Without
// tokens, they are zeros.
TokenVectors Pool(const TokenVectors& vectors, Pooling pooling);

// How the vectors of a word's pieces become that of the word, where a model
// reads pieces.
enum class PieceVectors { kMean, kFirst, kLast };

// How to handle a sentence with more tokens than the model has positions: read
// it in windows that overlap by half, or return an error.
enum class LongSentences { kWindows, kRefuse };

struct EmbedOptions {
  // Each sentence goes on from the state that the one before left in the model
  // (as the original ELMo does), in this call or an earlier one. Otherwise a
  // sentence's vectors do not depend on others, but for rounding: up to 1e-6.
  bool stateful = false;
  size_t batch = 32;  // sentences that run together, 1 to 4096; not stateful
  PieceVectors pieces = PieceVectors::kMean;
  LongSentences long_sentences = LongSentences::kWindows;  // not stateful
  int threads = 0;  // 1, or one a direction; 0: as cores are there

  static FieldTable Fields();
  absl::Status Validate() const;
};

// The attention weights of a sentence.
struct AttentionWeights {
  // The tokens that the model reads, with <S> and </S>; pieces of words if the
  // model splits words into pieces.
  std::vector<std::string> tokens;
  size_t directions = 1;  // the forward one, or the only one, first
  size_t layers = 0;
  size_t heads = 0;
  // [directions, layers, heads, tokens, tokens]: a row is of a token that
  // looks, and sums to 1.
  std::vector<float> values;

  absl::Span<const float> Row(size_t direction, size_t layer, size_t head,
                              size_t token) const {
    const size_t row =
        ((direction * layers + layer) * heads + head) * tokens.size() + token;
    return absl::MakeConstSpan(values).subspan(row * tokens.size(),
                                               tokens.size());
  }
};

// Used by one thread at a time. Movable.
class Contextualizer {
 public:
  using Sentence = std::vector<absl::string_view>;

  // Errors: NotFound; InvalidArgument, a file of something else; DataLoss, with
  // the tensor: truncated, altered, not finite.
  static absl::StatusOr<Contextualizer> Load(const std::string& path);
  // With the layers of a model that was just trained.
  explicit Contextualizer(LanguageModel model);
  ~Contextualizer();
  Contextualizer(Contextualizer&& other) noexcept;
  Contextualizer& operator=(Contextualizer&& other) noexcept;

  // The token vectors, which know nothing of their context, are layer 0; a
  // layer above has the forward state, then the backward one.
  size_t num_layers() const;
  size_t dim() const;  // of every layer
  // Dimensions of the token vectors. If that makes dim() values, layer 0
  // contains them twice, as in ELMo; otherwise once, followed by zeros.
  size_t token_dim() const;
  // Whether the model reads this word by a row, its n-grams or its characters,
  // and not as <UNK>.
  bool Knows(absl::string_view word) const;
  // Whether it reads two sentences together, with the word "</S>" between: what
  // stands behind is of the second segment (as of an imported BERT).
  bool reads_pairs() const;
  // Options of the training run that the file contains, by name.
  const std::map<std::string, std::string>& metadata() const;

  // The vectors of each sentence, which may be empty. <S> and </S> are put
  // around a sentence and are not in the result. An unknown word is read by its
  // characters if the model does so, else by its n-grams if the model's vectors
  // had some, else as <UNK>. Errors: InvalidArgument, options out of range, or
  // a sentence that is refused; OutOfRange, a vector that is not finite because
  // weights are too large, with its layer; Cancelled. After the last two a
  // stateful model starts a new text.
  absl::StatusOr<std::vector<TokenVectors>> Embed(
      absl::Span<const Sentence> sentences, const EmbedOptions& options = {},
      const Hooks& hooks = {});

  // The attention within a sentence, which may be empty (Vaswani et al. 2017,
  // section 3.2). Errors: FailedPrecondition, a model without attention;
  // InvalidArgument, more tokens than it has positions for; ResourceExhausted,
  // more than there is memory for; OutOfRange, as of Embed().
  absl::StatusOr<AttentionWeights> Attend(const Sentence& sentence);

  // Forgets the state: the next sentence starts a new text.
  void Reset();

  // The model itself, to measure, to score and to generate with; by the same
  // thread.
  LanguageModel& language_model();

 private:
  friend absl::StatusOr<Contextualizer> LoadContextualizer(
      const std::shared_ptr<const MappedFile>& file);
  friend class BiLanguageModel& ModelOf(Contextualizer&);
  struct Body;
  explicit Contextualizer(std::unique_ptr<Body> body);
  // Embed() of what the model reads: words, or pieces of them; and of no more
  // at once than it has positions for.
  absl::StatusOr<std::vector<TokenVectors>> EmbedWindows(
      absl::Span<const Sentence> sentences, const EmbedOptions& options,
      const Hooks& hooks);
  absl::StatusOr<std::vector<TokenVectors>> EmbedTokens(
      absl::Span<const Sentence> sentences, const EmbedOptions& options,
      const Hooks& hooks);
  // Errors: InvalidArgument, a sentence of more than `most` tokens; 0: none is.
  static absl::Status CheckLength(const Sentence& sentence, size_t most);
  std::unique_ptr<Body> body_;
};

// Makes a model file of the weights of an original ELMo (options.json and HDF5
// as bilm-tf writes them). It has nothing to predict words with. Errors:
// NotFound; InvalidArgument, options that we cannot hold; DataLoss, weights
// that do not fit the options; those of writing.
absl::Status ImportElmo(const std::string& options_path,
                        const std::string& weights_path,
                        const std::string& output_path);

// Makes a model file of a folder in which the libraries of Hugging Face saved a
// BERT or a GPT-2: config.json, model.safetensors or several with an index,
// vocab.txt or vocab.json and merges.txt. The model reads words by their pieces
// and embeds; it predicts words where the folder has what that takes. A tensor
// that such a model does not have is a warning. Errors: NotFound;
// InvalidArgument, with the key, line or tensor that does not fit; DataLoss, a
// truncated file; those of writing.
absl::Status ImportPretrained(const std::string& folder,
                              const std::string& output_path,
                              const Hooks& hooks = {});

}  // namespace firth

#endif  // FIRTH_CONTEXTUALIZER_H_
