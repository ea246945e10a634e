// Measures associations in vectors: the Word Embedding Association Test (WEAT).
//
// Take two groups of target words X and Y, such as flowers and insects, and two
// groups of attribute words A and B, such as pleasant and unpleasant words.
// With
//
//   s(w) = mean of cos(w, a) over A - mean of cos(w, b) over B
//
// the effect is (mean of s over X - mean of s over Y) / s_XY, where s_XY is the
// sample standard deviation of s over all target words. The effect is thus the
// distance between the two means in standard deviations, from -2 to 2.
//
// Source: Caliskan, Bryson and Narayanan, "Semantics derived automatically from
// language corpora contain human-like biases", Science 356, 2017.

#ifndef FIRTH_BIAS_H_
#define FIRTH_BIAS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "firth/progress.h"
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
  WordGroup x, y;  // The two groups of target words.
  WordGroup a, b;  // The two groups of attribute words.
};

// Reads tests. Each test is a line ": NAME" followed by four lines "GROUP:
// WORD, WORD, ..." for X, Y, A and B, in this order. Empty lines and lines that
// start with # are skipped. Errors: InvalidArgument, with file and line, also
// if there is no test; NotFound.
absl::StatusOr<std::vector<WeatTest>> LoadWeatTests(const std::string& path);
// Parses tests from a text in the format of LoadWeatTests(). Error messages use
// `name` as the file name.
absl::StatusOr<std::vector<WeatTest>> ParseWeatTests(absl::string_view text,
                                                     const std::string& name);

struct WeatOptions {
  // Maximum number of divisions of the target words that are enumerated, 1 to
  // 100000000. If there are no more than this, p is exact. Otherwise p is
  // estimated from this many random divisions.
  uint64_t permutations = 100'000;
  uint64_t seed = 1;  // Seed of the random divisions.
  UnknownWords unknown = UnknownWords::kSkip;

  static FieldTable Fields();
  absl::Status Validate() const;
};

// A target word and its score s(w), from -2 to 2.
struct WeatAssociation {
  std::string word;
  double score;
};

struct WeatResult {
  // The effect size. NaN if all target words have the same s(w).
  double effect = 0;
  // One-sided p value: how often random groups of the same sizes have a
  // difference of means at least as large. The observed division is counted
  // among them, unlike in the paper, so that p is never 0 (Phipson and Smyth
  // 2010).
  double p = 1;
  bool exact = false;         // Whether p was computed over all divisions.
  uint64_t permutations = 0;  // Number of divisions from which p was computed.
  std::vector<WeatAssociation> x, y;
  uint64_t num_a = 0, num_b = 0;     // Attribute words with a vector.
  std::vector<std::string> unknown;  // Words without a vector, each once.
};

// Runs a WEAT test. Words are looked up as in FindWords(). A word that occurs
// twice in a group counts once. Errors: InvalidArgument, bad options, a group
// in which no word has a vector, or a word in both groups of targets or of
// attributes; NotFound, see UnknownWords::kError; Cancelled.
absl::StatusOr<WeatResult> MeasureWeat(const WordVectors& vectors,
                                       const WeatTest& test,
                                       const WeatOptions& options,
                                       const Hooks& hooks = {});

}  // namespace firth

#endif  // FIRTH_BIAS_H_
