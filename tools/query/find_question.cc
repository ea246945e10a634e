// A word has its own vector or, where it is unknown and may be, that of its
// n-grams. What has no direction is near to nothing.

#include "query/find_question.h"

#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "cli/closest_name.h"
#include "cli/human.h"
#include "cli/vector_files.h"
#include "firth/status_macros.h"

namespace firth::tools {
namespace {

// Of a word whose n-grams are shown: each of its letters has several, with a
// vector each.
constexpr size_t kMostNGramBytes = 1000;

// Whether the sum of its words is.
bool IsZero(const Question& question) {
  std::vector<QueryTerm> terms;
  for (const QuestionWord& word : question.words) {
    terms.push_back({word.vector, word.weight});
  }
  return absl::c_all_of(SumOfUnitVectors(terms),
                        [](float value) { return value == 0; });
}

absl::StatusOr<QuestionWord> FindOne(const QuestionKind& kind,
                                     const Source& source,
                                     const AskedWord& asked,
                                     UnknownWords unknown) {
  const WordVectors& vectors = source.vectors;
  const std::string& word = asked.text;
  if (kind.asks == Asks::kNGrams || source.n_grams) {
    if (word.size() > kMostNGramBytes) {
      return absl::InvalidArgumentError(
          absl::StrCat("words must have at most ", kMostNGramBytes,
                       " bytes, found one of ", word.size()));
    }
    return QuestionWord{word, std::nullopt, {}, asked.weight};
  }
  const std::optional<WordId> known = vectors.vocabulary().Find(word);
  if (known.has_value()) {
    const Vocabulary& answers = source.neighbors.has_value()
                                    ? source.neighbors->vectors().vocabulary()
                                    : vectors.vocabulary();
    FIRTH_ASSIGN_OR_RETURN(std::vector<float> vector,
                           FiniteVector(vectors, *known));
    return QuestionWord{word, answers.Find(word), std::move(vector),
                        asked.weight};
  }
  // No word of a text has a space inside, so that its n-grams mean nothing.
  if (unknown == UnknownWords::kSubword && !HoldsWhiteSpace(word)) {
    std::optional<std::vector<float>> made = vectors.FromNGrams(word);
    if (made.has_value()) {
      return QuestionWord{word, std::nullopt, *std::move(made), asked.weight};
    }
  }
  return FindWord(vectors.vocabulary(), word).status();
}

}  // namespace

absl::Status CheckCount(const QuestionKind& kind, size_t words) {
  if (words >= kind.low && words <= kind.high) return absl::OkStatus();
  const std::string expected =
      words > kind.high && kind.high > kind.low
          ? absl::StrCat("at most ", Counted(kind.high, "word"))
          : absl::StrCat(Counted(kind.low, "word"),
                         kind.high > kind.low ? " or more" : "");
  return absl::InvalidArgumentError(
      absl::StrCat("expected ", expected, ", found ", words));
}

absl::StatusOr<Question> FindQuestion(const QuestionKind& kind,
                                      const Source& source, const Asked& asked,
                                      UnknownWords unknown) {
  Question question;
  question.label = asked.Label();
  if (!asked.vector.empty()) {
    if (asked.vector.size() != source.vectors.dim()) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected ", source.vectors.dim(), " numbers, found ",
                       asked.vector.size()));
    }
    question.words = {{question.label, std::nullopt, asked.vector}};
    if (!IsZero(question)) return question;
    return absl::InvalidArgumentError(
        "all values of the vector are 0, so it has no direction");
  }
  if (!asked.is_sum)
    FIRTH_RETURN_IF_ERROR(CheckCount(kind, asked.words.size()));
  for (const AskedWord& word : asked.words) {
    FIRTH_ASSIGN_OR_RETURN(question.words.emplace_back(),
                           FindOne(kind, source, word, unknown));
  }
  // a is to b as c is to what: b - a + c.
  if (kind.by_method && !asked.is_sum) question.words[0].weight = -1;
  if (asked.is_sum && IsZero(question)) {
    return absl::InvalidArgumentError(absl::StrCat(
        question.label,
        ": the sum of the vectors is zero, so it has no direction"));
  }
  return question;
}

}  // namespace firth::tools
