// The kinds of questions about words, each a row of a table: nn, analogy,
// similarity, odd, rank, closer, ngrams and vectors. What all of them share
// (the vector file, where questions come from, text and JSON) is in
// query_command.cc. To add a kind, write its row and its answer in
// word_questions.cc, and name its command in commands.cc.

#ifndef FIRTH_TOOLS_QUERY_WORD_QUESTIONS_H_
#define FIRTH_TOOLS_QUERY_WORD_QUESTIONS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "cli/json.h"
#include "command.h"
#include "firth/query.h"

namespace firth::tools {

// A word of a question, with its vector.
struct QuestionWord {
  std::string text;
  std::optional<WordId> id;   // among the words that can be answers
  std::vector<float> vector;  // [dim]
  float weight = 1;
};
struct Question {
  std::string label;  // as it was asked
  std::vector<QuestionWord> words;
};

struct WordsAnswer {
  std::string text;  // whole lines, for PrintStyled()
  Json json;         // without the question
  // The vectors that the answer is, where it is such: a label and [dim].
  std::vector<std::pair<std::string, std::vector<float>>> rows = {};
};

// What questions are asked of, and how.
struct Source {
  std::string path;
  WordVectors vectors;
  std::optional<NearestNeighbors> neighbors;  // of the kinds that rank words
  uint64_t top = 0;
  uint64_t digits = 0;  // decimals of numbers in text
  AnalogyMethod method = AnalogyMethod::kAdd;
  bool n_grams = false;  // vectors of n-grams are wanted, not of words
};

// What a kind of question does with vectors.
enum class Asks {
  kWords,      // compares the words of a question
  kOrder,      // looks how near all words are
  kNeighbors,  // looks for some words: has the options of a ranking
  kNGrams,     // looks at n-grams, which the model must have
  kVectors,    // gives them out
};

struct QuestionKind {
  absl::string_view command;
  absl::string_view summary;
  absl::string_view synopsis;
  absl::string_view description;
  absl::string_view prompt;
  // A question has from `low` to `high` words. Where it has one, each word of
  // a line is a question.
  size_t low;
  size_t high;
  Asks asks = Asks::kWords;
  bool sums = false;       // a sum of words is a question, too
  bool by_method = false;  // has --method
  bool decimals = false;   // its text has cosines or norms: has --digits
  // The answers to questions that came together, in their order. `labelled`:
  // the text must say what was asked, since more answers follow.
  std::vector<WordsAnswer> (*answer)(const Source& source,
                                     absl::Span<const Question> questions,
                                     bool labelled);
};

// The command that answers questions of this kind, which outlives it.
std::unique_ptr<Command> MakeQuery(const QuestionKind& kind);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_QUERY_WORD_QUESTIONS_H_
