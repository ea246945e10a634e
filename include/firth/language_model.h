// Bidirectional language models: training them, and what they tell. The vectors
// that they give tokens are in firth/contextualizer.h.

#ifndef FIRTH_LANGUAGE_MODEL_H_
#define FIRTH_LANGUAGE_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/checkpoint.h"
#include "firth/corpus.h"
#include "firth/network_kinds.h"
#include "firth/progress.h"
#include "firth/word_vectors.h"

namespace firth {

class FieldTable;

// Words from their characters: filters over character vectors, the greatest
// value of each, highway layers (Peters et al. 2018).
struct CharacterOptions {
  struct Filters {
    size_t width = 0;  // characters, 1 to max_characters
    size_t count = 0;  // 1 to 1048576
  };
  std::vector<Filters> filters = {{1, 32}, {2, 32}, {3, 64}, {4, 128}};
  int dim = 16;             // of a character's vector, 1 to 1024
  int max_characters = 50;  // bytes of a word, with two marks, 3 to 1000
  int highways = 1;         // layers, 0 to 100

  static FieldTable Fields();
};

struct LanguageModelTraining {
  // --- What it starts with. ---
  // A model that is trained further, such as on the text of a task (Peters et
  // al. 2018, section A.1); null: a new one. Its words stay, and all of `What
  // it reads`, `What it predicts` but smoothing and samples, and `The layers`
  // but dropout are as it has them, whatever stands there. Borrowed.
  const class LanguageModel* start = nullptr;

  // --- What it reads. ---
  // Vectors of words; null: they are learned, or words are read by characters
  // alone. Borrowed. Words that they do not have are made of their n-grams, or
  // are <UNK>.
  const WordVectors* vectors = nullptr;
  bool tune_vectors = false;  // they are learned further
  bool use_characters = false;
  CharacterOptions characters;
  int dim = 0;  // of vectors to learn, 1 to 65536; 0: as many as a direction
                // has; only without `vectors` and `use_characters`

  // --- What it predicts. ---
  VocabularyOptions vocabulary;  // other words are <UNK>
  // kMasked: of 15% of the words, hidden as in BERT. A kTransformer then sees
  // both sides at once, and `reads` is kBoth; other layers' directions are side
  // by side.
  Prediction predict = Prediction::kNext;
  // Also learn, of pairs of a text of documents (DocumentSentences()), whether
  // the second follows the first (Devlin et al. 2019, section 3.1); of a
  // kTransformer that predicts kMasked. Steps are pairs of at most `unroll`
  // tokens, above 4.
  bool next_sentence = false;
  HeadKind head = HeadKind::kSampled;  // not kNone; kContinuous predicts
                                       // `vectors`
  double label_smoothing = 0;  // of kSoftmax, 0 to 0.99: this share of the
                               // probability is asked for all words alike
                               // (Szegedy et al., "Rethinking the inception
                               // architecture for computer vision", 2016)
  int samples = 1024;  // noise words a chunk, 1 to 2^24; of kSampled and kNce
  // kSoftmax and kSampled score a word by its `characters` and a correction of
  // its own instead of a row of its own (CNN-softmax: Jozefowicz et al.,
  // "Exploring the limits of language modeling", 2016).
  bool character_output = false;
  int correction_dim = 32;  // 1 to 65536

  // --- The layers. ---
  NetworkKind network = NetworkKind::kRecurrent;
  Reading reads = Reading::kBoth;
  int window = 5;  // words that kWindow reads at a step, with that of the step,
                   // 1 to 1000
  CellKind cell = CellKind::kLstm;  // this, `projection` and the biases and
                                    // clips below are of kRecurrent
  int units = 256;                  // a direction and layer, 1 to 65536
  int projection = 128;             // of their output, at most 65536; 0: none
  int layers = 2;                   // 1 to 100
  bool residual = true;             // from the second layer on; not of
                                    // kTransformer, which always adds
  double dropout = 0.1;             // 0 to 0.99
  double cell_clip = 0;             // of the cells' states; 0: none
  double projection_clip = 0;
  double forget_bias = 1;   // at the start, -1000 to 1000
  bool orthogonal = false;  // recurrent weights at the start
  // Options of kTransformer; see src/nn/transformer.h.
  int heads = 4;         // a divisor of `units`, 1 to 1024
  int feed_forward = 0;  // at most 2^20; 0: four times `units`
  int context = 128;     // tokens that one sees, 2 to 65536
  PositionKind positions = PositionKind::kRelative;
  NormPlace norm = NormPlace::kBefore;
  Activation activation = Activation::kGelu;

