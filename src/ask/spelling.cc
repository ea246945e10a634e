// Finds words of the vocabulary with a similar spelling, and with the same
// first letters.

#include <string>
#include <vector>

#include "ask/question.h"
#include "ask/words.h"
#include "firth/complete_word.h"
#include "firth/query.h"

namespace firth {
namespace {

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
