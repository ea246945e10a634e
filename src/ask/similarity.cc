// Compares words with each other: the cosine of two words, those of all pairs
// of several words, and the word that does not match the others. Also compares
// their cosines with all words: finds the neighbors that several words share,
// and the words that are closer to a word than another word is.

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

struct SimilarityAnswer : QueryAnswer {
  std::optional<float> similarity;

  static AnswerTable Members() {
    return WithQuery(
        {{"similarity", &SimilarityAnswer::similarity,
          "cosine from -1 to 1, or null if a word has no vector; 0 if a "
          "vector is zero"}});
  }
};

absl::StatusOr<SimilarityAnswer> CompareTwo(const Opened& opened,
                                            const TwoWords& request) {
  SimilarityAnswer answer;
  FIRTH_ASSIGN_OR_RETURN(const std::vector<FoundWord> words,
                         LookUp(opened.vectors(), request, &answer));
  if (!answer.unknown.empty()) return answer;
  answer.similarity = Similarity(words[0].vector, words[1].vector);
  return answer;
}

struct MatrixRequest {
  std::vector<std::string> words;
  WordLookup lookup;

  static FieldTable Fields() {
    FieldsOf<MatrixRequest> fields;
    AddWords("words", &MatrixRequest::words, "words to compare", &fields)
        .Range(2, 1000);
    fields.Part(&MatrixRequest::lookup);
    return fields;
  }
};

struct MatrixAnswer : LookedUp {
  std::vector<std::string> words;
  std::vector<std::vector<float>> similarity;  // [words][words]

  static AnswerTable Members() {
    return WithLookUp(
        {{"words", &MatrixAnswer::words,
          "words that have a vector, in the order of the request",
          Listing::kInJson},
         AnswerMember{"similarity", &MatrixAnswer::similarity,
                      "cosines of all pairs of words, one row per word"}
             .LabelledBy("words")});
  }
};

std::vector<absl::Span<const float>> VectorsOf(
    absl::Span<const FoundWord> words) {
  std::vector<absl::Span<const float>> vectors;
  for (const FoundWord& word : words) vectors.emplace_back(word.vector);
  return vectors;
}

absl::StatusOr<MatrixAnswer> CompareAll(const Opened& opened,
                                        const MatrixRequest& request) {
  MatrixAnswer answer;
  FIRTH_ASSIGN_OR_RETURN(
      const std::vector<FoundWord> words,
      LookUp(opened.vectors(), request.words, request.lookup, &answer));
  const std::vector<float> cosines = SimilarityMatrix(VectorsOf(words));
  for (size_t i = 0; i < words.size(); ++i) {
    const auto row =
        absl::MakeSpan(cosines).subspan(i * words.size(), words.size());
    answer.words.push_back(words[i].word);
    answer.similarity.emplace_back(row.begin(), row.end());
  }
  return answer;
}

struct OddRequest {
  std::vector<std::string> words;
  WordLookup lookup;

  static FieldTable Fields() {
    FieldsOf<OddRequest> fields;
    AddWords("words", &OddRequest::words, "words, one of which does not match",
             &fields)
        .AtLeast(3);
    fields.Part(&OddRequest::lookup);
    return fields;
  }
};

struct CentralWord {
  std::string word;
  float centrality = 0;

  static AnswerTable Members() {
    return {{"word", &CentralWord::word},
            {"centrality", &CentralWord::centrality,
             "cosine with the mean of the unit vectors of all words"}};
  }
};

struct OddAnswer : QueryAnswer {
  std::optional<std::string> odd;
  std::vector<CentralWord> words;

  static AnswerTable Members() {
    return WithQuery(
        {{"odd", &OddAnswer::odd,
          "word with the lowest centrality, or null if fewer than three words "
          "have a vector"},
         {"words", &OddAnswer::words,
          "words that have a vector, in the order of the request",
          Listing::kInJson}});
  }
};

absl::StatusOr<OddAnswer> FindOdd(const Opened& opened,
                                  const OddRequest& request) {
  OddAnswer answer;
  FIRTH_ASSIGN_OR_RETURN(
      const std::vector<FoundWord> words,
      LookUp(opened.vectors(), request.words, request.lookup, &answer));
  if (words.empty()) return answer;
  const std::vector<float> centrality = Centrality(VectorsOf(words));
  for (size_t i = 0; i < words.size(); ++i) {
    answer.words.push_back({words[i].word, centrality[i]});
  }
  // With only two words, both are equally far from the mean.
  if (words.size() < 3) return answer;
  const auto odd = std::min_element(centrality.begin(), centrality.end());
  answer.odd = words[static_cast<size_t>(odd - centrality.begin())].word;
  return answer;
}

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
    fields.Add("top", &CloserRequest::top,
               "maximum number of answers; 0 means all",
               Field().Range(0, 1000000));
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

Question SimilarityQuestion() {
  return MakeQuestion<TwoWords, SimilarityAnswer>(
      {.name = "similarity",
       .summary = "compute the cosine similarity of two words",
       .description = "Computes the cosine of the vectors of two words, from "
                      "-1 to 1.\n\n"
                      "  firth similarity model.safetensors cup mug\n\n"
                      "The question \"matrix\" compares several words.",
       .slots = {VectorsSlot(VectorAccess::kGivenWords)},
       .example = R"({"word":"king","other":"queen"})",
       .arguments = {"word", "other"}},
      &CompareTwo, [](const Opened&, const TwoWords&) { return uint64_t{0}; });
}

Question MatrixQuestion() {
  return MakeQuestion<MatrixRequest, MatrixAnswer>(
      {.name = "matrix",
       .summary = "compute the cosine similarities of all pairs of words",
       .description =
           "Computes the matrix of the cosines of 2 to 1000 words. Words "
           "without a vector are left out.\n\n"
           "  firth matrix model.safetensors cup mug bottle coffee",
       .slots = {VectorsSlot(VectorAccess::kGivenWords)},
       .example = R"({"words":["king","queen","man"]})",
       .arguments = {"words"}},
      &CompareAll, [](const Opened&, const MatrixRequest& request) {
        return request.words.size() * request.words.size() * kNumberBytes;
      });
}

Question OddQuestion() {
  return MakeQuestion<OddRequest, OddAnswer>(
      {.name = "odd",
       .summary = "find the word that does not match the others",
       .description =
           "Finds the word, among three or more, whose vector is farthest from "
           "the mean of all. Words without a vector are left out. JSON also "
           "lists the centrality of each word, which is its cosine with the "
           "mean.\n\n"
           "  firth odd model.safetensors breakfast cereal dinner lunch",
       .slots = {VectorsSlot(VectorAccess::kGivenWords)},
       .example = R"({"words":["king","queen","river"]})",
       .arguments = {"words"}},
      &FindOdd, [](const Opened&, const OddRequest& request) {
        return request.words.size() * kScoredWordBytes;
      });
}

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
