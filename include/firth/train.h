// Training word vectors.

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
  // Neighboring windows that share their noise words and are stepped together,
  // 1 or 2 (ns and nce only): 2 is a fifth faster, and costs about half a point
  // of analogies.
  int shared_windows = 1;
  // Words before the center predict it with other output rows than those after
  // it, so that order is learned (ns only; Ling et al., "Two/Too Simple
  // Adaptations of Word2Vec for Syntax Problems", NAACL 2015, there with rows
  // for each position). The output table has two rows a word: row w for those
  // before, V + w for those after. With TrainOptions::views, only the view with
  // the narrowest window: order is of little use to wide ones.
  bool directional = false;

  static FieldTable Fields();
};

// How the step of CBOW's hidden vector, a mean of n context words, is given
// back to them.
enum class CbowGradient {
  kCorrected,  // its n-th part to each: the gradient (Irsoy et al. 2021)
  kWord2vec,   // all of it to each, as word2vec.c and fastText do
};

// The factors of the words in CBOW's context, which are applied before their
// mean.
enum class ContextWeights {
  kEqual,
  kDistance,  // window + 1 - distance, scaled to a mean of 1
  // A learned vector for each position, value by value (Mnih and Kavukcuoglu
  // 2013; Mikolov et al., "Advances in Pre-Training Distributed Word
  // Representations", LREC 2018).
  kPosition,
};

// The mean of the context predicts the center.
struct CbowOptions {
  static constexpr absl::string_view kName = "cbow";
  CbowGradient gradient = CbowGradient::kCorrected;
  ContextWeights context_weights = ContextWeights::kEqual;
  int shared_windows = 1;  // as SkipGramOptions has it

  static FieldTable Fields();
};

using ArchitectureOptions = std::variant<SkipGramOptions, CbowOptions>;

// --- Objectives: what it means to predict a word. ---

// Tell the word from a few random ones (Mikolov et al. 2013).
struct NegativeSamplingOptions {
  static constexpr absl::string_view kName = "ns";
  int negatives = 5;             // noise words a window, 1 to 1000
  double noise_exponent = 0.75;  // noise is drawn by count^exponent

  static FieldTable Fields();
};

// The same question, asked so that the answer is a probability: scores are
// ln p(word | context), normalized without a sum over the vocabulary (Gutmann
// and Hyvarinen 2010; Mnih and Teh 2012).
struct NceOptions {
  static constexpr absl::string_view kName = "nce";
  int negatives = 5;
  double noise_exponent = 0.75;

  static FieldTable Fields();
};

// A walk down a Huffman tree, one yes-or-no question a node (Morin and Bengio
// 2005; Mikolov et al. 2013).
struct HierarchicalSoftmaxOptions {
  static constexpr absl::string_view kName = "hs";
};

// The probability over all words, exactly. Cost grows with the vocabulary.
struct FullSoftmaxOptions {
  static constexpr absl::string_view kName = "softmax";
  int batch = 64;  // hidden vectors a matrix product, 1 to 4096

  static FieldTable Fields();
};

using ObjectiveOptions =
    std::variant<NegativeSamplingOptions, NceOptions,
                 HierarchicalSoftmaxOptions, FullSoftmaxOptions>;

// --- Ranks: how those of Hooks share a training. ---

struct NotDistributed {
  static constexpr absl::string_view kName = "none";
};

// Format in which numbers are sent. With bfloat16, the rounding error is added
// to the next exchange of the row.
enum class SentNumbers { kFloat32, kBfloat16 };

// Each rank has the whole tables and trains on its share of the text with its
// threads; a thread of its own exchanges with the others what has moved.
struct ReplicasOptions {
  static constexpr absl::string_view kName = "replicas";
  SentNumbers send = SentNumbers::kFloat32;

  static FieldTable Fields();
};

