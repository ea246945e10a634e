// Language models: training of networks, perplexity, scoring and generation.
// Models that count n-grams are trained by firth/counting_model.h.
// Their contextual vectors are computed by firth/contextualizer.h.

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
class TextModel;  // src/lm/read/text_model.h

// Character network: filters over character vectors, the maximum of each filter
// over the word, and highway layers (Peters et al. 2018).
struct CharacterOptions {
  struct Filters {
    size_t width = 0;  // Width in characters, 1 to max_characters.
    size_t count = 0;  // Number of filters of this width, 1 to 1048576.
  };
  std::vector<Filters> filters = {{1, 32}, {2, 32}, {3, 64}, {4, 128}};
  int dim = 16;  // Dimensions of the character vectors, 1 to 1024.
  // Maximum length of a word in bytes, including two boundary marks, 3 to 1000.
  int max_characters = 50;
  int highways = 1;  // Number of highway layers, 0 to 100.

  static FieldTable Fields();
};

struct LanguageModelTraining {
  // --- Starting point. ---
  // A model to train further, such as on the text of a task (Peters et al.
  // 2018, section A.1), or null for a new one. Its words stay. Its own options
  // replace those under "Inputs", those under "Predictions" except smoothing
  // and samples, and those under "Layers" except dropout. Borrowed.
  const class LanguageModel* start = nullptr;

  // --- Inputs. ---
  // Word vectors to read words with. If null, vectors are trained, or words are
  // read by characters alone. Words without a vector get one from their
  // n-grams, or are <UNK>. Borrowed.
  const WordVectors* vectors = nullptr;
  bool tune_vectors = false;  // Whether to train these vectors further.
  bool use_characters = false;
  CharacterOptions characters;
  // Dimensions of the vectors to train, 1 to 65536; 0 means as many as one
  // direction has. Only without `vectors` and `use_characters`.
  int dim = 0;

  // --- Predictions. ---
  VocabularyOptions vocabulary;  // The words to predict; other words are <UNK>.
  // kMasked predicts 15% of the words, which are masked as in BERT. A
  // kTransformer then reads both sides at once, and `reads` must be kBoth;
  // other networks concatenate their two directions.
  Prediction predict = Prediction::kNext;
  // Whether to also learn from pairs of sentences of documents
  // (DocumentSentences()) if the second follows the first (Devlin et al. 2019,
  // section 3.1). Only for a kTransformer with kMasked. Each step then reads
  // pairs of at most `unroll` tokens, which must be above 4.
  bool next_sentence = false;
  // Any except kNone. kContinuous predicts `vectors`.
  HeadKind head = HeadKind::kSampled;
  // Whether words are scored by the rows by which they are read (Press and
  // Wolf, "Using the output embedding to improve language models", 2017). Not
  // with `vectors`, `character_output` and kContinuous. `dim` must then be the
  // size of the vectors that predict words: the output of one direction or, for
  // kMasked, of all; 0 means that size, also with `use_characters`.
  bool tied = false;
  // Label smoothing for kSoftmax, 0 to 0.99: this fraction of the target
  // probability is spread evenly over all words (Szegedy et al., "Rethinking
  // the inception architecture for computer vision", 2016).
  double label_smoothing = 0;
  // Noise words per chunk for kSampled and kNce, 1 to 2^24.
  int samples = 1024;
  // With kSoftmax and kSampled, compute the output row of a word from its
  // characters plus a low-dimensional correction, instead of training a full
  // row (CNN softmax: Jozefowicz et al., "Exploring the limits of language
  // modeling", 2016).
  bool character_output = false;
  int correction_dim = 32;  // Dimensions of the correction, 1 to 65536.

