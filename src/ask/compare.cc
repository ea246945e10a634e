// Compares the neighbors of a word in two models.

#include <string>
#include <unordered_map>
#include <vector>

#include "ask/question.h"
#include "ask/words.h"
#include "firth/query.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

struct CompareRequest {
  std::string word;
  uint64_t top = 10;

  static FieldTable Fields() {
    FieldsOf<CompareRequest> fields;
    fields
        .Add("word", &CompareRequest::word, "word whose neighbors are compared")
        .AtLeast(1);
    AddTop("number of neighbors in each model", &fields);
    return fields;
  }
};

// A word that is a neighbor in both models.
struct SharedNeighbor {
  std::string word;
  float first = 0;
  float second = 0;

  static AnswerTable Members() {
    return {{"word", &SharedNeighbor::word},
            {"first", &SharedNeighbor::first, "cosine in the first model"},
            {"second", &SharedNeighbor::second, "cosine in the second model"}};
  }
};

struct CompareAnswer {
  std::string query;
  std::vector<ScoredWord> only_first;
  std::vector<ScoredWord> only_second;
  std::vector<SharedNeighbor> both;
  std::vector<UnknownWord> unknown_first;
  std::vector<UnknownWord> unknown_second;

  static AnswerTable Members() {
    return {
        {"query", &CompareAnswer::query, "word of the request",
         Listing::kInJson},
        {"only_first", &CompareAnswer::only_first,
         "neighbors in the first model only, best first"},
        {"only_second", &CompareAnswer::only_second,
         "neighbors in the second model only, best first"},
        {"both", &CompareAnswer::both,
         "neighbors in both models, in the order of the first"},
        {"unknown_first", &CompareAnswer::unknown_first,
         "the word, if it has no vector in the first model", Listing::kInJson},
        {"unknown_second", &CompareAnswer::unknown_second,
         "the word, if it has no vector in the second model",
         Listing::kInJson}};
  }
};

// Finds the neighbors of the word in one of the models.
absl::StatusOr<std::vector<ScoredWord>> FindIn(
    const OpenedVectors& model, const CompareRequest& request,
    std::vector<UnknownWord>* unknown) {
  const WordLookup lookup;
  WordFinder finder(model.vectors(), lookup);
  FIRTH_ASSIGN_OR_RETURN(const std::vector<FoundWord> words,
                         finder.FindAll({request.word}));
  *unknown = finder.unknown();
  if (words.empty()) return std::vector<ScoredWord>();
  const NearestNeighbors& search = model.neighbors();
  return ScoredWords(
      model, search,
      search.Find(words[0].vector, request.top, IdsOf(search, words)));
}

absl::StatusOr<CompareAnswer> Compare(const Opened& opened,
                                      const CompareRequest& request) {
  CompareAnswer answer;
  answer.query = request.word;
  FIRTH_ASSIGN_OR_RETURN(
      const std::vector<ScoredWord> first,
      FindIn(opened.vectors(0), request, &answer.unknown_first));
  FIRTH_ASSIGN_OR_RETURN(
      const std::vector<ScoredWord> second,
      FindIn(opened.vectors(1), request, &answer.unknown_second));
  std::unordered_map<std::string, float> in_second;
  for (const ScoredWord& found : second) {
    in_second.emplace(found.word, found.score);
  }
  for (const ScoredWord& found : first) {
    const auto other = in_second.find(found.word);
    if (other == in_second.end()) {
      answer.only_first.push_back(found);
    } else {
      answer.both.push_back({found.word, found.score, other->second});
      in_second.erase(other);
    }
  }
  for (const ScoredWord& found : second) {
    if (in_second.contains(found.word)) answer.only_second.push_back(found);
  }
  return answer;
}

}  // namespace

Question CompareQuestion() {
  return MakeQuestion<CompareRequest, CompareAnswer>(
      {.name = "compare",
       .summary = "compare the neighbors of a word in two models",
       .description =
           "Finds the nearest neighbors of a word in each of two models and "
           "lists those of the first model only, of the second model only, and "
           "of both. Cosines of different models are comparable even if their "
           "vectors are not.\n\n"
           "  firth compare before.safetensors after.safetensors king",
       .slots = {{.name = "first",
                  .help = "the first model",
                  .access = VectorAccess::kSearched},
                 {.name = "second",
                  .help = "the second model",
                  .access = VectorAccess::kSearched}},
       .example = R"({"word":"king","top":5})",
       .arguments = {"word"}},
      &Compare, [](const Opened& opened, const CompareRequest& request) {
        return 2 * (SizeOfWords(opened, request.top) + SizeOfScan(opened));
      });
}

}  // namespace firth
