// Looks up the words of a request, by the same rules for all questions.
//
// A word has its own vector or, if it is unknown and the model has n-grams, a
// vector that is composed of these. A word without a vector is listed in the
// answer, with words of a similar spelling. Whether the request is then
// answered for its other words depends on the question.

#ifndef FIRTH_ASK_WORDS_H_
#define FIRTH_ASK_WORDS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/answer.h"
#include "firth/ask.h"
#include "firth/fields.h"
#include "firth/query.h"
#include "firth/tagged_text.h"

namespace firth {

// Adds a field that is a list of words.
template <class Request, class Words>
Field& AddWords(absl::string_view name, Words Request::*member,
                absl::string_view help, FieldsOf<Request>* fields) {
  return fields->Add(name, member, help).ValueName("WORD,WORD...");
}

// Adds the field "top", the number of answers, from 1 to `most`.
template <class Request>
void AddTop(absl::string_view help, FieldsOf<Request>* fields,
            double most = 1000000) {
  fields->Add("top", &Request::top, help).Range(1, most);
}

// The field "oov" of a request.
struct WordLookup {
  static FieldTable Fields();

  UnknownWords unknown = UnknownWords::kSubword;
};

// The fields "word", "other" and "oov" of a request about two words.
struct TwoWords {
  std::string word;
  std::string other;
  WordLookup lookup;

  static FieldTable Fields() {
    FieldsOf<TwoWords> fields;
    fields.Add("word", &TwoWords::word, "first word").AtLeast(1);
    fields.Add("other", &TwoWords::other, "word to compare with the first word")
        .AtLeast(1);
    fields.Part(&TwoWords::lookup);
    return fields;
  }
};

// The members "unknown" and "composed" of an answer, which LookUp() fills.
struct LookedUp {
  std::vector<UnknownWord> unknown;
  std::vector<std::string> composed;
};
// Does the same for the member "query".
struct QueryAnswer : LookedUp {
  std::string query;
};
// Return the members of an answer that derives from LookedUp or QueryAnswer:
// "query", `members`, "unknown" and "composed".
AnswerTable WithLookUp(AnswerTable members);
AnswerTable WithQuery(AnswerTable members);

struct FoundWord {
  std::string word;
  std::optional<WordId> id;   // Empty if the vector is composed or was given.
  std::vector<float> vector;  // [dim]
};

class WordFinder {
 public:
  WordFinder(const WordVectors& vectors, const WordLookup& lookup)
      : vectors_(vectors), lookup_(lookup) {}

  // Returns a word with its vector, or nothing if it has none; unknown() then
  // lists it. Errors: InvalidArgument, a value of the vector is not finite;
  // NotFound, the word is unknown and `oov` is error.
  absl::StatusOr<std::optional<FoundWord>> Find(const std::string& word);
  // Returns the words of a list that have a vector.
  absl::StatusOr<std::vector<FoundWord>> FindAll(
      absl::Span<const std::string> words);
  // Does the same for a term, which may be a vector itself. Errors: also
  // InvalidArgument, a vector with another number of dimensions.
  absl::StatusOr<std::optional<FoundWord>> Find(const WordOrVector& term);
  // Adds a word that was looked up elsewhere to unknown().
  void AddUnknown(const std::string& word);

  bool all_known() const { return unknown_.empty(); }
  // Returns the words without a vector, each once. The first few have similar
  // spellings, which are searched for in the whole vocabulary.
  std::vector<UnknownWord> unknown() const;
  // Returns the words whose vectors are composed of n-grams, each once.
  const std::vector<std::string>& composed() const { return composed_; }

 private:
  const WordVectors& vectors_;
  const WordLookup& lookup_;
  std::vector<std::string> unknown_;
  std::vector<std::string> composed_;
};

// Returns unknown words with similar spellings from the vocabulary. Only the
// first few words have such spellings.
std::vector<UnknownWord> WithSpellings(const Vocabulary& vocabulary,
                                       absl::Span<const std::string> words);

// Returns the ids of words among the candidates of a search, which may be a
// subset of the model's words. Composed words and vectors have no id.
std::vector<WordId> IdsOf(const NearestNeighbors& search,
                          absl::Span<const FoundWord> words);

// A word with its score, as listed by most answers.
struct ScoredWord {
  std::string word;
  uint64_t id = 0;
  float score = 0;
  uint64_t count = 0;

