// Sequence-to-sequence models: they read a text and write another, such as its
// translation, an inflected form or the missing words.

#ifndef FIRTH_SEQ2SEQ_H_
#define FIRTH_SEQ2SEQ_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "firth/checkpoint.h"
#include "firth/matrix.h"
#include "firth/network_kinds.h"
#include "firth/parallel_text.h"
#include "firth/progress.h"
#include "firth/text_scores.h"
#include "firth/word_vectors.h"

namespace firth {

// The kinds of decoders: one with recurrent layers, or a Transformer's.
enum class DecoderKind { kRecurrent, kTransformer };

// What decides which epoch is the best: the loss on the dev set, or a score of
// what the model writes for it.
enum class Seq2SeqMetric { kLoss, kBleu, kChrf, kExact };

// The shape of the network. Any encoder works with any decoder.
struct Seq2SeqShape {
  NetworkKind encoder = NetworkKind::kRecurrent;
  DecoderKind decoder = DecoderKind::kRecurrent;
  CellKind cell = CellKind::kLstm;  // Of recurrent layers.
  // Units of each layer, up to 16384. A recurrent or window encoder has half
  // of them in each direction, so that their number must be even.
  uint64_t units = 256;
  uint64_t layers = 1;  // Of the encoder, and of the decoder, at most 100.
  // Attention of a recurrent decoder. kNone requires a recurrent encoder.
  AttentionKind attention = AttentionKind::kDot;
  // Whether a step of a recurrent decoder reads what the step before found by
  // attention (Luong et al. 2015, section 3.3).
  bool input_feeding = true;
  uint64_t window = 5;  // Words that a window encoder reads at each step.
  // Options of Transformers; see src/nn/transformer.h.
  uint64_t heads = 4;         // A divisor of `units`.
  uint64_t feed_forward = 0;  // 0 means four times `units`.
  uint64_t context = 512;
  PositionKind positions = PositionKind::kSinusoidal;
  NormPlace norm = NormPlace::kBefore;
  // Whether words are scored by the vectors by which the decoder reads them,
  // which then have as many dimensions as there are units.
  bool tied = false;

  static FieldTable Fields();
  absl::Status Validate() const;
};

struct Seq2SeqOptions {
  TokenOptions tokens;
  // Words that occur less often in the training set are unknown.
  uint64_t min_count = 1;
  uint64_t max_vocab = 0;  // Maximum number of words per side; 0 means all.
  Seq2SeqShape shape;
  uint64_t dim = 0;  // Dimensions of word vectors; 0 means as many as units.
  // Vectors to start with, or null; words without a vector start at random.
  // Their dimensions replace `dim`. Borrowed.
  const WordVectors* source_vectors = nullptr;
  const WordVectors* target_vectors = nullptr;
  double dropout = 0.3;

  // Whether to learn to restore spans of words that were removed from the
  // sources (T5: Raffel et al., "Exploring the limits of transfer learning with
  // a unified text-to-text transformer", 2020). Pairs then have no targets, and
  // other spans are removed in each epoch.
  bool denoise = false;
  double span_share = 0.15;  // See SpanOptions.
  double span_length = 3;

  double label_smoothing = 0.1;
  uint64_t epochs = 10;
  // Epochs without a better dev set before training stops; 0 runs all epochs.
  uint64_t patience = 0;
  Seq2SeqMetric metric = Seq2SeqMetric::kLoss;
  uint64_t batch = 64;           // Pairs per step.
  double learning_rate = 0.001;  // Of Adam.
  uint64_t warmup = 0;           // Steps over which the rate rises from 0.
  Decay decay = Decay::kLinear;  // Linear decay ends at a tenth of the rate.
  double clip = 1;               // Maximum norm of the gradient; 0 means none.
  uint64_t seed = 1;
  int threads = 0;  // 0 chooses by the number of cores.