  // --- Layers. ---
  NetworkKind network = NetworkKind::kRecurrent;
  Reading reads = Reading::kBoth;
  // Words that kWindow reads at each step, including the current one, 1 to
  // 1000.
  int window = 5;
  // Cell type of kRecurrent. `projection`, `forget_bias`, `orthogonal` and the
  // clips are for kRecurrent too.
  CellKind cell = CellKind::kLstm;
  int units = 256;  // Units per direction and layer, 1 to 65536.
  // Dimensions of the output projection, at most 65536; 0 means none.
  int projection = 128;
  int layers = 2;  // Number of layers, 1 to 100.
  // Add a layer's input to its output, from the second layer on. A kTransformer
  // always does so.
  bool residual = true;
  // Dropout probability, 0 to 0.99; -1 lets ChooseOptions() choose.
  double dropout = -1;
  double attention_dropout = 0;  // The same for attention weights.
  // Clipping bounds of the cell states and of the projection; 0 means none.
  double cell_clip = 0;
  double projection_clip = 0;
  double forget_bias = 1;  // Initial bias of the forget gates, -1000 to 1000.
  // Whether recurrent weights are initialized to orthogonal matrices, and the
  // factor of these matrices, at most 1000, which is their spectral radius.
  bool orthogonal = false;
  double radius = 1;
  // Options of kTransformer; see src/nn/transformer.h.
  int heads = 4;  // Attention heads, a divisor of `units`, 1 to 1024.
  // Units of the feed-forward part, at most 2^20; 0 means four times `units`.
  int feed_forward = 0;
  int context = 128;  // Tokens that one token can attend to, 2 to 65536.
  PositionKind positions = PositionKind::kRelative;
  NormPlace norm = NormPlace::kBefore;
  Activation activation = Activation::kGelu;

  // --- Training. ---
  // ChooseOptions() chooses the batch, the unroll and the rate if they are 0,
  // and the warm-up if it is -1.
  int batch = 0;       // Parallel rows of text per step, 1 to 65536.
  int unroll = 0;      // Tokens per step and backward pass, 1 to 10000.
  double epochs = 10;  // Number of epochs, 1e-6 to 1e6.
  OptimizerKind optimizer = OptimizerKind::kAdam;
  double learning_rate = 0;      // Initial learning rate, 1e-12 to 1e9.
  double min_learning_rate = 0;  // Final learning rate.
  Decay decay = Decay::kLinear;
  int warmup = -1;  // Steps over which the learning rate rises from 0.
  // Maximum norm of all gradients together; 0 means no clipping.
  double clip_norm = 1;
  // Decoupled weight decay of kAdam, 0 to 100; see src/nn/optimizer.h.
  double weight_decay = 0;
  // 0 chooses by the number of cores. The result does not depend on it.
  int threads = 0;
  uint64_t seed = 1;

  // --- Validation. ---
  // Text to validate on, read with min_count 1, or null. Borrowed.
  const Corpus* validation = nullptr;
  uint64_t validate_every = 0;  // Interval in tokens; 0 means after each epoch.
  // Validations without improvement before training stops, at most 10000; 0
  // means never.
  int patience = 0;

  static FieldTable Fields();
  absl::Status Validate() const;
};

// How well a model predicts a text in one direction. Every word counts (words
// outside the vocabulary as <UNK>), and so does the end of the sentence.
struct DirectionPerplexity {
  uint64_t tokens = 0;   // Predicted tokens.
  uint64_t unknown = 0;  // Tokens among them that are <UNK>.
  double loss = 0;  // Mean loss in nats; for a continuous head, 1 - cosine.
  double known_loss = 0;  // Mean loss without <UNK>.
};
struct Perplexity {
  // A direction in which the model does not read has 0 tokens. For a masked
  // model, `forward` covers the masked words only.
  DirectionPerplexity forward;
  DirectionPerplexity backward;
  // Whether losses are distances instead of negative log probabilities.
  bool continuous = false;
  bool masked = false;

  // Returns the mean loss over the directions.
  double loss() const {
    return (forward.loss + backward.loss) /
           ((forward.tokens > 0) + (backward.tokens > 0));
  }
};

struct MeasureOptions {
  // Whether each sentence continues from the state that the previous one left.
  // Otherwise sentences are independent.
  bool stateful = false;
  // 1, or one per direction; 0 chooses by the number of cores.
  int threads = 0;

