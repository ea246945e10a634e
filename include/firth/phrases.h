// Phrases: words that stand together more often than chance would have it, such
// as "new york", become one word, "new_york".

#ifndef FIRTH_PHRASES_H_
#define FIRTH_PHRASES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "firth/corpus.h"
#include "firth/progress.h"

namespace firth {

class FieldTable;

// How strongly a and b go together; counts are of occurrences, N is of all.
enum class PhraseScore {
  // (count(ab) - min_count) * N / (count(a) count(b)), above 0: word2vec's
  // (Mikolov et al. 2013, eq. 6).
  kWord2vec,
  // ln(p(ab) / (p(a) p(b))) / -ln p(ab), from -1 to 1 (Bouma 2009).
  kNpmi,
};

struct PhraseOptions {
  PhraseScore score = PhraseScore::kWord2vec;
  double threshold = 0;    // scores above it; 0: 100, or 0.5 with kNpmi
  uint64_t min_count = 5;  // occurrences of a, b and ab, from 1
  int passes = 1;  // each joins pairs of what the last one made: phrases
                   // of up to 2^passes words, 1 to 10
  std::string delimiter = "_";  // between the words of a phrase
  // Words that may stand inside a phrase, up to two between a and b, but do
  // not begin or end one: "of", "the". They do not count in scores.
  std::vector<std::string> connectors;
  int threads = 0;            // 0: all cores
  uint64_t memory_bytes = 0;  // for the joined ids; see CorpusOptions
  std::string temp_dir;

  static FieldTable Fields();
  absl::Status Validate() const;
};

struct Phrase {
  std::string text;  // with delimiters
  uint64_t count = 0;
  double score = 0;
};

struct JoinedCorpus {
  Corpus corpus;                // words by count, ties as they were before
  std::vector<Phrase> phrases;  // of all passes, by pass, then best first
};

// Joins phrases from left to right, each token in one of them at most. The
// corpus must have its tokens, and words of every count for sentences to stay
// as they are. The result does not depend on options.threads. Errors:
// InvalidArgument (options), ResourceExhausted (full disk), Cancelled.
absl::StatusOr<JoinedCorpus> JoinPhrases(const Corpus& corpus,
                                         const PhraseOptions& options,
                                         const Hooks& hooks = {});

// The corpus without the words that `options` does not keep; its report says
// how many tokens that were. Errors: InvalidArgument, nothing is left.
absl::StatusOr<Corpus> KeepWords(const Corpus& corpus,
                                 const VocabularyOptions& options);

// Writes the corpus as text: a sentence a line, words separated by a space.
// The file appears whole or not at all; "-" is standard output. Errors:
// InvalidArgument, a word with white space in it; those of writing.
absl::Status SaveText(const Corpus& corpus, const std::string& path);

}  // namespace firth

#endif  // FIRTH_PHRASES_H_
