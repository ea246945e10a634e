// Probes what information vectors contain, by measuring how well simple models
// perform on them.

#ifndef FIRTH_PROBE_H_
#define FIRTH_PROBE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "firth/progress.h"
#include "firth/tagged_text.h"
#include "firth/tagger.h"

namespace firth {

class FieldTable;

struct ProbeOptions {
  // Number of tags to train on, in whole sentences drawn by the seed; 0 means
  // all.
  uint64_t labels = 0;
  // Adam's learning rate, 1e-12 to 1e9; decays linearly to a tenth.
  double learning_rate = 0.01;
  uint64_t seed = 1;
  // Bytes of cached vectors; see TaggerOptions.
  uint64_t cache_bytes = uint64_t{1} << 30;
  int threads = 0;

  static FieldTable Fields();
  absl::Status Validate() const;
};

struct ProbeScore {
  // Features such as "static", "layer 1", "mix" or "static + layer 1".
  std::string features;
  double accuracy = 0;  // Accuracy in [0, 1].
  MixWeights mix;  // Weights of the layers for "mix"; otherwise without shares.
};

struct TagProbeReport {
  uint64_t train_tokens = 0;
  uint64_t test_tokens = 0;
  bool interrupted = false;
  // Scores. The first two are baselines without vectors: the most frequent tag
  // of each word, and a hidden Markov model.
  std::vector<ProbeScore> scores;
};

// Trains multinomial logistic regression from frozen features to tags: for
// static vectors, for each layer, for a learned mix of all layers, and for
// static vectors concatenated with each layer above 0, if the inputs contain
// them. Deterministic for a seed. Errors: those of Tagger::Train().
absl::StatusOr<TagProbeReport> ProbeTags(absl::Span<const TaggedSentence> train,
                                         absl::Span<const TaggedSentence> test,
                                         const TaggerInputs& inputs,
                                         const ProbeOptions& options,
                                         const Hooks& hooks = {});

// One occurrence of an ambiguous word.
struct SenseInstance {
  std::string sense;
  size_t position = 0;  // Index of the word in `tokens`, from 0.
  std::vector<std::string> tokens;
};

// Reads the instances of a word. A file has one instance per line: the sense,
// the position of the word (from 1) and the tokens, separated by white space. A
// Senseval-2 file (as distributed with NLTK) is read too, with the lines with
// <head> as instances. Errors: NotFound; InvalidArgument with file and line.
absl::StatusOr<std::vector<SenseInstance>> ReadSenses(const std::string& path);

struct SenseProbeOptions {
  // Maximum number of instances, drawn by the seed; at least 5.
  uint64_t most = 2500;
  // Number of words on each side whose static vectors are averaged, 1 to
  // 1000000.
  uint64_t reach = 6;
  uint64_t seed = 1;
  int threads = 0;

  static FieldTable Fields();
};

struct SenseProbeReport {
  size_t senses = 0;
  size_t train = 0;  // Number of training instances, 4 of 5.
  size_t test = 0;
  // Scores. The first one is that of the most frequent sense.
  std::vector<ProbeScore> scores;
};

// Gives each test instance the sense of the nearest training instance, by the
// cosine of centered vectors. The vectors are, in turn, the mean of the static
// vectors of the surrounding words, the word's own vector in each layer, and
// the mean of all layers. Errors: InvalidArgument (fewer than 5 instances),
// those of loading.
absl::StatusOr<SenseProbeReport> ProbeSenses(
    absl::Span<const SenseInstance> instances, const TaggerInputs& inputs,
    const SenseProbeOptions& options, const Hooks& hooks = {});

// A word of a sentence that has a sense.
struct SensedWord {
  size_t position = 0;  // Index of its first token, from 0.
  size_t tokens = 1;
  std::string word;  // Lemma and part of speech, such as "bank%1".
  // WordNet keys such as "bank%1:17:01::"; each one is correct.
  std::vector<std::string> senses;
};
struct SensedSentence {
  std::vector<std::string> tokens;
  std::vector<SensedWord> words;
};

// Reads a text of SemCor 3, or of the evaluation framework of Raganato et al.:
// X.data.xml with its keys in X.gold.key.txt. Errors: NotFound; InvalidArgument
// with file and line.
absl::StatusOr<std::vector<SensedSentence>> ReadSensedText(
    const std::string& path);

// Reads the first sense of each word from WordNet's file index.sense. Errors:
// as for ReadSensedText().
absl::StatusOr<std::map<std::string, std::string>> ReadFirstSenses(
    const std::string& path);

struct SenseScore {
  std::string features;
  // Fraction of correct words among those that got a sense.
  double precision = 0;
  double recall = 0;  // Fraction of correct words among all.
  double f1 = 0;
};
struct SenseScores {
  uint64_t asked = 0;  // Number of words.
  // Scores. The first one is that of the most frequent sense.
  std::vector<SenseScore> scores;
};
struct AllSensesReport {
  uint64_t known = 0;  // Number of words with a sense in the training texts.
  size_t senses = 0;   // Number of distinct senses.
  std::vector<SenseScores> texts;  // One entry per evaluated text.
};

// Gives each word of the texts `asked` the sense with the nearest centroid
// (Peters et al. 2018, section 5.3). A centroid is the mean of the vectors of
// the `known` words with that sense. Vectors are centered by the mean of all
// known ones and compared by cosine, for static contexts, for each layer and
// for the mean of all layers. A word that does not occur in `known` gets its
// first sense if `first_senses` has it, and none otherwise. Only `reach` and
// `threads` of the options are used. Errors: InvalidArgument (no word is
// known), those of loading, Cancelled.
absl::StatusOr<AllSensesReport> ProbeAllSenses(
    absl::Span<const SensedSentence> known,
    absl::Span<const std::vector<SensedSentence>> asked,
    const std::map<std::string, std::string>& first_senses,
    const TaggerInputs& inputs, const SenseProbeOptions& options,
    const Hooks& hooks = {});

}  // namespace firth

#endif  // FIRTH_PROBE_H_
