// Compares the cosines of all words: finds the neighbors that several words
// share, and the words that are closer to a word than another word is.

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "ask/question.h"
#include "ask/words.h"
#include "firth/query.h"
#include "firth/status_macros.h"
#include "query/top_list.h"

namespace firth {
namespace {

struct CommonRequest {
  std::vector<std::string> words;
  uint64_t top = 10;
  WordLookup lookup;

  static FieldTable Fields() {
    FieldsOf<CommonRequest> fields;
    AddWords("words", &CommonRequest::words,
             "words whose common neighbors are found", &fields)
        .Range(2, 1000);
    AddTop("number of answers", &fields);
    fields.Part(&CommonRequest::lookup);
    return fields;
  }
};

// Returns the smallest cosine of each candidate with the words: [candidates].
std::vector<float> SmallestCosines(const NearestNeighbors& search,
                                   absl::Span<const FoundWord> words) {
  std::vector<float> smallest = search.Cosines(words[0].vector);
  for (const FoundWord& word : words.subspan(1)) {
    const std::vector<float> cosines = search.Cosines(word.vector);
    for (size_t i = 0; i < cosines.size(); ++i) {
      smallest[i] = std::min(smallest[i], cosines[i]);
    }
  }
  return smallest;
}

std::vector<Neighbor> Best(const std::vector<float>& scores,
                           absl::Span<const WordId> exclude, size_t top) {
  TopList best(top);
  for (size_t i = 0; i < scores.size(); ++i) {
    const WordId word = ToWordId(i);
    if (absl::c_linear_search(exclude, word)) continue;
    best.Push({word, scores[i]});
  }
  return best.TakeSorted();
}

absl::StatusOr<RankedWords> FindCommon(const Opened& opened,
                                       const CommonRequest& request) {
  const NearestNeighbors& search = opened.vectors().neighbors();
  RankedWords answer;
  FIRTH_ASSIGN_OR_RETURN(
      const std::vector<FoundWord> words,
      LookUp(opened.vectors(), request.words, request.lookup, &answer));
  if (!answer.unknown.empty()) return answer;
  answer.neighbors = ScoredWords(
      opened.vectors(), search,
      Best(SmallestCosines(search, words), IdsOf(search, words), request.top));
  return answer;
}

// Returns the words that are closer to the first word than the second one is.
// If both are in the vocabulary, all cosines are from the same computation, so
// that words with equal vectors are equally close.
std::vector<Neighbor> Closer(const NearestNeighbors& search,
                             const std::vector<FoundWord>& words) {
  const std::vector<float>& vector = words[0].vector;
  const std::optional<WordId> other = words[1].id;
  const float cosine = other.has_value() ? search.Cosines(vector)[Index(*other)]
                                         : Similarity(vector, words[1].vector);
  return search.FindCloser(vector, cosine, IdsOf(search, words));
}

struct RankAnswer : QueryAnswer {
  std::optional<uint64_t> rank;

  static AnswerTable Members() {
    return WithQuery(
        {{"rank", &RankAnswer::rank,
          "rank of the other word, or null if a word has no vector"}});
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
  TwoWords pair;
  uint64_t top = 0;

  static FieldTable Fields() {
    FieldsOf<CloserRequest> fields;
    fields.Part(&CloserRequest::pair);
    fields
        .Add("top", &CloserRequest::top,
             "maximum number of answers; 0 means all")
        .Range(0, 1000000);
    return fields;
  }
};

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

Question CommonQuestion() {
  return MakeQuestion<CommonRequest, RankedWords>(
      {.name = "common",
       .summary = "find the neighbors that several words share",
       .description =
           "Finds the words that are close to all of the given words. The "
           "score of a word is its smallest cosine with them. The best words "
           "come first.\n\n"
           "  firth common model.safetensors coffee tea milk\n"
           "  firth common model.safetensors --words coffee,tea,milk --top 3",
       .slots = {VectorsSlot(VectorAccess::kSearched)},
       .example = R"({"words":["king","queen"],"top":3})",
       .arguments = {"words"}},
      &FindCommon, [](const Opened& opened, const CommonRequest& request) {
        return SizeOfWords(opened, request.top) +
               request.words.size() * SizeOfScan(opened);
      });
}

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
