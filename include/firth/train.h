// Trains word vectors.

#ifndef FIRTH_TRAIN_H_
#define FIRTH_TRAIN_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "firth/checkpoint.h"
#include "firth/corpus.h"
#include "firth/matrix.h"
#include "firth/progress.h"
#include "firth/subwords.h"
#include "firth/word_vectors.h"

namespace firth {

class FieldTable;

// --- Architectures: which input vectors predict which word. ---

// Each word of the context predicts the center (Mikolov et al. 2013).
struct SkipGramOptions {
  static constexpr absl::string_view kName = "skipgram";
  // Number of neighboring windows that share their noise words and are updated
  // together, 1 or 2 (ns and nce only). 2 is a fifth faster and costs about
  // half a point on analogies.
  int shared_windows = 1;
  // Whether words before the center predict it with other output rows than
  // words after it, so that word order is learned (ns only; Ling et al.,
  // "Two/Too Simple Adaptations of Word2Vec for Syntax Problems", NAACL 2015,
  // who use rows for each position). The output table has two rows per word:
  // row w for the words before, and V + w for the words after. With
  // TrainOptions::views it only applies to the view with the narrowest window,
  // as wide views profit little from order.
  bool directional = false;

  static FieldTable Fields();
};

// How the update of CBOW's hidden vector, a mean of n context words, is
// distributed to these words.
enum class CbowGradient {
  kCorrected,  // 1/n to each word, which is the gradient (Irsoy et al. 2021).
  kWord2vec,   // The full update to each word, as in word2vec.c and fastText.
};

// Weights of the words in CBOW's context mean.
enum class ContextWeights {
  kEqual,
  kDistance,  // window + 1 - distance, scaled to a mean of 1.
  // A trained vector for each position, applied element by element (Mnih and
  // Kavukcuoglu 2013; Mikolov et al., "Advances in Pre-Training Distributed
  // Word Representations", LREC 2018).
  kPosition,
};

// The mean of the context predicts the center.
struct CbowOptions {
  static constexpr absl::string_view kName = "cbow";
  CbowGradient gradient = CbowGradient::kCorrected;
  ContextWeights context_weights = ContextWeights::kEqual;
  int shared_windows = 1;  // See SkipGramOptions.
  // Use the sum of the context instead of its mean, for document vectors only.
  bool sum = false;

  static FieldTable Fields();
};

using ArchitectureOptions = std::variant<SkipGramOptions, CbowOptions>;

// --- Objectives: how a word is predicted. ---

// Properties of an objective on which the rest of training depends.
struct ObjectiveTraits {
  // Whether the output table has one row per word. Otherwise its rows are the
  // inner nodes of a tree, which depends on the word counts.
  bool has_word_rows = true;
  // Whether each step updates the whole output table.
  bool updates_all_rows = false;
  // Whether a part of the text is held out, on which the normalization of the
  // scores is measured after each epoch.
  bool measures_normalization = false;
};

// Negative sampling: distinguish the word from a few random ones (Mikolov et
// al. 2013).
struct NegativeSamplingOptions {
  static constexpr absl::string_view kName = "ns";
  static constexpr ObjectiveTraits kTraits = {};
  int negatives = 5;  // Noise words per window, 1 to 1000.
  // Noise words are drawn with probability proportional to count^exponent.
  double noise_exponent = 0.75;

  static FieldTable Fields();
};

// Noise-contrastive estimation: like negative sampling, but scores estimate ln
// p(word | context), normalized without a sum over the vocabulary (Gutmann and
// Hyvarinen 2010; Mnih and Teh 2012).
struct NceOptions {
  static constexpr absl::string_view kName = "nce";
  static constexpr ObjectiveTraits kTraits = {.measures_normalization = true};
  int negatives = 5;
  double noise_exponent = 0.75;

  static FieldTable Fields();
};

// Hierarchical softmax: one binary decision per node on the word's path in a
// Huffman tree (Morin and Bengio 2005; Mikolov et al. 2013).
struct HierarchicalSoftmaxOptions {
  static constexpr absl::string_view kName = "hs";
  static constexpr ObjectiveTraits kTraits = {.has_word_rows = false};
};

// Exact softmax over all words. Its cost grows with the vocabulary.
struct FullSoftmaxOptions {
  static constexpr absl::string_view kName = "softmax";
  static constexpr ObjectiveTraits kTraits = {.updates_all_rows = true};
  int batch = 64;  // Hidden vectors per matrix product, 1 to 4096.

