// Evaluates vectors on standard test sets, and compares two models on them.

#ifndef FIRTH_EVALUATE_H_
#define FIRTH_EVALUATE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "firth/proportions.h"
#include "firth/query.h"
#include "firth/word_vectors.h"

namespace firth {

class FieldTable;

struct EvaluateOptions {
  // Number of most frequent words that are candidate answers; 0 means all.
  // Questions with a rarer word are skipped.
  size_t restrict = 0;
  // Whether to convert the words of the test set to lower case (Unicode). This
  // is always done if IsLowercase(vocabulary).
  bool lowercase = false;
  AnalogyMethod method = AnalogyMethod::kAdd;
  // Handling of unknown words. With `restrict`, analogies with a word that is
  // not in the vocabulary are skipped even if it has n-grams.
  UnknownWords unknown = UnknownWords::kSkip;

  static FieldTable Fields();
};

struct AnalogySection {
  std::string name;  // Empty for questions before any ": name" line.
  uint64_t correct = 0;
  // Questions whose four words all have vectors and whose answer is in the
  // vocabulary.
  uint64_t asked = 0;
  uint64_t total = 0;
};
enum class AnalogyOutcome : uint8_t { kNotAsked, kWrong, kRight };
struct AnalogyResult {
  std::string file;
  // Outcomes of all questions, [total], section by section.
  std::vector<AnalogyOutcome> outcomes;
  // The words, as they were looked up, of each question whose outcome is
  // kWrong, in order.
  std::vector<std::array<std::string, 4>> wrong;
  std::vector<AnalogySection> sections;
  uint64_t correct = 0;
  uint64_t asked = 0;
  uint64_t total = 0;
  // Whether any word of the file was looked up in lower case.
  bool folded = false;
};

// Reads an analogy file and answers all its questions. Lines are ": section" or
// four words; sections are optional. Empty lines and lines that start with #
// are skipped. Errors: with file and line; Cancelled.
absl::StatusOr<AnalogyResult> EvaluateAnalogies(const WordVectors& vectors,
                                                const std::string& path,
                                                const EvaluateOptions& options,
                                                const Hooks& hooks = {});
// Answers questions in memory, in the format of EvaluateAnalogies(). Error
// messages call the text "questions".
absl::StatusOr<AnalogyResult> EvaluateAnalogyText(
    const WordVectors& vectors, absl::string_view questions,
    const EvaluateOptions& options);

struct SimilarityResult {
  std::string file;
  // Rank correlation, with average ranks for ties; NaN for fewer than 2 pairs.
  double spearman = 0;
  double low = 0;  // 95% interval (Fisher transform, Bonett and Wright 2000).
  double high = 0;
  uint64_t asked = 0;  // Pairs whose words both have vectors.
  uint64_t total = 0;
  // Scores and cosines of all pairs, [total] each, in the order of the file.
  // The cosines of skipped pairs are NaN.
  std::vector<double> scores;
  std::vector<double> cosines;
  // Whether any word of the file was looked up in lower case.
  bool folded = false;
};

// Reads a word-similarity file and correlates its scores with the cosines. Each
// line holds two words and a score; further columns are ignored. Columns are
// separated by tabs, otherwise by commas or semicolons, otherwise by spaces. A
// first line whose third column is not a number is a header; if the header's
// first column is empty, every line starts with its number. # starts a comment
// line. Errors: with file and line. options.restrict has no effect, because
// nothing is searched.
absl::StatusOr<SimilarityResult> EvaluateSimilarity(
    const WordVectors& vectors, const std::string& path,
    const EvaluateOptions& options, const Hooks& hooks = {});

// Accuracy of two models on the questions that both could answer.
struct PairedAccuracy {
  // Empty for questions before any section; "total" for all questions.
  std::string section;
  uint64_t asked = 0;
  uint64_t first_correct = 0;
  uint64_t second_correct = 0;
  // Probability of a difference at least this large if the models are equally
  // good: McNemar's exact test (1947), two-sided.
  double p = 1;
};

// Compares two results: one entry for each section, then the total. Errors:
// InvalidArgument, the results are from different files (their sections
// differ).
absl::StatusOr<std::vector<PairedAccuracy>> Compare(
    const AnalogyResult& first, const AnalogyResult& second);

struct PairedCorrelation {
  uint64_t asked = 0;
  double first = 0;  // Spearman's rank correlation; NaN for fewer than 2 pairs.
  double second = 0;
  // Two-sided p value from 10,000 random exchanges of the two models' ranks of
  // a pair. Deterministic. At least 1 / 10,001; 1 if a correlation is NaN.
  double p = 1;
};

// Compares two results. Errors: InvalidArgument, the results are from different
// files (their human scores differ).
absl::StatusOr<PairedCorrelation> Compare(const SimilarityResult& first,
                                          const SimilarityResult& second);

}  // namespace firth

#endif  // FIRTH_EVALUATE_H_