  static AnswerTable Members() {
    return {
        {"word", &ScoredWord::word},
        {"id", &ScoredWord::id, "position in the vocabulary", Listing::kInJson},
        {"score", &ScoredWord::score},
        {"count", &ScoredWord::count,
         "occurrences in the training text, 0 if not known", Listing::kInJson}};
  }
};

// A word with only its score.
struct WordScore {
  std::string word;
  float score = 0;

  static AnswerTable Members() {
    return {{"word", &WordScore::word}, {"score", &WordScore::score}};
  }
};

// Converts the results of one of the model's searches.
std::vector<ScoredWord> ScoredWords(const OpenedVectors& model,
                                    const NearestNeighbors& search,
                                    absl::Span<const Neighbor> neighbors);
// Approximate size of a ScoredWord in JSON, in bytes.
constexpr uint64_t kScoredWordBytes = 64;
// Returns the bytes of JSON that `top` words take, or all words if the model
// has fewer; see Question::size_of.
uint64_t SizeOfWords(const Opened& opened, uint64_t top);
// Returns the cost of comparing a vector with all words, in bytes of JSON; see
// Question::size_of.
uint64_t SizeOfScan(const Opened& opened);
// Approximate size of a number in a JSON list, in bytes.
constexpr uint64_t kNumberBytes = 12;

// The answer of questions that search for words.
struct RankedWords : QueryAnswer {
  std::vector<ScoredWord> neighbors;

  static AnswerTable Members() {
    return WithQuery({{"neighbors", &RankedWords::neighbors,
                       "words with their scores, best first"}});
  }
};

// Looks up all words of a request and fills the members "unknown" and
// "composed" of its answer, and "query" if there is one. Errors: see
// WordFinder::Find().
template <class Answer>
absl::StatusOr<std::vector<FoundWord>> LookUp(
    const OpenedVectors& model, absl::Span<const std::string> words,
    const WordLookup& lookup, Answer* answer) {
  WordFinder finder(model.vectors(), lookup);
  auto found = finder.FindAll(words);
  answer->unknown = finder.unknown();
  answer->composed = finder.composed();
  if constexpr (requires { answer->query; })
    answer->query = absl::StrJoin(words, " ");
  return found;
}
template <class Answer>
absl::StatusOr<std::vector<FoundWord>> LookUp(const OpenedVectors& model,
                                              const TwoWords& request,
                                              Answer* answer) {
  return LookUp(model, {request.word, request.other}, request.lookup, answer);
}

// The fields "text" and "words" of a request: a sentence whose tokens are given
// as one text or as a list.
struct SentenceRequest {
  std::string text;
  std::vector<std::string> words;

  static FieldTable Fields() {
    FieldsOf<SentenceRequest> fields;
    fields.Add("text", &SentenceRequest::text,
               "sentence, with tokens separated by white space");
    AddWords("words", &SentenceRequest::words,
             "tokens of the sentence, instead of its text", &fields);
    return fields;
  }
  // Returns `words` or, if empty, those of `text`.
  std::vector<std::string> Tokens() const {
    return words.empty() ? SplitTokens(text) : words;
  }
  // Returns the cost of a model's work; see Question::size_of. Computing a
  // token costs more than writing its part of the answer.
  static uint64_t Size(const Opened&, const SentenceRequest& request) {
    return request.Tokens().size() * uint64_t{512};
  }
};

// Return views of the tokens of a sentence, and of each of several sentences.
inline std::vector<absl::string_view> Borrow(
    const std::vector<std::string>& tokens) {
  return {tokens.begin(), tokens.end()};
}
inline std::vector<std::vector<absl::string_view>> Borrow(
    const std::vector<std::vector<std::string>>& sentences) {
  std::vector<std::vector<absl::string_view>> borrowed;
  for (const auto& tokens : sentences) borrowed.push_back(Borrow(tokens));
  return borrowed;
}

}  // namespace firth

#endif  // FIRTH_ASK_WORDS_H_