// Each rank has all words and some values of each vector; they exchange scores.
// It is what one process does, without stale copies, in as many times less
// memory, and needs a fast network. With SkipGramOptions and
// NegativeSamplingOptions; one thread a rank.
struct ColumnsOptions {
  static constexpr absl::string_view kName = "columns";
  int batch = 0;  // 1 to 65536: a third of so many steps is exchanged at
                  // once, in 16 bits, while others are computed; 1: as one
                  // process steps; 0: 512, or as many as step a word's output
                  // vector 100 times. A step is a window, or 16 words of a
                  // wider one

  static FieldTable Fields();
};

using DistributedOptions =
    std::variant<NotDistributed, ReplicasOptions, ColumnsOptions>;

struct TrainOptions {
  ArchitectureOptions architecture = SkipGramOptions{};
  ObjectiveOptions objective = NegativeSamplingOptions{};
  int dim = 100;   // of the vectors, 1 to 65536
  int window = 5;  // words to each side, 1 to 1000
  // If not empty: trains once with each of these windows, 2 to 8 of them, and
  // joins the results by their principal components. Windows of different
  // width learn different things, and what is chance in each training goes
  // away. The model has no output table then.
  std::vector<int> views;
  int view_dim = 0;  // of each of these trainings, all together at least dim;
                     // 0: a fifth fewer than dim, in whole sixteens
  bool dynamic_window = true;  // reach drawn from 1..window at each position
  double sample = 1e-4;        // words more frequent than this share are
                               // thinned out; 0: none are
  SubwordOptions subwords = NoSubwords{};  // not with FullSoftmaxOptions
  double subword_step = 1;  // share of a word's step that the row of each
                            // of its n-grams gets, 1e-6 to 1
  double word_step = 1;     // and its own row, 1e-6 to 1000
  // At the end a word's own row is multiplied by this, 0 to 1, if the word has
  // n-grams, too: what they do not say of it counts less. With BucketSubwords
  // or ExplicitSubwords.
  double word_share = 1;
  // At the end each word's output vector, centered and made as long as its
  // input vector, is added to it times this, 0 to 10: what a word is used with
  // joins what it is used like. Not with HierarchicalSoftmaxOptions,
  // directional or FloretSubwords, whose words have no one row there; of views,
  // to those that are not directional.
  double add_output = 0;
  int epochs = 5;                // passes over the corpus, 1 to 10000
  double learning_rate = 0;      // at the start, 1e-12 to 1e9; 0:
                                 // DefaultLearningRate()
  double min_learning_rate = 0;  // the linear decay ends here
  int threads = 0;               // 0: all cores
  uint64_t seed = 1;
  // The same seed gives the same bytes with any number of threads, on machines
  // with the same instruction set: steps are logged for a thousand windows, and
  // then added in the order of the text. FullSoftmaxOptions works on one
  // thread then.
  bool deterministic = false;
  DistributedOptions distributed = NotDistributed{};

  static FieldTable Fields();
  absl::Status Validate() const;
};

// The learning rate used when none is given.
double DefaultLearningRate(const TrainOptions& options);

// Bytes this process may still take: of the machine, the control group and the
// address-space limit the least.
uint64_t AvailableMemory();

// The most memory that the process has had resident so far, in bytes.
uint64_t PeakMemory();

// How well NCE's scores are normalized on windows that it was not trained on:
// ln Z = ln sum_w exp(score(w)), which is 0 for a probability.
struct NormalizationReport {
  uint64_t windows = 0;
  double mean_ln_z = 0;  // nats
  double stddev_ln_z = 0;
  double perplexity = 0;  // of the normalized probabilities
};

struct EpochReport {
  double loss = 0;        // mean per example, nats
  uint64_t examples = 0;  // (input vector, predicted word) pairs
  double seconds = 0;
  NormalizationReport normalization;  // NCE only
  // With Validation, after the epoch.
  std::optional<double> held_out_loss;
  std::optional<double> score;
};

// The evaluation after each epoch. The resulting model is that of the best
// epoch, by the score if there is one, otherwise by the loss.
struct Validation {
  // Held-out text, read with the vocabulary of the corpus; borrowed; null:
  // none.
  const Corpus* text = nullptr;
  // How good the vectors are; greater is better.
  std::function<absl::StatusOr<double>(const WordVectors&)> score;
  // The files that `score` reads. Checkpoints keep a checksum of them, and a
  // training does not go on with other ones.
  std::vector<std::string> score_files = {};
  int patience = 0;  // stop after so many epochs without a better one, at most
                     // 10000; 0: go on

