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
#include "firth/answer.h"
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
  double pearson = 0;  // Correlation of the values themselves.
  // 95% interval of `spearman` (Fisher transform, Bonett and Wright 2000).
  std::array<double, 2> interval = {};
  uint64_t asked = 0;
  uint64_t total = 0;
  // Scores and cosines of all pairs, [total] each, in the order of the file.
  // The cosines of skipped pairs are NaN.
  std::vector<double> scores;
  std::vector<double> cosines;
  bool folded = false;  // Whether any word was looked up in lower case.

  static AnswerTable Members() {
    using S = SimilarityResult;
    return {
        {"file", &S::file},
        {"spearman", &S::spearman,
         "rank correlation; null for fewer than 2 pairs"},
        {"pearson", &S::pearson,
         "Pearson's correlation; null for fewer than 2 pairs"},
        {"interval", &S::interval,
         "95% confidence interval of the rank correlation"},
        {"asked", &S::asked, "number of pairs whose words both have vectors"},
        {"total", &S::total, "number of pairs"},
        {"folded", &S::folded, "whether words were converted to lower case"},
        {"scores", &S::scores, "human scores of all pairs"},
        {"cosines", &S::cosines,
         "cosines of all pairs; null if a word has no vector"}};
  }
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
  std::string section;  // Empty for questions before any section.
  uint64_t asked = 0;
  std::array<uint64_t, 2> correct = {};
  double p = 1;

  static AnswerTable Members() {
    using P = PairedAccuracy;
    return {
        {"name", &P::section, "\"total\" for the whole file"},
        {"asked", &P::asked, "number of questions that both models can answer"},
        {"correct", &P::correct, "number of right answers of each model"},
        {"p", &P::p, "two-sided p-value of McNemar's exact test"}};
  }
};

// Compares two results: one entry for each section, then the total. Errors:
// InvalidArgument, the results are from different files (their sections
// differ).
absl::StatusOr<std::vector<PairedAccuracy>> Compare(
    const AnalogyResult& first, const AnalogyResult& second);

// Rank correlations of two models on the pairs that both could answer.
struct PairedCorrelation {
  std::string file;
  uint64_t asked = 0;
  std::array<double, 2> spearman = {};  // NaN for fewer than 2 pairs.
  // Deterministic. At least 1 / 10,001; 1 if a correlation is NaN.
  double p = 1;

  static AnswerTable Members() {
    using P = PairedCorrelation;
    return {{"file", &P::file},
            {"asked", &P::asked, "number of pairs that both models can answer"},
            {"spearman", &P::spearman, "rank correlation of each model"},
            {"p", &P::p,
             "two-sided p-value from 10,000 random exchanges of the models' "
             "ranks"}};
  }
};

// Compares two results. Errors: InvalidArgument, the results are from different
// files (their human scores differ).
absl::StatusOr<PairedCorrelation> Compare(const SimilarityResult& first,
                                          const SimilarityResult& second);

}  // namespace firth

#endif  // FIRTH_EVALUATE_H_
