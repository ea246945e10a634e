// Finds the words near words, near sums of words, and near vectors. An analogy
// is also a sum.

#include "firth/query.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ask/question.h"
#include "ask/words.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

struct NeighborsRequest {
  std::vector<WordOrVector> positive;
  std::vector<WordOrVector> negative;
  uint64_t top = 10;
  AnalogyMethod method = AnalogyMethod::kAdd;
  bool exact = false;
  WordLookup lookup;

  static FieldTable Fields() {
    FieldsOf<NeighborsRequest> fields;
    AddWords("positive", &NeighborsRequest::positive,
             "words or vectors that are added to the sum", &fields);
    AddWords("negative", &NeighborsRequest::negative,
             "words or vectors that are subtracted from the sum", &fields);
    AddTop("number of answers", &fields);
    fields.Choice(
        "method", &NeighborsRequest::method, {"add", "mul"},
        "score answers by the cosine with the sum (add, 3CosAdd), or by the "
        "product of the cosines with each word (mul, 3CosMul; Levy and "
        "Goldberg 2014), which compares all vectors");
    // This field is unlisted because the command line has options of its own
    // for the search.
    fields.Add("exact", &NeighborsRequest::exact,
               "compare all vectors even if the model was opened with a faster "
               "search",
               Field().Unlisted());
    fields.Part(&NeighborsRequest::lookup);
    return fields;
  }
};

// A request with the vectors of its words.
struct Sum {
  std::vector<FoundWord> words;
  std::vector<float> weights;
  std::vector<float> vector;  // [dim]; empty if there is nothing to search for.
  RankedWords answer;
};

// Returns the request as text, such as "king - man + woman".
std::string TextOf(const NeighborsRequest& request) {
  std::string text;
  const auto add = [&text](absl::Span<const WordOrVector> terms,
                           absl::string_view sign) {
    for (const WordOrVector& term : terms) {
      if (!text.empty()) absl::StrAppend(&text, " ", sign, " ");
      if (text.empty() && sign == "-") text = "-";
      const bool is_unnamed = term.word.empty() && !term.vector.empty();
      absl::StrAppend(&text, is_unnamed ? "(vector)" : term.word);
    }
  };
  add(request.positive, "+");
  add(request.negative, "-");
  return text;
}

absl::Status AddTerms(absl::Span<const WordOrVector> terms, float weight,
                      WordFinder* finder, Sum* sum) {
  for (const WordOrVector& term : terms) {
    FIRTH_ASSIGN_OR_RETURN(std::optional<FoundWord> found, finder->Find(term));
    if (!found.has_value()) continue;
    sum->words.push_back(*std::move(found));
    sum->weights.push_back(weight);
  }
  return absl::OkStatus();
}

std::vector<QueryTerm> TermsOf(const Sum& sum) {
  std::vector<QueryTerm> terms;
  for (size_t i = 0; i < sum.words.size(); ++i) {
    terms.push_back({sum.words[i].vector, sum.weights[i]});
  }
  return terms;
}

bool IsZero(absl::Span<const float> vector) {
  for (const float value : vector) {
    if (value != 0) return false;
  }
  return true;
}

// Looks up the words of a request. A sum with an unknown word is not searched
// for, because the sum of the other words would be a different question.
absl::StatusOr<Sum> LookUp(const WordVectors& vectors,
                           const NeighborsRequest& request) {
  if (request.positive.empty() && request.negative.empty()) {
    return absl::InvalidArgumentError(
        "give at least one word or vector in \"positive\" or \"negative\"");
  }
  Sum sum;
  WordFinder finder(vectors, request.lookup);
  FIRTH_RETURN_IF_ERROR(AddTerms(request.positive, 1, &finder, &sum));
  FIRTH_RETURN_IF_ERROR(AddTerms(request.negative, -1, &finder, &sum));
  sum.answer.query = TextOf(request);
  sum.answer.unknown = finder.unknown();
  sum.answer.composed = finder.composed();
  if (!finder.all_known()) return sum;
  // The vector of a single word is used as it is, so that its neighbors do not
  // depend on how it is scaled.
  const bool is_one = sum.words.size() == 1 && sum.weights[0] > 0;
  sum.vector = is_one ? sum.words[0].vector : SumOfUnitVectors(TermsOf(sum));
  const bool is_given = is_one && !sum.words[0].id.has_value();
  if (IsZero(sum.vector) && (!is_one || is_given)) {
    return absl::InvalidArgumentError(absl::StrCat(
        sum.answer.query,
        ": the sum of the vectors is zero, so it has no direction"));
  }
  return sum;
}

