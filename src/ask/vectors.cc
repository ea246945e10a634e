// Returns the vectors of words and of their n-grams.

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ask/question.h"
#include "ask/words.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

// Maximum number of bytes of a word. The answer may have a vector for each of
// its n-grams.
constexpr double kMostNGramBytes = 1000;

struct VectorRequest {
  std::string word;
  WordLookup lookup;

  static FieldTable Fields() {
    FieldsOf<VectorRequest> fields;
    fields.Add("word", &VectorRequest::word, "word whose vector is returned")
        .AtLeast(1);
    fields.Part(&VectorRequest::lookup);
    return fields;
  }
};

struct VectorAnswer : LookedUp {
  std::string word;
  std::optional<std::vector<float>> vector;  // [dim]

  static AnswerTable Members() {
    return WithLookUp<VectorAnswer>(
        {{"word", &VectorAnswer::word},
         {"vector", &VectorAnswer::vector,
          "one number per dimension, or null if the word has no vector"}});
  }
};

absl::StatusOr<VectorAnswer> FindVector(const Opened& opened,
                                        const VectorRequest& request) {
  VectorAnswer answer{{}, request.word, std::nullopt};
  FIRTH_ASSIGN_OR_RETURN(
      std::vector<FoundWord> words,
      LookUp(opened.vectors(), {request.word}, request.lookup, &answer));
  if (!words.empty()) answer.vector = std::move(words[0].vector);
  return answer;
}

struct NGramsRequest {
  std::string word;
  bool vectors = false;

  static FieldTable Fields() {
    FieldsOf<NGramsRequest> fields;
    fields.Add("word", &NGramsRequest::word, "word, which may be unknown")
        .Range(1, kMostNGramBytes);
    fields.Add("vectors", &NGramsRequest::vectors,
               "also return the vectors of the n-grams");
    return fields;
  }
};

struct NGram {
  std::string ngram;
  float norm = 0;
  std::optional<std::vector<float>> vector;  // [dim]

  static AnswerTable Members() {
    return {{"ngram", &NGram::ngram},
            {"norm", &NGram::norm, "length of its vector"},
            {"vector", &NGram::vector,
             "one number per dimension, or null if `vectors` is false"}};
  }
};

struct NGramsAnswer {
  std::string query;
  std::vector<NGram> ngrams;

  static AnswerTable Members() {
    return {{"query", &NGramsAnswer::query, "word of the request",
             Listing::kInJson},
            {"ngrams", &NGramsAnswer::ngrams, "n-grams in order"}};
  }
};

float Norm(absl::Span<const float> vector) {
  double squares = 0;
  for (const float value : vector) squares += double{value} * value;
  return static_cast<float>(std::sqrt(squares));
}

absl::StatusOr<NGramsAnswer> FindNGrams(const Opened& opened,
                                        const NGramsRequest& request) {
  const SubwordTables* const subwords = opened.vectors().vectors().subwords();
  if (subwords == nullptr) {
    return absl::InvalidArgumentError("the model has no n-grams");
  }
  NGramsAnswer answer{request.word, {}};
  for (NGramVector& found : NGramVectors(*subwords, request.word)) {
    NGram& ngram = answer.ngrams.emplace_back();
    ngram.ngram = std::move(found.n_gram);
    ngram.norm = Norm(found.vector);
    if (request.vectors) ngram.vector = std::move(found.vector);
  }
  return answer;
}

}  // namespace

Question VectorsQuestion() {
  return MakeQuestion<VectorRequest, VectorAnswer>(
      {.name = "vectors",
       .summary = "get the vectors of words",
       .description =
           "Returns the vector of a word. Unknown words get a vector from "
           "their n-grams if the model has them.\n\n"
           "  firth vectors model.safetensors king queen\n"
           "  firth vectors model.safetensors --output rows.npy <words.txt",
       .slots = {VectorsSlot(VectorAccess::kGivenWords)},
       .example = R"({"word":"king"})",
       .arguments = {"word"}},
      &FindVector, [](const Opened& opened, const VectorRequest&) {
        return opened.vectors().vectors().dim() * kNumberBytes;
      });
}

Question NGramsQuestion() {
  return MakeQuestion<NGramsRequest, NGramsAnswer>(
      {.name = "ngrams",
       .summary = "list the n-grams of words and the norms of their vectors",
       .description =
           "Lists the character n-grams of a word in order, each with the norm "
           "of its vector. N-grams that do not occur in the model have norm "
           "0.\n\n"
           "  firth ngrams model.safetensors unhappiness\n"
           "  firth ngrams model.safetensors --vectors unhappiness",
       .slots = {VectorsSlot(VectorAccess::kGivenWords)},
       .example = R"({"word":"unhappiness"})",
       .arguments = {"word"}},
      &FindNGrams, [](const Opened& opened, const NGramsRequest& request) {
        const uint64_t dim =
            request.vectors ? opened.vectors().vectors().dim() : 0;
        // Most models have n-grams of at most four different lengths.
        return 4 * request.word.size() *
               (kScoredWordBytes + dim * kNumberBytes);
      });
}

}  // namespace firth