  // --- How it is trained. ---
  int batch = 32;      // rows of text side by side, 1 to 65536
  int unroll = 0;      // steps that gradients go back, 1 to 10000; 0: 20, or
                       // the context of a kTransformer
  double epochs = 10;  // 1e-6 to 1e6
  OptimizerKind optimizer = OptimizerKind::kAdam;
  double learning_rate = 0.002;  // 1e-12 to 1e9
  double min_learning_rate = 0;  // at the end
  Decay decay = Decay::kLinear;
  int warmup = 0;        // steps in which the rate rises
  double clip_norm = 1;  // of all gradients together; 0: none
  int threads = 0;       // 0: as cores are there; they change no result
  uint64_t seed = 1;

  // --- Validation. ---
  const Corpus* validation = nullptr;  // read with min_count 1. Borrowed
  uint64_t validate_every = 0;         // tokens; 0: after each epoch
  int patience = 0;  // stop after so many validations without a better one, at
                     // most 10000; 0: go on

  static FieldTable Fields();
  absl::Status Validate() const;
};

// How well a model predicts a text. Every word counts, a word that is not in
// the vocabulary as <UNK>, and the end of the sentence that a direction
// reaches.
struct DirectionPerplexity {
  uint64_t tokens = 0;    // predicted
  uint64_t unknown = 0;   // of them <UNK>
  double loss = 0;        // mean, nats; of a continuous head 1 - cosine
  double known_loss = 0;  // the same without <UNK>
};
struct Perplexity {
  // Without tokens for a direction in which the model does not read. Of a
  // masked model `forward` is that of hidden words alone.
  DirectionPerplexity forward;
  DirectionPerplexity backward;
  bool continuous = false;  // losses are no logarithms of probabilities
  bool masked = false;

  // The mean over the directions.
  double loss() const {
    return (forward.loss + backward.loss) /
           ((forward.tokens > 0) + (backward.tokens > 0));
  }
};

struct MeasureOptions {
  // Each sentence goes on from the state that the one before left; else it
  // stands for itself.
  bool stateful = false;
  int threads = 0;  // 1, or one a direction; 0: as cores are there

  static FieldTable Fields();
};

struct ValidationPoint {
  uint64_t tokens = 0;      // trained before
  double forward_loss = 0;  // 0 where the model does not read so
  double backward_loss = 0;
  bool best = false;  // so far
};

struct LanguageModelReport {
  uint64_t vocab_size = 0;      // words that are predicted, with three marks
  uint64_t unknown_tokens = 0;  // of the text, as targets
  uint64_t parameters = 0;      // numbers that are learned
  uint64_t tokens = 0;  // trained, in each direction, with ends of sentences
  uint64_t steps = 0;
  std::vector<double> losses;  // of the head, mean of each epoch, nats a
                               // token; the last may be partial
  double seconds = 0;
  double tokens_per_second = 0;
  int threads = 0;
  std::vector<ValidationPoint> validations;
  bool stopped_early = false;  // patience ran out
  bool interrupted = false;
};

// How likely a model finds a sentence, reading it forward.
struct SentenceScore {
  double log_probability = 0;  // of its words and of its end, nats
  uint64_t tokens = 0;         // its words and its end
  uint64_t unknown = 0;        // of them <UNK>
};

struct GenerateOptions {
  std::vector<std::string> prompt;  // what the sentences begin with
  double temperature = 0;  // words are drawn by p^(1 / temperature), 0 to 100;
                           // 0: the likeliest is taken
  int top_k = 0;           // words are drawn from the likeliest ones; 0: all
  int beam = 1;            // above 1: beam search, with temperature 0; to 1000
  // Exponent of the length normalization in beam search, 0 to 10: hypotheses
  // are ranked by ln p / ((5 + length) / 6)^length_normalization (Wu et al.,
  // "Google's neural machine translation system", 2016).
  double length_normalization = 0;
  // The end of a sentence loses this times expected_length / length, 0 to 1000,
  // in nats (OpenNMT's end of sentence normalization).
  double end_normalization = 0;
  int expected_length = 20;  // words, 1 to 2^20
  int max_tokens = 50;       // behind the prompt, 1 to 2^20
  int count = 1;             // sentences, 1 to 2^20
  bool unknown = false;      // <UNK> may be a word
  uint64_t seed = 1;

  static FieldTable Fields();
  absl::Status Validate() const;
};

struct WordProbability {
  std::string word;
  double probability = 0;
};

struct GeneratedSentence {
  std::vector<std::string> words;  // with the prompt
  double log_probability = 0;      // of what follows the prompt, nats
  bool ended = false;              // it has an end; else it is cut off
};

// Used by one thread at a time. Movable.
class LanguageModel {
 public:
  using Sentence = std::vector<absl::string_view>;
  using Pair = std::pair<Sentence, Sentence>;

