// Probes: how well the simplest models work with vectors as their input.

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
  // Tags to learn from: of whole sentences, drawn by the seed, until there are
  // so many; 0: all.
  uint64_t labels = 0;
  double learning_rate = 0.01;  // of Adam, 1e-12 to 1e9; falls linearly to a
                                // tenth
  uint64_t seed = 1;
  uint64_t cache_bytes = uint64_t{1} << 30;  // see TaggerOptions
  int threads = 0;

  static FieldTable Fields();
  absl::Status Validate() const;
};

struct ProbeScore {
  std::string features;  // "static", "layer 1", "mix", "static + layer 1", ...
  double accuracy = 0;   // in [0, 1]
  MixWeights mix;        // of "mix"; else without shares
};

struct TagProbeReport {
  uint64_t train_tokens = 0;
  uint64_t test_tokens = 0;
  bool interrupted = false;
  // The most frequent tag of each word first: what no context gives.
  std::vector<ProbeScore> scores;
};

// Multinomial logistic regression from frozen features to tags, for static
// vectors, each layer, a mix of all with learned weights, and static vectors
// beside each layer above 0: as far as the inputs have them. Deterministic for
// a seed. Errors: those of Tagger::Train().
absl::StatusOr<TagProbeReport> ProbeTags(absl::Span<const TaggedSentence> train,
                                         absl::Span<const TaggedSentence> test,
                                         const TaggerInputs& inputs,
                                         const ProbeOptions& options,
                                         const Hooks& hooks = {});

// An occurrence of an ambiguous word.
struct SenseInstance {
  std::string sense;
  size_t position = 0;  // of the word in tokens, from 0
  std::vector<std::string> tokens;
};

// Reads the instances of a word: a line each, of the sense, the position of the
// word (from 1) and the tokens, between white space; or a Senseval-2 file (as
// NLTK has it), of which an instance is the line with <head>. Errors: NotFound;
// InvalidArgument with file and line.
absl::StatusOr<std::vector<SenseInstance>> ReadSenses(const std::string& path);

struct SenseProbeOptions {
  uint64_t most = 2500;  // instances, drawn by the seed, from 5
  uint64_t reach = 6;    // static vectors of how many words on each side, 1 to
                         // 1000000
  uint64_t seed = 1;
  int threads = 0;

  static FieldTable Fields();
};

struct SenseProbeReport {
  size_t senses = 0;
  size_t train = 0;  // instances: 4 of 5
  size_t test = 0;
  std::vector<ProbeScore> scores;  // the most frequent sense first
};

// Gives each test instance the sense of the nearest training one, by the cosine
// of vectors less their mean: of the words around it in static vectors, of its
// own in each layer, and of the mean of all layers. Errors: InvalidArgument
// (fewer than 5 instances), those of loading.
absl::StatusOr<SenseProbeReport> ProbeSenses(
    absl::Span<const SenseInstance> instances, const TaggerInputs& inputs,
    const SenseProbeOptions& options, const Hooks& hooks = {});

// A word of a sentence that has a sense.
struct SensedWord {
  size_t position = 0;  // of its first token, from 0
  size_t tokens = 1;
  std::string word;  // lemma and kind, as "bank%1"
  // WordNet's keys, as "bank%1:17:01::", each of which is right.
  std::vector<std::string> senses;
};
struct SensedSentence {
  std::vector<std::string> tokens;
  std::vector<SensedWord> words;
};

// Reads a text of SemCor 3, or one of Raganato et al.'s evaluation framework,
// X.data.xml with its keys in X.gold.key.txt. Errors: NotFound;
// InvalidArgument with file and line.
absl::StatusOr<std::vector<SensedSentence>> ReadSensedText(
    const std::string& path);

// The first sense of each word, by WordNet's file index.sense. Errors: as
// above.
absl::StatusOr<std::map<std::string, std::string>> ReadFirstSenses(
    const std::string& path);

struct SenseScore {
  std::string features;
  double precision = 0;  // of the words that were given a sense
  double recall = 0;     // of all
  double f1 = 0;
};
struct SenseScores {
  uint64_t asked = 0;              // words
  std::vector<SenseScore> scores;  // the most frequent sense first
};
struct AllSensesReport {
  uint64_t known = 0;              // words with a sense to learn from
  size_t senses = 0;               // different ones
  std::vector<SenseScores> texts;  // one for each that is asked
};

// Gives each word of the texts asked the sense whose centroid is nearest: the
// mean of the vectors of the known words that have it; by the cosine of vectors
// less the mean of all known ones, for static contexts, each layer and the mean
// of all layers (Peters et al. 2018, section 5.3). A word that is not known has
// its first sense, if `first_senses` has it, and else none. Of options `reach`
// and `threads` count. Errors: InvalidArgument (no word is known), those of
// loading, Cancelled.
absl::StatusOr<AllSensesReport> ProbeAllSenses(
    absl::Span<const SensedSentence> known,
    absl::Span<const std::vector<SensedSentence>> asked,
    const std::map<std::string, std::string>& first_senses,
    const TaggerInputs& inputs, const SenseProbeOptions& options,
    const Hooks& hooks = {});

}  // namespace firth

#endif  // FIRTH_PROBE_H_