  static FieldTable Fields();
};

struct ValidationPoint {
  uint64_t tokens = 0;  // Tokens trained on before.
  // Loss per direction; 0 if the model does not read in it.
  double forward_loss = 0;
  double backward_loss = 0;
  bool best = false;  // Whether it is the best so far.
};

struct LanguageModelReport {
  // Words that can be predicted, including three special tokens.
  uint64_t vocab_size = 0;
  uint64_t unknown_tokens = 0;  // Tokens of the text that are <UNK> as targets.
  uint64_t parameters = 0;      // Number of trained parameters.
  // Tokens trained on in each direction, including ends of sentences.
  uint64_t tokens = 0;
  uint64_t epoch_tokens = 0;  // Tokens of one epoch.
  uint64_t steps = 0;
  // Mean loss of the head in each epoch, nats per token. The last epoch may be
  // partial.
  std::vector<double> losses;
  double seconds = 0;
  double tokens_per_second = 0;
  int threads = 0;
  std::vector<ValidationPoint> validations;
  // Whether training stopped because patience ran out.
  bool stopped_early = false;
  bool interrupted = false;
};

// Log probability of one token of a sentence, given the tokens before it.
struct TokenScore {
  double log_probability = 0;  // ln p, in nats.
  bool unknown = false;        // Whether the token is <UNK>.
};

// Log probability of a sentence, read forward.
struct SentenceScore {
  double log_probability = 0;  // ln p of its words and its end, in nats.
  uint64_t tokens = 0;         // Its words and its end.
  uint64_t unknown = 0;        // Tokens among them that are <UNK>.
};

struct GenerateOptions {
  std::vector<std::string> prompt;  // Words with which each sentence begins.
  // Words are drawn from p^(1 / temperature), 0 to 100. 0 always takes the most
  // probable word.
  double temperature = 0;
  int top_k = 0;  // Number of most probable words to draw from; 0 means all.
  // Draws only from the most probable words that together have this fraction of
  // the probability, 0 to 1, after top_k and temperature (nucleus sampling:
  // Holtzman et al., "The curious case of neural text degeneration", 2020).
  double top_p = 1;
  // Beam width, up to 1000. Above 1 it selects beam search, which requires
  // temperature 0.
  int beam = 1;
  // Exponent for length normalization in beam search, 0 to 10: hypotheses are
  // ranked by ln p / ((5 + length) / 6)^length_normalization (Wu et al.,
  // "Google's neural machine translation system", 2016).
  double length_normalization = 0;
  // Penalty on ending a sentence, 0 to 1000 nats, multiplied by expected_length
  // / length (OpenNMT's end of sentence normalization).
  double end_normalization = 0;
  int expected_length = 20;  // Expected length in words, 1 to 2^20.
  int max_tokens = 50;   // Maximum number of words after the prompt, 1 to 2^20.
  int count = 1;         // Number of sentences, 1 to 2^20.
  bool unknown = false;  // Whether <UNK> may be generated.
  uint64_t seed = 1;

  static FieldTable Fields();
  absl::Status Validate() const;
};

struct WordProbability {
  std::string word;
  double probability = 0;
  // Whether the model lacks the word. The probability is then that of <UNK>,
  // which covers all words that the model lacks.
  bool unknown = false;
};

// The words that may be at one position of a sentence.
struct WordDistribution {
  std::vector<WordProbability> words;
  double unknown = 0;  // Probability of <UNK>.
};

struct GeneratedSentence {
  std::vector<std::string> words;  // Its words, including the prompt.
  double log_probability = 0;  // ln p of the part after the prompt, in nats.
  // Whether the sentence has an end; otherwise it was cut off.
  bool ended = false;
};

// A trained language model, which can be moved. Only one thread may use it at a
// time.
class LanguageModel {
 public:
  using Sentence = std::vector<absl::string_view>;
  using Pair = std::pair<Sentence, Sentence>;