  bool enabled() const { return text != nullptr || score; }
  absl::Status Validate(const Corpus& corpus) const;
};

// Vectors to start from, in place of random ones.
struct InitialVectors {
  const WordVectors* vectors = nullptr;  // of options.dim values; null: none
  // With the output table of these vectors, and the biases if the objective has
  // them, a training goes on with a model: its corpus has all of the model's
  // words (see KnownWords), options.subwords are those of the vectors, and each
  // n-gram keeps its row. Each row then moves only by the share of the word's
  // occurrences that are in the new text (see docs/guides/updating.md). Not
  // allowed with HierarchicalSoftmaxOptions, whose rows belong to a tree that
  // other counts change. If empty, output rows start at 0.
  FloatTable output = {};
  FloatTable output_bias = {};
  bool freeze = false;       // they stay as they are, and others learn around
                             // them; not with subwords or FullSoftmaxOptions
  bool keep_others = false;  // words that the corpus does not have are in the
                             // result too; not with subwords
};

// The origin of the vectors of the corpus's words and of others.
struct InitialWords {
  uint64_t given = 0;
  uint64_t from_n_grams = 0;  // of initial vectors that have n-grams
  uint64_t at_random = 0;
  uint64_t others = 0;  // kept although the corpus does not have them
};

struct TrainReport {
  InitialWords initial;             // all 0 without initial vectors
  std::vector<EpochReport> epochs;  // the last may be partial
  uint64_t words = 0;               // processed, over all epochs
  uint64_t held_out_words = 0;      // not trained on (NCE only)
  uint64_t resumed_words = 0;       // of them before a checkpoint gone on from
  double seconds = 0;               // of this run
  double words_per_second = 0;
  uint64_t checkpoints = 0;       // written
  double checkpoint_seconds = 0;  // that training waited for them
  int threads = 0;                // of each rank
  int ranks = 1;
  // Factor by which replicas multiply the learning rate: 4/3. Steps of
  // different ranks that point the same way count only once when rows are
  // merged.
  double rate_of_ranks = 1;
  double communication_seconds = 0;  // of waiting; of replicas, of computing it
  bool interrupted = false;
  uint64_t best_epoch = 0;     // whose model it is, from 1; 0: not measured
  bool stopped_early = false;  // for want of patience
};

struct TrainedModel {
  WordVectors vectors;     // the input table
  FloatTable output;       // the output table, [rows, dim]
  FloatTable output_bias;  // [1, rows]; NCE only
  TrainReport report;
};

// Checks whether this number of ranks can share a training run with these
// options. `freeze`: the initial vectors are not trained. Errors:
// InvalidArgument, with the option, the expected value and the value found.
absl::Status CheckShared(const TrainOptions& options, bool freeze, int ranks);

// Trains on a corpus made by ReadCorpus(), with hooks.ranks and
// options.distributed on all of theirs: rank 0 gets the model, the others the
// report alone. Errors are the same on all ranks then. When hooks.stop becomes
// true, returns what has been learned so far with report.interrupted set.
// Initial vectors are borrowed for the call. With checkpoints, values that are
// no longer finite send the training back to the last one, at half the learning
// rate, once. Errors: InvalidArgument (options; a checkpoint of another
// training; the message lists all that differs), ResourceExhausted (more memory
// needed than the machine has; the message says how much), OutOfRange (a value
// is no longer finite; the message names epoch, word and the likely cause),
// DataLoss (no checkpoint is whole).
absl::StatusOr<TrainedModel> Train(const Corpus& corpus,
                                   const TrainOptions& options,
                                   const Hooks& hooks = {},
                                   const InitialVectors& initial = {},
                                   const Checkpointing& checkpointing = {},
                                   const Validation& validation = {});

}  // namespace firth

#endif  // FIRTH_TRAIN_H_
