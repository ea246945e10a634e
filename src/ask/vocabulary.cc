// Looks words up in the vocabulary of a model: the vectors of words and of
// their n-grams, words with a similar spelling, and words with the same first
// letters.

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ask/question.h"
#include "ask/words.h"
#include "firth/complete_word.h"
#include "firth/query.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

// Maximum number of bytes of a word. The answer may have a vector for each of
// its n-grams.
constexpr double kMostNGramBytes = 1000;

struct VectorRequest {
  std::string word;
  WordLookup lookup;

  static FieldTable Fields() {
    FieldsOf<VectorRequest> fields;
    fields.Add("word", &VectorRequest::word, "word whose vector is returned")
        .AtLeast(1);
    fields.Part(&VectorRequest::lookup);
    return fields;
  }
};

struct VectorAnswer : LookedUp {
  std::string word;
  std::optional<std::vector<float>> vector;  // [dim]

  static AnswerTable Members() {
    return WithLookUp(
        {{"word", &VectorAnswer::word},
         {"vector", &VectorAnswer::vector,
          "one number per dimension, or null if the word has no vector"}});
  }
};

absl::StatusOr<VectorAnswer> FindVector(const Opened& opened,
                                        const VectorRequest& request) {
  VectorAnswer answer{{}, request.word, std::nullopt};
  FIRTH_ASSIGN_OR_RETURN(
      std::vector<FoundWord> words,
      LookUp(opened.vectors(), {request.word}, request.lookup, &answer));
  if (!words.empty()) answer.vector = std::move(words[0].vector);
  return answer;
}

struct NGramsRequest {
  std::string word;
  bool vectors = false;

  static FieldTable Fields() {
    FieldsOf<NGramsRequest> fields;
    fields.Add("word", &NGramsRequest::word, "word, which may be unknown")
        .Range(1, kMostNGramBytes);
    fields.Add("vectors", &NGramsRequest::vectors,
               "also return the vectors of the n-grams");
    return fields;
  }
};

struct NGram {
  std::string ngram;
  float norm = 0;
  std::optional<std::vector<float>> vector;  // [dim]

  static AnswerTable Members() {
    return {{"ngram", &NGram::ngram},
            {"norm", &NGram::norm, "length of its vector"},
            {"vector", &NGram::vector,
             "one number per dimension, or null if `vectors` is false"}};
  }
};

struct NGramsAnswer {
  std::string query;
  std::vector<NGram> ngrams;

  static AnswerTable Members() {
    return {{"query", &NGramsAnswer::query, "word of the request",
             Listing::kInJson},
            {"ngrams", &NGramsAnswer::ngrams, "n-grams in order"}};
  }
};

float Norm(absl::Span<const float> vector) {
  double squares = 0;
  for (const float value : vector) squares += double{value} * value;
  return static_cast<float>(std::sqrt(squares));
}

absl::StatusOr<NGramsAnswer> FindNGrams(const Opened& opened,
                                        const NGramsRequest& request) {
  const SubwordTables* const subwords = opened.vectors().vectors().subwords();
  if (subwords == nullptr) {
    return absl::InvalidArgumentError("the model has no n-grams");
  }
  NGramsAnswer answer{request.word, {}};
  for (NGramVector& found : NGramVectors(*subwords, request.word)) {
    NGram& ngram = answer.ngrams.emplace_back();
    ngram.ngram = std::move(found.n_gram);
    ngram.norm = Norm(found.vector);
    if (request.vectors) ngram.vector = std::move(found.vector);
  }
  return answer;
}

// Maximum number of bytes of a word whose spelling is compared. Each byte adds
// to the cost of the comparison with all words.
constexpr size_t kMostTypedBytes = 256;

struct SpellingRequest {
  std::string word;
  uint64_t top = 5;

  static FieldTable Fields() {
    FieldsOf<SpellingRequest> fields;
    fields.Add("word", &SpellingRequest::word, "word, which may be unknown")
        .AtLeast(1);
    AddTop("maximum number of answers", &fields, 1000);
    return fields;
  }
};

struct SpellingAnswer {
  std::string query;
  std::vector<std::string> spellings;

  static AnswerTable Members() {
    return {{"query", &SpellingAnswer::query, "word of the request",
             Listing::kInJson},
            {"spellings", &SpellingAnswer::spellings,
             "words of the model, best first"}};
  }
};

absl::StatusOr<SpellingAnswer> FindSpellings(const Opened& opened,
                                             const SpellingRequest& request) {
  const Vocabulary& vocabulary = opened.vectors().vectors().vocabulary();
  SpellingAnswer answer{request.word, {}};
  if (request.word.size() > kMostTypedBytes) return answer;
  for (const WordId id :
       ClosestSpellings(vocabulary, request.word, request.top)) {
    answer.spellings.emplace_back(vocabulary.Word(id));
  }
  return answer;
}

