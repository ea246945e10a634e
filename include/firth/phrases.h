// Phrases: joins words that occur together more often than by chance, such as
// "new york", into one word, "new_york".

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

// Score of the association of words a and b. count() is a number of
// occurrences, and N is the number of all tokens.
enum class PhraseScore {
  // word2vec's score, above 0 (Mikolov et al. 2013, eq. 6): (count(ab) -
  // min_count) * N / (count(a) count(b)).
  kWord2vec,
  // Normalized pointwise mutual information, -1 to 1 (Bouma 2009): ln(p(ab) /
  // (p(a) p(b))) / -ln p(ab).
  kNpmi,
};

struct PhraseOptions {
  PhraseScore score = PhraseScore::kWord2vec;
  // Pairs that score above it are joined; 0 means 100, or 0.5 with kNpmi.
  double threshold = 0;
  uint64_t min_count = 5;  // Minimum occurrences of a, b and ab, at least 1.
  // Number of passes, 1 to 10. Each pass joins pairs in the result of the last
  // one, so phrases have up to 2^passes words.
  int passes = 1;
  std::string delimiter = "_";  // String that joins the words of a phrase.
  // Words such as "of" and "the" that may occur inside a phrase, up to two
  // between a and b, but not begin or end one. They do not count in scores.
  std::vector<std::string> connectors;
  int threads = 0;  // 0 means all cores.
  // Memory for the joined ids in bytes; see CorpusOptions.
  uint64_t memory_bytes = 0;
  std::string temp_dir;

  static FieldTable Fields();
  absl::Status Validate() const;
};

struct Phrase {
  std::string text;  // Text with delimiters.
  uint64_t count = 0;
  double score = 0;
};

struct JoinedCorpus {
  Corpus corpus;  // Words ordered by count; ties keep their order.
  // Phrases of all passes, ordered by pass and then by score.
  std::vector<Phrase> phrases;
};

// Joins phrases from left to right; each token is part of at most one. The
// corpus must contain its tokens, and must have been read with min_count 1 so
// that sentences are complete. The result does not depend on options.threads.
// Errors: InvalidArgument (options), ResourceExhausted (full disk), Cancelled.
absl::StatusOr<JoinedCorpus> JoinPhrases(const Corpus& corpus,
                                         const PhraseOptions& options,
                                         const Hooks& hooks = {});

// Returns the corpus without the words that `options` drops, which its report
// counts. Errors: InvalidArgument, no word is left.
absl::StatusOr<Corpus> KeepWords(const Corpus& corpus,
                                 const VocabularyOptions& options);

// Writes the corpus as text, one sentence per line, with words separated by a
// space. The file appears whole or not at all; "-" is standard output. Errors:
// InvalidArgument, a word contains white space; write errors.
absl::Status SaveText(const Corpus& corpus, const std::string& path);

}  // namespace firth

#endif  // FIRTH_PHRASES_H_