  static FieldTable Fields();
};

using ObjectiveOptions =
    std::variant<NegativeSamplingOptions, NceOptions,
                 HierarchicalSoftmaxOptions, FullSoftmaxOptions>;

inline ObjectiveTraits TraitsOf(const ObjectiveOptions& objective) {
  return std::visit([](const auto& chosen) { return chosen.kTraits; },
                    objective);
}

// --- Ranks: how the ranks of Hooks share a training run. ---

struct NotDistributed {
  static constexpr absl::string_view kName = "none";
};

// Number format for communication. With bfloat16, the rounding error of a row
// is added to its next exchange.
enum class SentNumbers { kFloat32, kBfloat16 };

// Each rank holds full copies of the tables and trains on its share of the text
// with its own threads. A separate thread exchanges the changes with the other
// ranks.
struct ReplicasOptions {
  static constexpr absl::string_view kName = "replicas";
  SentNumbers send = SentNumbers::kFloat32;

  static FieldTable Fields();
};

// Each rank holds all words but only some dimensions of each vector, and the
// ranks exchange scores. The result is that of a single process, without stale
// copies. Memory is divided by the number of ranks, and a fast network is
// needed. Requires SkipGramOptions and NegativeSamplingOptions, and one thread
// per rank.
struct ColumnsOptions {
  static constexpr absl::string_view kName = "columns";
  // Steps per batch, 1 to 65536. Batches are exchanged in thirds, in 16 bits,
  // while others are computed. 1 updates after each step, as a single process
  // does. 0 means 512, or the number of steps in which a word's output vector
  // is updated 100 times, if smaller. A step is a window, or 16 words of a
  // wider window.
  int batch = 0;

  static FieldTable Fields();
};

using DistributedOptions =
    std::variant<NotDistributed, ReplicasOptions, ColumnsOptions>;

struct TrainOptions {
  ArchitectureOptions architecture = SkipGramOptions{};
  ObjectiveOptions objective = NegativeSamplingOptions{};
  int dim = 100;   // Dimensions of the vectors, 1 to 65536.
  int window = 5;  // Words on each side, 1 to 1000.
  // If not empty, train once with each of these 2 to 8 windows, and join the
  // results by their principal components. Windows of different widths learn
  // different properties, and random errors of the single runs average out. The
  // model then has no output table.
  std::vector<int> views;
  // Dimensions of each view; all views together need at least dim. 0 means a
  // fifth fewer than dim, rounded to a multiple of sixteen.
  int view_dim = 0;
  // Draw the reach from 1..window at each position.
  bool dynamic_window = true;
  // Subsampling threshold: words with a larger relative frequency are randomly
  // skipped. 0 skips none.
  double sample = 1e-4;
  SubwordOptions subwords = NoSubwords{};  // Not with FullSoftmaxOptions.
  // Fraction of a word's update that each of its n-gram rows gets, 1e-6 to 1.
  double subword_step = 1;
  // Factor of the update of the word's own row, 1e-6 to 1000.
  double word_step = 1;
  // Factor, 0 to 1, by which the own rows of words with n-grams are multiplied
  // after training. A small factor reduces what is specific to the word and not
  // shared by its n-grams. Requires BucketSubwords or ExplicitSubwords.
  double word_share = 1;
  // Weight, 0 to 10, of each word's output vector that is added to its input
  // vector after training. The output vector is first centered and scaled to
  // the length of the input vector. It adds the words with which a word occurs
  // to the words that it resembles. Not with HierarchicalSoftmaxOptions,
  // directional or FloretSubwords, whose words do not have one output row. With
  // views, it applies to those that are not directional.
  double add_output = 0;
  int epochs = 5;  // Passes over the corpus, 1 to 10000.
  // Initial learning rate, 1e-12 to 1e9; 0 means DefaultLearningRate().
  double learning_rate = 0;
  double min_learning_rate = 0;  // Final learning rate of the linear decay.
  int threads = 0;               // 0 means all cores.
  uint64_t seed = 1;
  // Whether the same seed gives the same bytes with any number of threads, on
  // machines with the same instruction set. Updates are logged for a thousand
  // windows and then added in the order of the text. FullSoftmaxOptions then
  // uses one thread.
  bool deterministic = false;
  DistributedOptions distributed = NotDistributed{};

  static FieldTable Fields();
  absl::Status Validate() const;
};

// Returns the learning rate used if none is given.
double DefaultLearningRate(const TrainOptions& options);

// Returns the number of bytes that this process can still allocate: the minimum
// over the machine, the control group and the address-space limit.
uint64_t AvailableMemory();

// Returns the maximum resident memory of the process so far, in bytes.
uint64_t PeakMemory();

// How well NCE's scores are normalized on windows on which it was not trained:
// ln Z = ln sum_w exp(score(w)), which is 0 for probabilities.
struct NormalizationReport {
  uint64_t windows = 0;
  double mean_ln_z = 0;  // Mean in nats.
  double stddev_ln_z = 0;
  double perplexity = 0;  // Perplexity of the normalized probabilities.
};

struct EpochReport {
  double loss = 0;        // Mean loss per example, in nats.
  uint64_t examples = 0;  // Number of pairs of input vector and predicted word.
  double seconds = 0;
  NormalizationReport normalization;  // For NCE only.
  // Results of Validation after the epoch.
  std::optional<double> held_out_loss;
  std::optional<double> score;
};

// Measurements after each epoch. The model of the best epoch is kept, by score
// if there is one, otherwise by loss.
struct Validation {
  // Held-out text, read with the vocabulary of the corpus, or null. Borrowed.
  const Corpus* text = nullptr;
  // Returns the quality of the vectors; higher is better.
  std::function<absl::StatusOr<double>(const WordVectors&)> score;
  // Files that `score` reads. Checkpoints store a checksum of them, and a run
  // does not resume with different ones.
  std::vector<std::string> score_files = {};
  // Epochs without improvement before training stops, at most 10000; 0 means
  // never.
  int patience = 0;

