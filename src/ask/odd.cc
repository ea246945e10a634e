// Finds the word that does not match the others.

#include <algorithm>
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

struct OddRequest {
  static FieldTable Fields();

  std::vector<std::string> words;
  WordLookup lookup;
};

FieldTable OddRequest::Fields() {
  FieldsOf<OddRequest> fields;
  fields.Add("words", &OddRequest::words, "words, one of which does not match")
      .ValueName("WORD,WORD...")
      .Range(3, Field::kUnlimited);
  fields.Part(&OddRequest::lookup);
  return fields;
}

struct CentralWord {
  std::string word;
  float centrality = 0;

  static AnswerTable Members() {
    return {{"word", &CentralWord::word},
            {"centrality", &CentralWord::centrality,
             "cosine with the mean of the unit vectors of all words"}};
  }
};

struct OddAnswer {
  std::string query;
  std::optional<std::string> odd;
  std::vector<CentralWord> words;
  std::vector<UnknownWord> unknown;
  std::vector<std::string> composed;

  static AnswerTable Members() {
    return {
        {"query", &OddAnswer::query, "words of the request", Listing::kInJson},
        {"odd", &OddAnswer::odd,
         "word with the lowest centrality, or null if "
         "fewer than three words have a vector"},
        {"words", &OddAnswer::words,
         "words that have a vector, in the order of the "
         "request",
         Listing::kInJson},
        Unknown<OddAnswer>(),
        Composed<OddAnswer>()};
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

}  // namespace

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

}  // namespace firth