struct WordsRequest {
  std::string prefix;
  uint64_t top = 10;

  static FieldTable Fields() {
    FieldsOf<WordsRequest> fields;
    fields.Add("prefix", &WordsRequest::prefix,
               "first letters of the words; if empty, all words match");
    AddTop("maximum number of answers", &fields);
    return fields;
  }
};

struct CountedWord {
  std::string word;
  uint64_t id = 0;
  uint64_t count = 0;

  static AnswerTable Members() {
    return {{"word", &CountedWord::word},
            {"id", &CountedWord::id, "position in the vocabulary",
             Listing::kInJson},
            {"count", &CountedWord::count,
             "occurrences in the training text, 0 if not known"}};
  }
};

struct WordsAnswer {
  std::string query;
  uint64_t total = 0;
  std::vector<CountedWord> words;

  static AnswerTable Members() {
    return {{"query", &WordsAnswer::query, "prefix of the request",
             Listing::kInJson},
            {"total", &WordsAnswer::total, "number of words with this prefix",
             Listing::kInJson},
            {"words", &WordsAnswer::words, "most frequent words first"}};
  }
};

absl::StatusOr<WordsAnswer> FindWords(const Opened& opened,
                                      const WordsRequest& request) {
  const Vocabulary& vocabulary = opened.vectors().vectors().vocabulary();
  const Completions found =
      CompleteWord(vocabulary, request.prefix, request.top);
  WordsAnswer answer{request.prefix, found.count, {}};
  for (const absl::string_view word : found.words) {
    const WordId id = *vocabulary.Find(word);
    answer.words.push_back(
        {std::string(word), Index(id), vocabulary.Count(id)});
  }
  return answer;
}

}  // namespace

Question VectorsQuestion() {
  return MakeQuestion<VectorRequest, VectorAnswer>(
      {.name = "vectors",
       .summary = "get the vectors of words",
       .description =
           "Returns the vector of a word. Unknown words get a vector from "
           "their n-grams if the model has them.\n\n"
           "  firth vectors model.safetensors king queen\n"
           "  firth vectors model.safetensors --output rows.npy <words.txt",
       .slots = {VectorsSlot(VectorAccess::kGivenWords)},
       .example = R"({"word":"king"})",
       .arguments = {"word"}},
      &FindVector, [](const Opened& opened, const VectorRequest&) {
        return opened.vectors().vectors().dim() * kNumberBytes;
      });
}

Question NGramsQuestion() {
  return MakeQuestion<NGramsRequest, NGramsAnswer>(
      {.name = "ngrams",
       .summary = "list the n-grams of words and the norms of their vectors",
       .description =
           "Lists the character n-grams of a word in order, each with the norm "
           "of its vector. N-grams that do not occur in the model have norm "
           "0.\n\n"
           "  firth ngrams model.safetensors unhappiness\n"
           "  firth ngrams model.safetensors --vectors unhappiness",
       .slots = {VectorsSlot(VectorAccess::kGivenWords)},
       .example = R"({"word":"unhappiness"})",
       .arguments = {"word"}},
      &FindNGrams, [](const Opened& opened, const NGramsRequest& request) {
        const uint64_t dim =
            request.vectors ? opened.vectors().vectors().dim() : 0;
        // Most models have n-grams of at most four different lengths.
        return 4 * request.word.size() *
               (kScoredWordBytes + dim * kNumberBytes);
      });
}

Question SpellingQuestion() {
  return MakeQuestion<SpellingRequest, SpellingAnswer>(
      {.name = "spelling",
       .summary = "find the words of the model with the most similar spelling",
       .description =
           "Finds words of the vocabulary that differ from a word in only a "
           "few letters. Words with the fewest differences come first, and "
           "among these the most frequent.\n\n"
           "  firth spelling model.safetensors kingdm",
       .slots = {VectorsSlot(VectorAccess::kGivenWords)},
       .example = R"({"word":"quen"})",
       .arguments = {"word"}},
      &FindSpellings, [](const Opened& opened, const SpellingRequest&) {
        // Comparing the spelling with one word counts as one byte.
        return opened.vectors().vectors().size();
      });
}

Question WordsQuestion() {
  return MakeQuestion<WordsRequest, WordsAnswer>(
      {.name = "words",
       .summary = "find words by their first letters",
       .description =
           "Finds the most frequent words of the vocabulary that begin with "
           "the prefix.\n\n"
           "  firth words model.safetensors qu",
       .slots = {VectorsSlot(VectorAccess::kGivenWords)},
       .example = R"({"prefix":"qu","top":3})",
       .arguments = {"prefix"}},
      &FindWords, [](const Opened&, const WordsRequest& request) {
        return request.top * kScoredWordBytes;
      });
}

}  // namespace firth