// Answers requests that have the same number of answers and the same search
// with one matrix product.
void SearchTogether(const Opened& opened,
                    absl::Span<const NeighborsRequest> requests,
                    Answers<Sum>* sums) {
  const OpenedVectors& model = opened.vectors();
  std::map<std::pair<uint64_t, bool>, std::vector<size_t>> alike;
  for (size_t i = 0; i < requests.size(); ++i) {
    alike[{requests[i].top, requests[i].exact}].push_back(i);
  }
  for (const auto& [key, group] : alike) {
    const auto [top, is_exact] = key;
    const NearestNeighbors& search =
        is_exact ? model.exact() : model.neighbors();
    std::vector<NeighborQuery> queries;
    std::vector<Sum*> asked;
    for (const size_t i : group) {
      if (!(*sums)[i].ok() || (*sums)[i]->vector.empty()) continue;
      Sum& sum = *(*sums)[i];
      if (requests[i].method == AnalogyMethod::kMul) {
        const SumQuery query{TermsOf(sum), IdsOf(search, sum.words)};
        sum.answer.neighbors = ScoredWords(
            model, search, search.FindSum(query, top, AnalogyMethod::kMul));
      } else {
        queries.push_back({sum.vector, IdsOf(search, sum.words)});
        asked.push_back(&sum);
      }
    }
    const auto found = search.FindAll(queries, top, opened.hooks());
    for (size_t i = 0; i < found.size(); ++i) {
      asked[i]->answer.neighbors = ScoredWords(model, search, found[i]);
    }
  }
}

Answers<RankedWords> FindNeighbors(
    const Opened& opened, absl::Span<const NeighborsRequest> requests) {
  // Finding the spellings of unknown words takes milliseconds, so each request
  // can be stopped.
  Answers<Sum> sums =
      AnswerEach<Sum>(opened, requests, [&](const NeighborsRequest& request) {
        return LookUp(opened.vectors().vectors(), request);
      });
  SearchTogether(opened, requests, &sums);
  Answers<RankedWords> answers;
  for (absl::StatusOr<Sum>& sum : sums) {
    if (sum.ok()) {
      answers.emplace_back(std::move(sum->answer));
    } else {
      answers.emplace_back(sum.status());
    }
  }
  return answers;
}

struct AnalogyRequest {
  std::string a;
  std::string b;
  std::string c;
  uint64_t top = 10;
  AnalogyMethod method = AnalogyMethod::kAdd;
  WordLookup lookup;

  static FieldTable Fields() {
    FieldsOf<AnalogyRequest> fields;
    fields.Add("a", &AnalogyRequest::a, "first word of the known pair",
               Field().AtLeast(1));
    fields.Add("b", &AnalogyRequest::b, "second word of the known pair",
               Field().AtLeast(1));
    fields.Add("c", &AnalogyRequest::c, "word whose partner is the answer",
               Field().AtLeast(1));
    AddTop("number of answers", &fields);
    fields.Choice(
        "method", &AnalogyRequest::method, {"add", "mul"},
        "score answers by the cosine with b - a + c (add, 3CosAdd), or by the "
        "product of the cosines with each word (mul, 3CosMul; Levy and "
        "Goldberg 2014), which compares all vectors");
    fields.Part(&AnalogyRequest::lookup);
    return fields;
  }
};

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

Question NeighborsQuestion() {
  return MakeQuestion<NeighborsRequest, RankedWords>(
      {.name = "neighbors",
       .summary = "find the nearest neighbors of words",
       .description =
           "Finds the words with the highest cosine similarity to a word, to a "
           "vector, or to a sum of the unit vectors of words, such as king - "
           "man + woman. The best words come first. The words of the request "
           "are not among the answers.\n\n"
           "  firth nn model.safetensors king queen\n"
           "  firth nn model.safetensors king -man woman\n"
           "  firth nn before.safetensors after.safetensors king\n"
           "  firth nn model.safetensors --json <words.txt >neighbors.jsonl",
       .slots = {VectorsSlot(VectorAccess::kSearched)},
       .example = R"({"positive":["king","woman"],"negative":["man"],"top":3})",
       .arguments = {"positive"},
       .command = "nn"},
      &FindNeighbors,
      [](const Opened& opened, const NeighborsRequest& request) {
        // Other methods answer many requests with one matrix product, which
        // costs less.
        const bool scans = request.method == AnalogyMethod::kMul;
        return SizeOfWords(opened, request.top) +
               (scans ? SizeOfScan(opened) : 0);
      });
}

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