  // Loads a model file. Errors: as for Contextualizer::Load().
  static absl::StatusOr<LanguageModel> Load(const std::string& path);
  ~LanguageModel();
  LanguageModel(LanguageModel&& other) noexcept;
  LanguageModel& operator=(LanguageModel&& other) noexcept;

  // Writes the model. The file appears whole or not at all. Errors:
  // Cancelled, while an ARPA file is being written.
  absl::Status Save(const std::string& path, const Hooks& hooks = {});
  // Returns what the file contains about its training run.
  std::map<std::string, std::string>& metadata();

  // The next seven functions return OutOfRange if weights are so large that the
  // output of a layer, a score or a perplexity is not finite. The message names
  // the layer.

  // Measures the perplexity on a text that was read with min_count 1. Errors:
  // FailedPrecondition, the model predicts nothing; Cancelled.
  absl::StatusOr<Perplexity> Measure(const Corpus& text,
                                     const MeasureOptions& options = {},
                                     const Hooks& hooks = {});

  // Returns ln p of each sentence: the sum over its words (words outside the
  // vocabulary as <UNK>) and its end, each given the tokens before it.
  // Sentences may be empty and do not influence one another, except by
  // rounding, up to 1e-6 per token. Of a model that reads in both directions,
  // only the forward direction is used: each direction is a model of its own
  // and gives a probability to the whole sentence. Errors: FailedPrecondition,
  // a model without a softmax or one that reads backward only; Cancelled.
  absl::StatusOr<std::vector<SentenceScore>> Score(
      absl::Span<const Sentence> sentences, const Hooks& hooks = {});

  // Returns the terms of these sums: the scores of the tokens of each sentence
  // and of its end. If the model reads pieces of words, these are tokens.
  absl::StatusOr<std::vector<std::vector<TokenScore>>> TokenScores(
      absl::Span<const Sentence> sentences, const Hooks& hooks = {});

  // Generates sentences. Beam search returns at most options.beam sentences,
  // best first; the first one is at least as good as the greedy one. Errors:
  // InvalidArgument (options); FailedPrecondition, a model without a softmax;
  // Cancelled.
  absl::StatusOr<std::vector<GeneratedSentence>> Generate(
      const GenerateOptions& options, const Hooks& hooks = {});

  // Returns at most `count` of the most probable words, best first, for each
  // <MASK> of the sentence. <UNK> is not one of the words. Errors:
  // InvalidArgument, the sentence has no <MASK>; FailedPrecondition, the model
  // is not masked or has no softmax.
  absl::StatusOr<std::vector<WordDistribution>> Fill(const Sentence& sentence,
                                                     size_t count);

  // Returns the probabilities of `words` as the word after the beginning of a
  // sentence, in their order or, if there are none, at most `count` of the most
  // probable words, best first. The end of the sentence is the word </S>, and
  // <UNK> is not one of the most probable words. A masked model predicts the
  // last word of the sentence. If the model reads pieces, its most probable
  // words are pieces; the probability of a given word is that of all its
  // pieces, one after another. Errors: those of Score() and Fill();
  // InvalidArgument, a given word of several pieces and a masked model.
  absl::StatusOr<WordDistribution> NextWords(const Sentence& sentence,
                                             size_t count,
                                             const Sentence& words = {});

  // Returns the probability of each pair that its second sentence follows its
  // first one in a text (Devlin et al. 2019, section 3.1). Errors:
  // FailedPrecondition, the model was not trained to predict this;
  // InvalidArgument, a pair with more tokens than the model has positions;
  // Cancelled.
  absl::StatusOr<std::vector<double>> NextSentence(absl::Span<const Pair> pairs,
                                                   const Hooks& hooks = {});

 private:
  friend class TextModel;
  explicit LanguageModel(std::unique_ptr<TextModel> model);
  std::unique_ptr<TextModel> model_;
};

// How well two models and their mixture predict a text, reading forward.
struct MixedPerplexity {
  // Weight w of the first model. Each token has the probability
  // w p_first + (1 - w) p_second.
  double weight = 0;
  DirectionPerplexity first;
  DirectionPerplexity second;
  DirectionPerplexity mixed;
};