  // Errors: as of Contextualizer::Load().
  static absl::StatusOr<LanguageModel> Load(const std::string& path);
  ~LanguageModel();
  LanguageModel(LanguageModel&& other) noexcept;
  LanguageModel& operator=(LanguageModel&& other) noexcept;

  // The file appears whole or not at all.
  absl::Status Save(const std::string& path);
  // Metadata of the file about the training run.
  std::map<std::string, std::string>& metadata();

  // These five return OutOfRange where weights are so large that a layer's
  // output, a score or a perplexity is not finite; the message names the layer.

  // Measures the perplexity of a text that was read with min_count 1. Errors:
  // FailedPrecondition, a model that predicts nothing; Cancelled.
  absl::StatusOr<Perplexity> Measure(const Corpus& text,
                                     const MeasureOptions& options = {},
                                     const Hooks& hooks = {});

  // ln p of each sentence, which stands for itself and may be empty: the sum
  // over its words, a word that is not in the vocabulary as <UNK>, and its end,
  // each given those before it. A model that reads in both directions is asked
  // in the forward one: the two are models of their own, each with a
  // probability of the whole sentence. A score depends on the other sentences
  // by rounding alone, up to 1e-6 a token. Errors: FailedPrecondition, a model
  // without a softmax, or one that reads backward alone; Cancelled.
  absl::StatusOr<std::vector<SentenceScore>> Score(
      absl::Span<const Sentence> sentences, const Hooks& hooks = {});

  // Beam search gives at most options.beam sentences, the best first. Errors:
  // InvalidArgument (options); FailedPrecondition, a model without a softmax;
  // Cancelled.
  absl::StatusOr<std::vector<GeneratedSentence>> Generate(
      const GenerateOptions& options, const Hooks& hooks = {});

  // The likeliest words, at most `count`, in place of each <MASK> of the
  // sentence, the likeliest first. Errors: InvalidArgument, it has none;
  // FailedPrecondition, a model that is not masked or has no softmax.
  absl::StatusOr<std::vector<std::vector<WordProbability>>> Fill(
      const Sentence& sentence, size_t count);

  // Returns for each pair the probability that its second sentence follows the
  // first one in a text (Devlin et al. 2019, section 3.1). Errors:
  // FailedPrecondition, a model that was not trained for this; InvalidArgument,
  // a pair of more tokens than the model has positions; Cancelled.
  absl::StatusOr<std::vector<double>> NextSentence(absl::Span<const Pair> pairs,
                                                   const Hooks& hooks = {});

 private:
  friend class Contextualizer;
  friend class BiLanguageModel* StartOf(const LanguageModelTraining&);
  friend absl::StatusOr<struct TrainedLanguageModel> TrainLanguageModel(
      const Corpus&, const LanguageModelTraining&, const Hooks&,
      const Checkpointing&);
  struct Body;
  explicit LanguageModel(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

struct TrainedLanguageModel {
  LanguageModel model;  // the best one, where there was validation
  LanguageModelReport report;
};

// How texts of documents are marked: a sentence of this word ends one.
inline constexpr char kDocumentEnd[] = "</d>";

// The sentences of a text for next_sentence, as CorpusOptions::sentences takes
// them: its lines, with a sentence of kDocumentEnd where empty lines stand
// between. inputs: as CorpusOptions has them. Errors, of the source, too: those
// of reading; Cancelled.
absl::StatusOr<SentenceSource> DocumentSentences(
    const std::vector<std::string>& inputs, const Hooks& hooks = {});

// A finished training tells this of itself.
struct LanguageModelFacts {
  std::string options;  // in use, a JSON object by name
  CorpusReport corpus;
  LanguageModelReport training;
};
// One line of JSON: all of it.
std::string ReportJson(const LanguageModelFacts& facts);

// Trains on a text that was read with min_count 1: `training.vocabulary` says
// which words are predicted. When hooks.stop becomes true, writes a checkpoint
// and returns what has been learned, with report.interrupted set. Where there
// are checkpoints, a loss or gradient that is no longer finite sends the
// training back to the last one at half the learning rate, once. Errors:
// InvalidArgument (options; checkpoints of other options or another text),
// DataLoss (no checkpoint is whole), ResourceExhausted (memory), OutOfRange (a
// loss or gradient is no longer finite, or the loss is ten times that of words
// all alike at the end of an epoch; the message names step and cause);
// those of ReserveCheckpoints().
absl::StatusOr<TrainedLanguageModel> TrainLanguageModel(
    const Corpus& text, const LanguageModelTraining& training,
    const Hooks& hooks = {}, const Checkpointing& checkpointing = {});

}  // namespace firth

#endif  // FIRTH_LANGUAGE_MODEL_H_
