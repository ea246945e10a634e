// Finds the neighbors that several words share.
//
// A word is close to all of the given words if the smallest of its cosines with
// them is high.

#include <algorithm>
#include <string>
#include <vector>

#include "ask/question.h"
#include "ask/questions.h"
#include "ask/words.h"
#include "firth/query.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

struct CommonRequest {
  static FieldTable Fields();

  std::vector<std::string> words;
  uint64_t top = 10;
  WordLookup lookup;
};

FieldTable CommonRequest::Fields() {
  FieldsOf<CommonRequest> fields;
  fields
      .Add("words", &CommonRequest::words,
           "words whose common neighbors are found")
      .ValueName("WORD,WORD...")
      .Range(2, 1000);
  fields.Add("top", &CommonRequest::top, "number of answers").Range(1, 1000000);
  fields.Part(&CommonRequest::lookup);
  return fields;
}

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
  std::vector<Neighbor> neighbors;
  for (size_t i = 0; i < scores.size(); ++i) {
    const WordId word = ToWordId(i);
    if (std::find(exclude.begin(), exclude.end(), word) == exclude.end()) {
      neighbors.push_back({word, scores[i]});
    }
  }
  top = std::min(top, neighbors.size());
  std::partial_sort(neighbors.begin(), neighbors.begin() + top, neighbors.end(),
                    [](const Neighbor& a, const Neighbor& b) {
                      return a.score != b.score ? a.score > b.score
                                                : a.word < b.word;
                    });
  neighbors.resize(top);
  return neighbors;
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

}  // namespace firth