  static FieldTable Fields();
  absl::Status Validate() const;
};

struct Seq2SeqEpoch {
  double loss = 0;      // Mean loss in nats per target token, smoothed.
  double dev_loss = 0;  // Without smoothing; 0 without a dev set.
  bool has_scores = false;
  double score = 0;  // The metric on the dev set, if it is not the loss.
  double seconds = 0;
};

struct Seq2SeqReport {
  uint64_t pairs = 0;
  uint64_t source_tokens = 0;
  uint64_t target_tokens = 0;  // Including ends.
  uint64_t source_words = 0;   // Sizes of the vocabularies.
  uint64_t target_words = 0;
  uint64_t source_vectors = 0;  // Number of words with a given vector.
  uint64_t target_vectors = 0;
  uint64_t parameters = 0;
  std::vector<Seq2SeqEpoch> epochs;
  size_t best_epoch = 0;  // From 1; 0 means the last weights.
  bool interrupted = false;
};

struct Seq2SeqHooks {
  Hooks hooks;
  std::function<void(const Seq2SeqReport&)> on_epoch;
};

// How texts are searched for; see nn/decoding.h for the formula.
struct Seq2SeqSearch {
  uint64_t beam = 5;  // 1 takes the most probable token at each step.
  double length_normalization = 1;
  double coverage_normalization = 0;  // Requires attention.
  double end_normalization = 0;
  uint64_t max_tokens = 0;  // Of the result; 0 means 20 + twice the source.
  uint64_t best = 1;        // Number of results per text, at most beam.
  // Whether an unknown word is replaced by the token of the source to which the
  // model attends most.
  bool copy_unknown = true;
  bool attention = false;  // Whether results have their attention.
  int threads = 0;

  static FieldTable Fields();
  absl::Status Validate() const;
};

struct Seq2SeqResult {
  std::string text;
  std::vector<std::string> tokens;
  double log_probability = 0;  // ln p of the tokens and the end.
  bool ended = false;          // Whether it was not cut off.
  // Row i has the attention to each token of the source when token i was
  // chosen. The last column is the end of the source; a last row is the end of
  // the result.
  std::vector<std::vector<float>> attention;
};

// A trained model, which can be moved. Only one thread may use it at a time.
class Seq2Seq {
 public:
  // Trains a model. With a `dev` set, the weights of the best epoch are kept.
  // Errors: InvalidArgument, options or no pairs; FailedPrecondition, the text
  // needs ICU; ResourceExhausted; OutOfRange, a loss or gradient that is not
  // finite; those of checkpoints.
  static absl::StatusOr<Seq2Seq> Train(absl::Span<const TextPair> train,
                                       absl::Span<const TextPair> dev,
                                       const Seq2SeqOptions& options,
                                       const Seq2SeqHooks& hooks,
                                       Seq2SeqReport* report,
                                       const Checkpointing& checkpointing = {});

  // Errors: NotFound; InvalidArgument, another file; DataLoss, with the tensor.
  static absl::StatusOr<Seq2Seq> Load(const std::string& path);
  absl::Status Save(const std::string& path) const;
  ~Seq2Seq();
  Seq2Seq(Seq2Seq&&) noexcept;
  Seq2Seq& operator=(Seq2Seq&&) noexcept;

  // Returns how texts are split.
  const TokenOptions& tokens() const;
  std::map<std::string, std::string>& metadata();
  bool has_attention() const;

  // Returns the best results for each source, best first, and none for a source
  // without tokens. Errors: InvalidArgument, options; OutOfRange, weights are
  // so large that a score is not finite; Cancelled.
  absl::StatusOr<std::vector<std::vector<Seq2SeqResult>>> Translate(
      absl::Span<const std::vector<std::string>> sources,
      const Seq2SeqSearch& options = {}, const Hooks& hooks = {});

  // Returns ln p of the target of each pair, including its end. Errors:
  // OutOfRange; Cancelled.
  absl::StatusOr<std::vector<double>> Score(absl::Span<const TextPair> pairs,
                                            const Hooks& hooks = {});

  // Returns the vectors of the source's tokens, [tokens, units], as the encoder
  // passes them to the decoder (CoVe: McCann et al., "Learned in translation:
  // contextualized word vectors", 2017). Errors: OutOfRange.
  absl::StatusOr<Table<float>> Encode(const std::vector<std::string>& source);

 private:
  class Body;
  explicit Seq2Seq(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

}  // namespace firth

#endif  // FIRTH_SEQ2SEQ_H_
