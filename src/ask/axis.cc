// Computes the positions of words on a semantic axis, such as the one from man
// to woman (firth/semantic_axis.h).

#include "firth/semantic_axis.h"

#include <algorithm>
#include <string>
#include <vector>

#include "ask/question.h"
#include "ask/words.h"
#include "firth/query.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

struct AxisRequest {
  std::vector<std::string> from;
  std::vector<std::string> to;
  std::vector<std::string> words;
  uint64_t top = 100;
  WordLookup lookup;

  static FieldTable Fields() {
    FieldsOf<AxisRequest> fields;
    AddWords("from", &AxisRequest::from, "words at the beginning of the axis",
             &fields)
        .Range(1, 1000);
    AddWords("to", &AxisRequest::to, "words at the end of the axis", &fields)
        .Range(1, 1000);
    AddWords("words", &AxisRequest::words,
             "words to place on the axis; if none are given, the most frequent "
             "words are placed",
             &fields);
    AddTop("number of most frequent words, if no words are given", &fields);
    fields.Part(&AxisRequest::lookup);
    return fields;
  }
};

struct PlacedWord {
  std::string word;
  float position = 0;

  static AnswerTable Members() {
    return {
        {"word", &PlacedWord::word},
        {"position", &PlacedWord::position,
         "cosine with the axis: negative toward its beginning, positive toward "
         "its end"}};
  }
};

struct AxisAnswer : LookedUp {
  std::vector<PlacedWord> words;

  static AnswerTable Members() {
    return WithLookUp(
        {{"words", &AxisAnswer::words,
          "words that have a vector, in the order of the request or most "
          "frequent first"}});
  }
};

// Adds the unknown and the composed words of one side to the answer. Returns
// whether any word of the side has a vector.
absl::StatusOr<bool> CheckSide(const WordVectors& vectors,
                               absl::Span<const std::string> side,
                               UnknownWords unknown, WordFinder* finder) {
  FIRTH_ASSIGN_OR_RETURN(const FoundWords found,
                         FindWords(vectors, side, unknown));
  for (const std::string& word : found.unknown) finder->AddUnknown(word);
  for (const std::string& word : found.words) {
    FIRTH_RETURN_IF_ERROR(finder->Find(word).status());
  }
  return !found.words.empty();
}

absl::StatusOr<std::vector<FoundWord>> WordsToPlace(const WordVectors& vectors,
                                                    const AxisRequest& request,
                                                    WordFinder* finder) {
  if (!request.words.empty()) return finder->FindAll(request.words);
  std::vector<std::string> frequent;
  for (size_t i = 0; i < std::min<size_t>(request.top, vectors.size()); ++i) {
    frequent.emplace_back(vectors.vocabulary().Word(ToWordId(i)));
  }
  return finder->FindAll(frequent);
}

absl::StatusOr<AxisAnswer> PlaceWords(const Opened& opened,
                                      const AxisRequest& request) {
  const WordVectors& vectors = opened.vectors().vectors();
  const UnknownWords unknown = request.lookup.unknown;
  WordFinder finder(vectors, request.lookup);
  FIRTH_ASSIGN_OR_RETURN(const bool has_from,
                         CheckSide(vectors, request.from, unknown, &finder));
  FIRTH_ASSIGN_OR_RETURN(const bool has_to,
                         CheckSide(vectors, request.to, unknown, &finder));
  FIRTH_ASSIGN_OR_RETURN(const std::vector<FoundWord> words,
                         WordsToPlace(vectors, request, &finder));
  AxisAnswer answer{{finder.unknown(), finder.composed()}, {}};
  if (!has_from || !has_to) return answer;
  FIRTH_ASSIGN_OR_RETURN(
      const SemanticAxis axis,
      MakeAxis(vectors, {request.from, request.to}, unknown));
  for (const FoundWord& word : words) {
    answer.words.push_back(
        {word.word, Similarity(word.vector, axis.direction)});
  }
  return answer;
}

}  // namespace

Question AxisQuestion() {
  return MakeQuestion<AxisRequest, AxisAnswer>(
      {.name = "axis",
       .summary = "place words on an axis between two groups of words",
       .description =
           "Computes the cosine of each word with an axis. The axis is the "
           "mean of the unit vectors of the words at its end minus the mean of "
           "those at its beginning. A word with a positive cosine is closer to "
           "the end.\n\n"
           "  firth axis model.safetensors --from man,he --to woman,she "
           "--words nurse,doctor\n"
           "  firth axis model.safetensors --from cold --to hot --top 20",
       .slots = {VectorsSlot(VectorAccess::kGivenWords)},
       .example =
           R"({"from":["man"],"to":["woman"],"words":["king","queen"]})"},
      &PlaceWords, [](const Opened& opened, const AxisRequest& request) {
        const uint64_t all = opened.vectors().vectors().size();
        const uint64_t words = request.words.empty()
                                   ? std::min(request.top, all)
                                   : request.words.size();
        return words * kScoredWordBytes;
      });
}

}  // namespace firth