// Measures a mixture on a text, with the weight that gives the lowest
// perplexity on `valid`. Sentences are independent. Errors: InvalidArgument,
// the models have different tokens or unknown words in these texts; those of
// LanguageModel::TokenScores().
absl::StatusOr<MixedPerplexity> MeasureMixture(LanguageModel& first,
                                               LanguageModel& second,
                                               const Corpus& valid,
                                               const Corpus& text,
                                               const Hooks& hooks = {});

// How far gradients reach back (Bengio, Simard and Frasconi 1994): the norms of
// the derivatives of an output of the top layer with respect to values at
// earlier steps.
struct GradientReach {
  struct Path {
    // "input", or a part of the state that layers pass on, such as "1.state"
    // for the cell state of the lowest layer.
    std::string name;
    // norms[k] is that at distance first_distance + k: the root of the mean of
    // |d (u . top_t) / d value_{t - distance}|^2 over many t and random vectors
    // u with the mean squared length 1.
    size_t first_distance = 0;
    std::vector<double> norms = {};
  };
  std::vector<Path> paths;  // The states only of recurrent layers.
};

// Measures gradients over `steps` steps of the forward layers on a text, whose
// sentences follow one another. Errors: FailedPrecondition, the model has no
// forward layers; InvalidArgument, the text is empty, or there are fewer than 2
// steps or more than a Transformer can see; ResourceExhausted, there is not
// enough memory; OutOfRange, a gradient is not finite; Cancelled.
absl::StatusOr<GradientReach> MeasureGradientReach(LanguageModel& model,
                                                   const Corpus& text,
                                                   size_t steps,
                                                   const Hooks& hooks = {});

struct TrainedLanguageModel {
  // The best model if there was validation, otherwise the last.
  LanguageModel model;
  LanguageModelReport report;
};

// Word that marks the end of a document when it is a sentence of its own.
inline constexpr char kDocumentEnd[] = "</d>";

// Returns the sentences of a text for next_sentence, as a source for
// CorpusOptions::sentences: its lines, with a kDocumentEnd sentence in place of
// empty lines between documents. `inputs` are as in CorpusOptions. Errors, also
// of the source: read errors; Cancelled.
absl::StatusOr<SentenceSource> DocumentSentences(
    const std::vector<std::string>& inputs, const Hooks& hooks = {});

// Summary of a finished training run, for its report.
struct LanguageModelFacts {
  std::string options;  // Options used, as a JSON object.
  CorpusReport corpus;
  LanguageModelReport training;
};
// Returns the summary as one line of JSON.
std::string ReportJson(const LanguageModelFacts& facts);

// Gives a value to each option that is left to the library, for this text, and
// returns the names of these options. `training` must be valid.
std::vector<std::string> ChooseOptions(const Corpus& text,
                                       LanguageModelTraining* training);

// Trains a language model on a text that was read with min_count 1. Calls
// ChooseOptions() first.
// `training.vocabulary` selects the words to predict. When hooks.stop becomes
// true, a checkpoint is written and the model trained so far is returned, with
// report.interrupted set. With checkpoints, if a loss or gradient is no longer
// finite, training returns once to the last one, at half the learning rate.
// Errors:
//
// - InvalidArgument: options, or checkpoints of other options or another text;
// - DataLoss: no checkpoint is intact;
// - ResourceExhausted: not enough memory;
// - OutOfRange: a loss or gradient is no longer finite, or the loss at the end
//   of an epoch is ten times that of a uniform distribution over the words; the
//   message names the step and the cause;
// - errors of ReserveCheckpoints().
absl::StatusOr<TrainedLanguageModel> TrainLanguageModel(
    const Corpus& text, const LanguageModelTraining& training,
    const Hooks& hooks = {}, const Checkpointing& checkpointing = {});

}  // namespace firth

#endif  // FIRTH_LANGUAGE_MODEL_H_
