// Analogies: a is to b as c is to which word?

#include <string>
#include <vector>

#include "ask/question.h"
#include "ask/questions.h"
#include "ask/words.h"
#include "firth/query.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

struct AnalogyRequest {
  static FieldTable Fields();

  std::string a;
  std::string b;
  std::string c;
  uint64_t top = 10;
  AnalogyMethod method = AnalogyMethod::kAdd;
  WordLookup lookup;
};

FieldTable AnalogyRequest::Fields() {
  FieldsOf<AnalogyRequest> fields;
  fields.Add("a", &AnalogyRequest::a, "first word of the known pair")
      .Range(1, Field::kUnlimited);
  fields.Add("b", &AnalogyRequest::b, "second word of the known pair")
      .Range(1, Field::kUnlimited);
  fields.Add("c", &AnalogyRequest::c, "word whose partner is the answer")
      .Range(1, Field::kUnlimited);
  fields.Add("top", &AnalogyRequest::top, "number of answers")
      .Range(1, 1000000);
  fields.Choice(
      "method", &AnalogyRequest::method, {"add", "mul"},
      "score answers by the cosine with b - a + c (add, 3CosAdd), or by the "
      "product of the cosines with each word (mul, 3CosMul; Levy and Goldberg "
      "2014), which compares all vectors");
  fields.Part(&AnalogyRequest::lookup);
  return fields;
}

absl::StatusOr<RankedWords> SolveAnalogy(const Opened& opened,
                                         const AnalogyRequest& request) {
  const NearestNeighbors& search = opened.vectors().neighbors();
  RankedWords answer;
  FIRTH_ASSIGN_OR_RETURN(
      const std::vector<FoundWord> words,
      LookUp(opened.vectors(), {request.a, request.b, request.c},
             request.lookup, &answer));
  if (!answer.unknown.empty()) return answer;
  const SumQuery query{
      {{words[0].vector, -1}, {words[1].vector}, {words[2].vector}},
      IdsOf(search, words)};
  answer.neighbors =
      ScoredWords(opened.vectors(), search,
                  search.FindSum(query, request.top, request.method));
  return answer;
}

}  // namespace

Question AnalogyQuestion() {
  return MakeQuestion<AnalogyRequest, RankedWords>(
      {.name = "analogy",
       .summary = "solve \"A is to B as C is to ?\"",
       .description =
           "Finds the words near b - a + c, best first. The three words are "
           "not among the answers.\n\n"
           "  firth analogy model.safetensors man king woman\n"
           "  firth analogy model.safetensors man king woman --method mul\n\n"
           "The command \"firth nn\" and the question \"neighbors\" take any "
           "sum of words, such as king - man + woman.",
       .slots = {VectorsSlot(VectorAccess::kSearched)},
       .example = R"({"a":"man","b":"king","c":"woman","top":3})",
       .arguments = {"a", "b", "c"}},
      &SolveAnalogy, [](const Opened& opened, const AnalogyRequest& request) {
        return SizeOfWords(opened, request.top) + SizeOfScan(opened);
      });
}

}  // namespace firth
