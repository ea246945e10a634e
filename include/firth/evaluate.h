// Evaluation on the field's test sets, and which of two models is better there.

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
  size_t restrict = 0;     // answers among the N most frequent words; 0: all.
                           // Questions with a word beyond are not asked.
  bool lowercase = false;  // fold the words of the test set (Unicode), as is
                           // done anyway where IsLowercase(vocabulary)
  AnalogyMethod method = AnalogyMethod::kAdd;
  // With `restrict`, unknown words of analogies are beyond it.
  UnknownWords unknown = UnknownWords::kSkip;

  static FieldTable Fields();
};

struct AnalogySection {
  std::string name;  // empty for questions before any ": name" line
  uint64_t correct = 0;
  uint64_t asked = 0;  // all four words have vectors, the last is known
  uint64_t total = 0;
};
enum class AnalogyOutcome : uint8_t { kNotAsked, kWrong, kRight };
struct AnalogyResult {
  std::string file;
  std::vector<AnalogyOutcome> outcomes;  // [total], section after section
  // The words, as they were looked up, of each question whose outcome is
  // kWrong, in their order.
  std::vector<std::array<std::string, 4>> wrong;
  std::vector<AnalogySection> sections;
  uint64_t correct = 0;
  uint64_t asked = 0;
  uint64_t total = 0;
  bool folded = false;  // a word of the file was looked up in lower case
};

// Reads a questions-words file (": section" lines, else four words a line;
// sections are optional; empty lines and lines that start with # are skipped)
// and answers all questions. Errors name file and line; Cancelled.
absl::StatusOr<AnalogyResult> EvaluateAnalogies(const WordVectors& vectors,
                                                const std::string& path,
                                                const EvaluateOptions& options,
                                                const Hooks& hooks = {});
// The same of questions in memory, as if in a file called "questions".
absl::StatusOr<AnalogyResult> EvaluateAnalogyText(
    const WordVectors& vectors, absl::string_view questions,
    const EvaluateOptions& options);

struct SimilarityResult {
  std::string file;
  double spearman = 0;  // rank correlation, average ranks for ties; NaN if < 2
  double low = 0;  // 95% interval (Fisher transform, Bonett and Wright 2000)
  double high = 0;
  uint64_t asked = 0;  // pairs of words with vectors
  uint64_t total = 0;
  // [total] each, in the order of the file; cosines of pairs that were not
  // asked are NaN.
  std::vector<double> scores;
  std::vector<double> cosines;
  bool folded = false;  // a word of the file was looked up in lower case
};

// Reads a word-similarity file (word, word, score, more columns are ignored;
// separated by tabs, else commas or semicolons, else spaces; a header is a
// first line whose third column is no number; where its first column is empty,
// the lines start with their number; # starts a comment line). Errors name file
// and line. options.restrict is not used: there is no search.
absl::StatusOr<SimilarityResult> EvaluateSimilarity(
    const WordVectors& vectors, const std::string& path,
    const EvaluateOptions& options, const Hooks& hooks = {});

// One line of JSON, as "firth eval --json" and the C interface tell it: file,
// correct, asked, total, accuracy, interval [low, high], folded, sections (each
// with name, correct, asked, total). What is no number is null.
std::string ReportJson(const AnalogyResult& result);
// Likewise: file, spearman, interval, asked, total, folded, scores, cosines.
std::string ReportJson(const SimilarityResult& result);

// Two models on the questions that both could be asked.
struct PairedAccuracy {
  std::string section;  // empty: of questions before any; "total": of all
  uint64_t asked = 0;
  uint64_t first_correct = 0;
  uint64_t second_correct = 0;
  // How often a difference at least so great comes by chance if the models are
  // equally good: McNemar's exact test (1947), two-sided.
  double p = 1;
};

// A result for each section, then the total. Errors: InvalidArgument, results
// with other sections: they must be of one file.
absl::StatusOr<std::vector<PairedAccuracy>> Compare(
    const AnalogyResult& first, const AnalogyResult& second);

struct PairedCorrelation {
  uint64_t asked = 0;
  double first = 0;  // Spearman's rank correlation; NaN if < 2
  double second = 0;
  // Probability of a difference at least this large if both models were equally
  // good, from 10,000 random exchanges of the two models' ranks of a pair. The
  // same results give the same value. At least 1 / 10,001; 1 if a correlation
  // is NaN.
  double p = 1;
};

// Errors: InvalidArgument, results with other scores of people: they must be of
// one file.
absl::StatusOr<PairedCorrelation> Compare(const SimilarityResult& first,
                                          const SimilarityResult& second);

}  // namespace firth

#endif  // FIRTH_EVALUATE_H_