  bool enabled() const { return text != nullptr || score; }
  absl::Status Validate(const Corpus& corpus) const;
};

// Vectors to start from, instead of random ones.
struct InitialVectors {
  // Vectors with options.dim dimensions, or null.
  const WordVectors* vectors = nullptr;
  // Output table of these vectors, and biases if the objective has them. If
  // given, training continues a model: the corpus must contain all of the
  // model's words (see KnownWords), options.subwords must be those of the
  // vectors, and each n-gram keeps its row. The update of each row is then
  // scaled by the fraction of the word's occurrences that are in the new text
  // (see docs/guides/updating.md). Not allowed with HierarchicalSoftmaxOptions,
  // because other counts change its tree. If empty, output rows start at 0.
  FloatTable output = {};
  FloatTable output_bias = {};
  // Keep these vectors fixed while other words are trained. Not with subwords
  // or FullSoftmaxOptions.
  bool freeze = false;
  // Keep words that are not in the corpus in the result. Not with subwords.
  bool keep_others = false;
};

// Origin of the vectors of the corpus's words, and of other words.
struct InitialWords {
  uint64_t given = 0;
  // Words whose vectors were composed from the n-grams of the initial model.
  uint64_t from_n_grams = 0;
  uint64_t at_random = 0;
  uint64_t others = 0;  // Words kept although they are not in the corpus.
};

struct TrainReport {
  InitialWords initial;             // All 0 without initial vectors.
  std::vector<EpochReport> epochs;  // The last epoch may be partial.
  uint64_t words = 0;               // Words processed over all epochs.
  uint64_t held_out_words = 0;  // Words that were not trained on (NCE only).
  // Words processed before the checkpoint from which training resumed.
  uint64_t resumed_words = 0;
  double seconds = 0;  // Duration of this run.
  double words_per_second = 0;
  uint64_t checkpoints = 0;  // Number of checkpoints written.
  // Time for which training waited for checkpoints.
  double checkpoint_seconds = 0;
  int threads = 0;  // Threads of each rank.
  int ranks = 1;
  // Factor by which replicas multiply the learning rate, 4/3. It compensates
  // for updates of different ranks in the same direction, which count only once
  // when rows are merged.
  double rate_of_ranks = 1;
  // Time spent waiting for communication; with replicas, CPU time of the
  // thread that exchanges rows.
  double communication_seconds = 0;
  bool interrupted = false;
  // Epoch of the returned model, from 1; 0 if epochs were not measured.
  uint64_t best_epoch = 0;
  // Whether training stopped because patience ran out.
  bool stopped_early = false;
};

struct TrainedModel {
  WordVectors vectors;  // The input table.
  FloatTable output;    // The output table, [rows, dim].
  // Biases of the output table, [1, rows]; for NCE only.
  FloatTable output_bias;
  FloatTable sentences;  // Rows of sentences, for document vectors only.
  TrainReport report;
};

// Checks whether this number of ranks can share a training run with these
// options. `freeze` means that the initial vectors are not trained. Errors:
// InvalidArgument, with the option, the expected value and the value found.
absl::Status CheckShared(const TrainOptions& options, bool freeze, int ranks);

// Trains word vectors on a corpus read by ReadCorpus(). With hooks.ranks and
// options.distributed, all ranks train together: rank 0 gets the model and the
// others only the report, and errors are the same on all ranks. Initial vectors
// are borrowed for the call. When hooks.stop becomes true, returns what has
// been learned so far, with report.interrupted set. With checkpoints, if values
// are no longer finite, training returns once to the last one, at half the
// learning rate. Errors:
//
// - InvalidArgument: options, or a checkpoint of another training run; the
//   message lists all differences;
// - ResourceExhausted: more memory is needed than the machine has; the message
//   says how much;
// - OutOfRange: a value is no longer finite; the message names epoch, word and
//   likely cause;
// - DataLoss: no checkpoint is intact.
absl::StatusOr<TrainedModel> Train(const Corpus& corpus,
                                   const TrainOptions& options,
                                   const Hooks& hooks = {},
                                   const InitialVectors& initial = {},
                                   const Checkpointing& checkpointing = {},
                                   const Validation& validation = {});

}  // namespace firth

#endif  // FIRTH_TRAIN_H_
