// The Word Embedding Association Test (WEAT), which measures what vectors
// associate.
//
// Two groups of target words X and Y, such as flowers and insects, and two of
// attributes A and B, such as pleasant and unpleasant words. With
//
//   s(w) = mean of cos(w, a) over A - mean of cos(w, b) over B
//
// the effect is (mean of s over X - mean of s over Y) / s_XY, where s_XY is the
// sample standard deviation of s over all target words: how many of them lie
// between both means, from -2 to 2. Source: Caliskan, Bryson and Narayanan,
// "Semantics derived automatically from language corpora contain human-like
// biases", Science 356, 2017.

#ifndef FIRTH_BIAS_H_
#define FIRTH_BIAS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "firth/query.h"
#include "firth/word_vectors.h"

namespace firth {

class FieldTable;

struct WordGroup {
  std::string name;
  std::vector<std::string> words;
};

struct WeatTest {
  std::string name;
  WordGroup x, y;  // targets
  WordGroup a, b;  // attributes
};

// Reads tests, each a line ": NAME" and then four lines "GROUP: WORD, WORD,
// ...": X, Y, A and B, in this order. Empty lines and lines that start with #
// are skipped. Errors: InvalidArgument, with file and line, also where there is
// no test; NotFound.
absl::StatusOr<std::vector<WeatTest>> LoadWeatTests(const std::string& path);
// The same of a text; messages call it `name`.
absl::StatusOr<std::vector<WeatTest>> ParseWeatTests(absl::string_view text,
                                                     const std::string& name);

struct WeatOptions {
  // p is exact where the target words can be divided into two groups in no
  // more ways than this; else it is estimated from so many random ones, 1 to
  // 100000000.
  uint64_t permutations = 100'000;
  uint64_t seed = 1;  // of the random ones
  UnknownWords unknown = UnknownWords::kSkip;

  static FieldTable Fields();
  absl::Status Validate() const;
};

// A target word and its s(w), from -2 to 2.
struct WeatAssociation {
  std::string word;
  double score;
};

struct WeatResult {
  // NaN where all target words have the same s(w).
  double effect = 0;
  // How often the target words, divided at random into groups of these sizes,
  // would have a difference of means at least as great: one-sided, as in the
  // paper, but with the division that was found among those that count, so that
  // it is never 0 (Phipson and Smyth 2010).
  double p = 1;
  bool exact = false;         // of all divisions
  uint64_t permutations = 0;  // that p was counted of
  std::vector<WeatAssociation> x, y;
  uint64_t num_a = 0, num_b = 0;     // attributes with a vector
  std::vector<std::string> unknown;  // words without, each once
};

// Words are looked up as FindWords() does. A word that stands twice in a group
// counts once. Errors: InvalidArgument, options, a group of which no word has a
// vector, or a word in both groups of targets or of attributes; NotFound, see
// UnknownWords::kError.
absl::StatusOr<WeatResult> MeasureWeat(const WordVectors& vectors,
                                       const WeatTest& test,
                                       const WeatOptions& options);

}  // namespace firth

#endif  // FIRTH_BIAS_H_
