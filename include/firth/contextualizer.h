// Contextualizer: computes a vector for every token of a sentence, from all
// layers of a bidirectional language model (ELMo: Peters et al., "Deep
// contextualized word representations", NAACL 2018).

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

// Ways to combine the token vectors into one sentence vector.
enum class Pooling {
  kMean,
  kMax,  // The maximum of each dimension.
  kFirst,
  kLast,
};

// Returns one vector per layer instead of one per token: [layers, 1, dim]. The
// vectors are zero if there is no token.
TokenVectors Pool(const TokenVectors& vectors, Pooling pooling);

// Ways to combine the vectors of a word's pieces into one word vector, for
// models that read pieces of words.
enum class PieceVectors { kMean, kFirst, kLast };

// Handling of sentences with more tokens than the model has positions: split
// them into windows that overlap by half, or fail.
enum class LongSentences { kWindows, kRefuse };

struct EmbedOptions {
  // Whether each sentence continues from the state that the previous one left
  // in the model (as in the original ELMo), in this call or an earlier one.
  // Otherwise the vectors of a sentence depend on other sentences only by
  // rounding, up to 1e-6.
  bool stateful = false;
  size_t batch = 32;  // Sentences per batch, 1 to 4096; not used if `stateful`.
  PieceVectors pieces = PieceVectors::kMean;
  // If set, a model that reads pieces returns one vector per piece instead of
  // per word, and also vectors of the marks that it adds at both ends of a
  // sentence, such as [CLS] and [SEP]. The mean of these vectors is the
  // sentence vector of sentence-transformers. Sentences that are split into
  // windows have no marks. Other models ignore this option.
  bool all_pieces = false;
  // Not used if `stateful`.
  LongSentences long_sentences = LongSentences::kWindows;
  // 1, or one per direction; 0 chooses by the number of cores.
  int threads = 0;

  static FieldTable Fields();
  absl::Status Validate() const;
};

// Attention weights between the tokens of a sentence.
struct AttentionWeights {
  // The tokens as the model reads them, between <S> and </S>; pieces of words
  // if the model reads pieces.
  std::vector<std::string> tokens;
  // Number of directions; the forward or only direction is first.
  size_t directions = 1;
  // "forward", "backward" or, if a token attends to both sides, "both".
  std::vector<std::string> direction_names;
  size_t layers = 0;
  size_t heads = 0;
  // [directions, layers, heads, tokens, tokens]. Each row holds the weights
  // with which one token attends to all tokens, and sums to 1.
  std::vector<float> values;

  absl::Span<const float> Row(size_t direction, size_t layer, size_t head,
                              size_t token) const {
    const size_t row =
        ((direction * layers + layer) * heads + head) * tokens.size() + token;
    return absl::MakeConstSpan(values).subspan(row * tokens.size(),
                                               tokens.size());
  }
};

// Computes contextual vectors. A contextualizer can be moved. Only one thread
// may use it at a time.
class Contextualizer {
 public:
  using Sentence = std::vector<absl::string_view>;

  // Loads a model file. A model without layers, such as one of counts, has 0
  // layers, and Embed() and Attend() return FailedPrecondition. Errors:
  // NotFound; InvalidArgument, not a language model; DataLoss, with the tensor
  // that is truncated, altered or not finite.
  static absl::StatusOr<Contextualizer> Load(const std::string& path);
  // Uses the layers of a model that is already in memory.
  explicit Contextualizer(LanguageModel model);
  ~Contextualizer();
  Contextualizer(Contextualizer&& other) noexcept;
  Contextualizer& operator=(Contextualizer&& other) noexcept;

  // Returns the number of layers. Layer 0 holds the token vectors, which do not
  // depend on the context. Each higher layer holds the forward state followed
  // by the backward state.
  size_t num_layers() const;
  // Returns the dimensions of every layer.
  size_t dim() const;
  // Returns the dimensions of the token vectors. Layer 0 holds them twice if
  // that makes dim() values, as in ELMo; otherwise once, padded with zeros.
  size_t token_dim() const;
  // Returns whether the model reads this word by its own row, its n-grams or
  // its characters, instead of as <UNK>.
  bool Knows(absl::string_view word) const;
  // Returns whether the model reads two sentences together, as an imported BERT
  // does. They are separated by the word "</S>", and the words after it belong
  // to the second segment.
  bool reads_pairs() const;
  // Returns what the file contains about its training run, by option.
  const std::map<std::string, std::string>& metadata() const;

  // Returns the vectors of each sentence. A sentence may be empty. <S> and </S>
  // are added around each sentence and are not in the result. An unknown word
  // is read by its characters if the model has a character network, otherwise
  // by its n-grams if the model's vectors had some, otherwise as <UNK>.
  //
  // Errors: InvalidArgument, options out of range or a sentence that is too
  // long; OutOfRange, a vector that is not finite because weights are too
  // large, with its layer; Cancelled. After the last two, a stateful model
  // starts a new text.
  absl::StatusOr<std::vector<TokenVectors>> Embed(
      absl::Span<const Sentence> sentences, const EmbedOptions& options = {},
      const Hooks& hooks = {});

  // Returns the attention weights within a sentence, which may be empty
  // (Vaswani et al. 2017, section 3.2). Errors: FailedPrecondition, the model
  // has no attention; InvalidArgument, more tokens than it has positions;
  // ResourceExhausted, not enough memory; OutOfRange, as for Embed().
  absl::StatusOr<AttentionWeights> Attend(const Sentence& sentence);

  // Clears the state, so that the next sentence starts a new text.
  void Reset();

  // Returns the underlying model, for measuring, scoring and generating in the
  // same thread.
  LanguageModel& language_model();

 private:
  friend class BiLanguageModel& ModelOf(Contextualizer&);
  struct Body;
  // Embed() for sentences of the units that the model reads, words or pieces of
  // words. EmbedWindows() splits long sentences; EmbedTokens() accepts at most
  // as many tokens as the model has positions.
  absl::StatusOr<std::vector<TokenVectors>> EmbedWindows(
      absl::Span<const Sentence> sentences, const EmbedOptions& options,
      const Hooks& hooks);
  absl::StatusOr<std::vector<TokenVectors>> EmbedTokens(
      absl::Span<const Sentence> sentences, const EmbedOptions& options,
      const Hooks& hooks);
  // Errors: InvalidArgument, a sentence of more than `most` tokens. 0 means
  // that there is no limit.
  static absl::Status CheckLength(const Sentence& sentence, size_t most);
  std::unique_ptr<Body> body_;
};

// Converts the weights of an original ELMo (options.json, and HDF5 as bilm-tf
// writes it) to a model file. The model has no output layer for predicting
// words. Errors: NotFound; InvalidArgument, options that Firth does not
// support; DataLoss, weights that do not match the options; write errors.
absl::Status ImportElmo(const std::string& options_path,
                        const std::string& weights_path,
                        const std::string& output_path);

// Converts a BERT or GPT-2 folder saved by the Hugging Face libraries to a
// model file. The folder holds config.json; model.safetensors, or several such
// files with an index; and vocab.txt, or vocab.json with merges.txt. The model
// reads words by their pieces and embeds them; it also predicts words if the
// folder contains the output layer. An unexpected tensor causes a warning.
// Errors: NotFound; InvalidArgument, with the key, line or tensor that does not
// match; DataLoss, a truncated file; write errors.
absl::Status ImportPretrained(const std::string& folder,
                              const std::string& output_path,
                              const Hooks& hooks = {});

}  // namespace firth

#endif  // FIRTH_CONTEXTUALIZER_H_
