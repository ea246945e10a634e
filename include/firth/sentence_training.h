// Trains sentence vectors: rows of words whose sum is the vector of a text.

#ifndef FIRTH_SENTENCE_TRAINING_H_
#define FIRTH_SENTENCE_TRAINING_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "firth/checkpoint.h"
#include "firth/progress.h"
#include "firth/vector_io.h"

namespace firth {

class FieldTable;

// How vectors are moved towards those of a teacher.
enum class TeacherLoss {
  // Each vector towards the vector of the same text: 1 - cosine. The teacher
  // must have as many dimensions.
  kCosine,
  // The cosines of all pairs of a batch towards those of the teacher, which may
  // have any number of dimensions: the mean of their squared differences.
  kGram,
};

enum class RowOptimizer { kAdam, kAdagrad };

struct SentenceTrainingOptions {
  // How a text becomes words. Stored in the model.
  bool lowercase = false;
  bool split_punctuation = false;

  // Without vectors to start with: the words of the texts that occur at least
  // this often, and their number of dimensions.
  uint64_t min_count = 5;
  uint64_t dim = 256;

  // Two spans of one text are a pair. Their numbers of words.
  uint64_t min_span = 8;
  uint64_t max_span = 24;
  // Relative numbers of the examples of each source, in the order texts, pairs,
  // paraphrases, teacher; empty means as many as each has.
  std::vector<int> mix;

  // Numbers of dimensions whose prefixes are trained, too, increasing.
  std::vector<int> nested;
  double temperature = 0.05;  // 0.025 to 10
  TeacherLoss teacher_loss = TeacherLoss::kGram;

  // Parameter of smooth inverse frequency, from which the weights of words
  // start: sif / (sif + p). 0 starts with equal weights.
  double sif = 1e-3;
  // Known words are replaced by the mean of their n-grams this many times per
  // epoch and word, so that n-grams are trained, too.
  double ngram_examples = 5;

  uint64_t epochs = 1;
  // Epochs without a better measurement before training stops; 0 means never.
  uint64_t patience = 0;
  uint64_t batch = 512;  // Pairs per step.
  RowOptimizer optimizer = RowOptimizer::kAdam;
  double learning_rate = 0.005;  // Falls to 0.
  double weight_rate = 0.01;     // Learning rate of the logarithms of weights.
  uint64_t held_out = 1000;      // Examples on which the loss is measured.
  uint64_t seed = 1;
  int threads = 0;  // 0 means all cores; does not change the result.

  static FieldTable Fields();
  absl::Status Validate() const;
};

// The files of a training run. Each may be compressed, or "-".
struct SentenceInputs {
  std::vector<std::string> texts;  // One text per line.
  // Two texts per line that belong together, and optionally a third one that
  // does not belong to the first: separated by tabs, or JSON objects with
  // "anchor", "positive" and optionally "negative".
  std::vector<std::string> pairs;
  std::vector<std::string> paraphrases;  // Lines of texts of the same meaning.
  // A text per line, and a .npy array [lines, any] of their vectors.
  std::string teacher_texts;
  std::string teacher_vectors;
};

struct SentenceEpoch {
  double loss = 0;  // In nats per pair and direction; see nn/contrast.h.
  double held_out_loss = 0;  // 0 if nothing is held out.
  double seconds = 0;
};

struct SentenceReport {
  uint64_t texts = 0;  // That give a pair of spans.
  uint64_t pairs = 0;
  uint64_t paraphrases = 0;  // Lines.
  uint64_t teacher_texts = 0;
  uint64_t words = 0;    // Known words of all texts.
  uint64_t unknown = 0;  // Words without a row.
  uint64_t held_out = 0;
  uint64_t rows = 0;   // Of words and n-grams.
  uint64_t zeros = 0;  // Texts without a vector, in all steps.
  std::vector<SentenceEpoch> epochs;
  size_t best_epoch = 0;  // From 1; 0 means the last rows.
  bool interrupted = false;
};

struct SentenceHooks {
  Hooks hooks;
  std::function<void(const SentenceReport&)> on_epoch;
};

// Trains sentence vectors. `start` has the vectors from which the rows of words
// and n-grams start; if it is null, they start at random, and there are no
// n-grams. Returns the rows, scaled by their weights: the vector of a text is
// the mean of those of its words. The result does not depend on the number of
// threads.
//
// Errors: InvalidArgument (options; a line, with its place; a teacher of
// another shape or with values that are not finite), ResourceExhausted (not
// enough memory), OutOfRange (training diverged), those of reading and of
// checkpoints, Cancelled.
absl::StatusOr<VectorFile> TrainSentences(
    const SentenceInputs& inputs, const SentenceTrainingOptions& options,
    const VectorFile* start, const SentenceHooks& hooks, SentenceReport* report,
    const Checkpointing& checkpointing = {});

}  // namespace firth

#endif  // FIRTH_SENTENCE_TRAINING_H_
