// Counting language models: n-grams with smoothed probabilities.
//
// Such a model is trained in seconds and answers millions of questions per
// second. It is a LanguageModel like any other, with perplexities, scores and
// generated text, but without vectors. Its files are .safetensors, or .arpa for
// exchange with other programs.

#ifndef FIRTH_COUNTING_MODEL_H_
#define FIRTH_COUNTING_MODEL_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "firth/corpus.h"
#include "firth/language_model.h"
#include "firth/progress.h"

namespace firth {

class FieldTable;

enum class CountSmoothing {
  // Interpolated modified Kneser-Ney (Chen and Goodman, "An empirical study of
  // smoothing techniques for language modeling", 1998). The best of the three.
  kKneserNey,
  // p = (c(h w) + k) / (c(h) + k V) after a context h that occurs in the text.
  // Other contexts are shortened.
  kAddK,
  // Brants et al., "Large language models in machine translation", 2007: the
  // relative frequency, or 0.4 times the score after a shorter context. Scores
  // do not sum to 1.
  kStupidBackoff,
};

struct CountingTraining {
  int order = 5;  // Words of the longest n-grams, 1 to 8.
  // The words to predict; others are <UNK>, and so are <s>, </s> and <unk>.
  VocabularyOptions vocabulary;
  CountSmoothing smoothing = CountSmoothing::kKneserNey;
  double add_k = 0.01;  // k of kAddK, 1e-9 to 1e9.
  // prune[n - 1] drops n-grams of order n with at most this many occurrences.
  // The last number holds for higher orders too. The numbers must ascend and
  // begin with 0, since no word is dropped.
  std::vector<int> prune;
  // Whether to use the discounts 0.5, 1 and 1.5 for an order whose counts are
  // too few to estimate them.
  bool discount_fallback = false;
  // Whether the discounts of single words are shared by all words. Otherwise,
  // <UNK> gets them.
  bool interpolate_unigrams = true;
  // Bytes for counts. Beyond that, they go to temporary files. The model must
  // fit in memory in addition. 0 means half of the available memory.
  uint64_t memory_bytes = 0;
  std::string temp_dir;  // As in CorpusOptions.

  static FieldTable Fields();  // All except the vocabulary and the last two.
  absl::Status Validate() const;
};

struct CountingReport {
  // Facts about the n-grams of one order.
  struct Order {
    uint64_t counted = 0;  // Different n-grams in the text.
    uint64_t kept = 0;     // Those in the model.
    // Subtracted from counts of 1, of 2, and of 3 or more; 0 without
    // Kneser-Ney.
    std::array<double, 3> discounts = {};
  };
  std::vector<Order> orders;     // [order]
  uint64_t vocab_size = 0;       // Words, including three special tokens.
  uint64_t unknown_tokens = 0;   // Tokens of the text that are <UNK>.
  uint64_t temporary_bytes = 0;  // Bytes in temporary files.
  double seconds = 0;
};

struct TrainedCountingModel {
  LanguageModel model;
  CountingReport report;
};

// Returns a model of a text that was read with min_count 1. Errors:
//
// - InvalidArgument: options; more words than n-grams of this order can have;
//   more than 2^32 - 1 tokens;
// - FailedPrecondition: the text is too small for the discounts of Kneser-Ney;
// - ResourceExhausted: not enough memory, or a full disk;
// - Cancelled.
absl::StatusOr<TrainedCountingModel> TrainCountingModel(
    const Corpus& text, const CountingTraining& training,
    const Hooks& hooks = {});

// Reads a counting model, from an ARPA file (which may be compressed) or a
// .safetensors, and writes it as ARPA if the name of the output ends in .arpa,
// otherwise as .safetensors. Errors: InvalidArgument, another kind of file, a
// malformed ARPA file, with the line, or a model that ARPA cannot express;
// DataLoss, a damaged file.
absl::Status ConvertCountingModel(const std::string& input,
                                  const std::string& output);

// Summary of a finished training run, for its report.
struct CountingFacts {
  std::string options;  // Options used, as a JSON object.
  CorpusReport corpus;
  CountingReport training;
};
// Returns the summary as one line of JSON.
std::string ReportJson(const CountingFacts& facts);

}  // namespace firth

#endif  // FIRTH_COUNTING_MODEL_H_
