// The words that are closer to a word than another word is, and their number.

#include <optional>
#include <string>
#include <vector>

#include "ask/question.h"
#include "ask/questions.h"
#include "ask/words.h"
#include "firth/query.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

// Returns the words that are closer to the first word than the second one is.
// If both are known, the cosines are those of the same computation, so that
// words with equal vectors are equally close.
std::vector<Neighbor> Closer(const NearestNeighbors& search,
                             const std::vector<FoundWord>& words) {
  const std::vector<float>& vector = words[0].vector;
  const std::optional<WordId> other = words[1].id;
  const float cosine = other.has_value() ? search.Cosines(vector)[Index(*other)]
                                         : Similarity(vector, words[1].vector);
  return search.FindCloser(vector, cosine, IdsOf(search, words));
}

struct RankAnswer {
  std::string query;
  std::optional<uint64_t> rank;
  std::vector<UnknownWord> unknown;
  std::vector<std::string> composed;

  static AnswerTable Members() {
    return {
        {"query", &RankAnswer::query, "words of the request", Listing::kInJson},
        {"rank", &RankAnswer::rank,
         "rank of the other word, or null if a word has no vector"},
        Unknown<RankAnswer>(),
        Composed<RankAnswer>()};
  }
};

absl::StatusOr<RankAnswer> FindRank(const Opened& opened,
                                    const TwoWords& request) {
  const NearestNeighbors& search = opened.vectors().exact();
  RankAnswer answer;
  FIRTH_ASSIGN_OR_RETURN(const std::vector<FoundWord> words,
                         LookUp(opened.vectors(), request, &answer));
  if (!answer.unknown.empty()) return answer;
  answer.rank = words[0].id.has_value() && words[1].id.has_value()
                    ? search.Rank(*words[0].id, *words[1].id)
                    : Closer(search, words).size() + 1;
  return answer;
}

struct CloserRequest {
  static FieldTable Fields();

  TwoWords pair;
  uint64_t top = 0;
};

FieldTable CloserRequest::Fields() {
  FieldsOf<CloserRequest> fields;
  fields.Part(&CloserRequest::pair);
  fields
      .Add("top", &CloserRequest::top, "maximum number of answers; 0 means all")
      .Range(0, 1000000);
  return fields;
}

absl::StatusOr<RankedWords> FindCloser(const Opened& opened,
                                       const CloserRequest& request) {
  const NearestNeighbors& search = opened.vectors().exact();
  RankedWords answer;
  FIRTH_ASSIGN_OR_RETURN(const std::vector<FoundWord> words,
                         LookUp(opened.vectors(), request.pair, &answer));
  if (!answer.unknown.empty()) return answer;
  std::vector<Neighbor> closer = Closer(search, words);
  if (request.top > 0 && request.top < closer.size()) {
    closer.resize(request.top);
  }
  answer.neighbors = ScoredWords(opened.vectors(), search, closer);
  return answer;
}

}  // namespace

Question RankQuestion() {
  return MakeQuestion<TwoWords, RankAnswer>(
      {.name = "rank",
       .summary = "find the rank of a word among the neighbors of another",
       .description =
           "Finds the rank of the other word among the neighbors of the first; "
           "1 is the nearest. Words with equal cosine share the better "
           "rank.\n\n"
           "  firth rank model.safetensors king queen",
       .slots = {VectorsSlot(VectorAccess::kAll)},
       .example = R"({"word":"king","other":"queen"})",
       .arguments = {"word", "other"}},
      &FindRank,
      [](const Opened& opened, const TwoWords&) { return SizeOfScan(opened); });
}

Question CloserQuestion() {
  return MakeQuestion<CloserRequest, RankedWords>(
      {.name = "closer",
       .summary =
           "find all words that are closer to a word than another word is",
       .description =
           "Finds all words whose cosine with the first word is higher than "
           "that of the other word, best first.\n\n"
           "  firth closer model.safetensors king queen",
       .slots = {VectorsSlot(VectorAccess::kAll)},
       .example = R"({"word":"king","other":"queen","top":3})",
       .arguments = {"word", "other"}},
      &FindCloser, [](const Opened& opened, const CloserRequest& request) {
        return SizeOfWords(opened, request.top > 0 ? request.top : UINT64_MAX) +
               SizeOfScan(opened);
      });
}

}  // namespace firth
