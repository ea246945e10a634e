// The words of a request, looked up by one rule for all questions.
//
// A word has its own vector or, if it is unknown and the model has n-grams, one
// composed of these. A word without a vector is listed in the answer, with
// words of similar spelling. Whether the other words have an answer of their
// own depends on the question.

#ifndef FIRTH_ASK_WORDS_H_
#define FIRTH_ASK_WORDS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "firth/answer.h"
#include "firth/ask.h"
#include "firth/fields.h"
#include "firth/query.h"

namespace firth {

// The field "oov" of a request.
struct WordLookup {
  static FieldTable Fields();

  UnknownWords unknown = UnknownWords::kSubword;
};

struct FoundWord {
  std::string word;
  std::optional<WordId> id;   // Empty if the vector is composed or was given.
  std::vector<float> vector;  // [dim]
};

class WordFinder {
 public:
  WordFinder(const WordVectors& vectors, const WordLookup& lookup)
      : vectors_(vectors), lookup_(lookup) {}

  // Returns nothing for a word without a vector, which unknown() then lists.
  // Errors: InvalidArgument, a value of the vector is not finite; NotFound, the
  // word is unknown and the request asked for an error.
  absl::StatusOr<std::optional<FoundWord>> Find(const std::string& word);
  // Returns those words of a list that have a vector.
  absl::StatusOr<std::vector<FoundWord>> FindAll(
      absl::Span<const std::string> words);
  // Returns the vector of a term, which may be a vector itself. Errors: also
  // InvalidArgument, a vector of another dimension, or all zeros.
  absl::StatusOr<std::optional<FoundWord>> Find(const WordOrVector& term);

  bool all_known() const { return unknown_.empty(); }
  // Returns the words without a vector, each once. The first ones have
  // spellings; finding these compares with the whole vocabulary.
  std::vector<UnknownWord> unknown() const;
  // Returns the words whose vectors are composed of n-grams, each once.
  const std::vector<std::string>& composed() const { return composed_; }

 private:
  const WordVectors& vectors_;
  const WordLookup& lookup_;
  std::vector<std::string> unknown_;
  std::vector<std::string> composed_;
};

// Returns words that are not in a vocabulary with words of it that are spelled
// like them. Only the first ones have some.
std::vector<UnknownWord> WithSpellings(const Vocabulary& vocabulary,
                                       absl::Span<const std::string> words);

// Returns the vectors of words, for the functions of firth/query.h.
std::vector<absl::Span<const float>> VectorsOf(
    absl::Span<const FoundWord> words);
// Returns the ids of those words that have one.
std::vector<WordId> IdsOf(absl::Span<const FoundWord> words);

// Returns words as they were asked, separated by spaces.
std::string QueryText(absl::Span<const std::string> words);

// A word with its score, as most answers list them.
struct ScoredWord {
  static AnswerTable Members();

  std::string word;
  uint64_t id = 0;
  float score = 0;
  uint64_t count = 0;
};

// A word with nothing but its score.
struct WordScore {
  static AnswerTable Members();

  std::string word;
  float score = 0;
};

std::vector<ScoredWord> ScoredWords(const Vocabulary& vocabulary,
                                    absl::Span<const Neighbor> neighbors);
// Bytes of JSON that a ScoredWord takes.
constexpr uint64_t kScoredWordBytes = 64;

// The answer of questions that search for words.
struct RankedWords {
  static AnswerTable Members();

  std::string query;
  std::vector<ScoredWord> neighbors;
  std::vector<UnknownWord> unknown;
  std::vector<std::string> composed;
};

// Adds the members "unknown" and "composed" to the table of an answer.
template <class Answer>
void AddLookup(AnswerTable* table) {
  table
      ->Add<&Answer::unknown>(
          "unknown",
          "words without a vector; the first ones with words of the model that "
          "have a similar spelling")
      .Unlisted();
  table
      ->Add<&Answer::composed>("composed",
                               "words whose vectors are built from n-grams")
      .Unlisted();
}

}  // namespace firth

#endif  // FIRTH_ASK_WORDS_H_
