// A word is looked up in the vocabulary first. If it is not there, its vector
// is composed from n-grams, it is an error, or it is added to a list of unknown
// words. The searches for similar spellings are limited, because each compares
// a word with the whole vocabulary.

#include "ask/words.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/quote.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

// Maximum number of unknown words per request for which similar spellings are
// searched. Each search takes milliseconds with a large vocabulary.
constexpr size_t kMostSpelled = 5;
constexpr size_t kSpellings = 3;
// Maximum number of bytes of a word whose spelling is compared.
constexpr size_t kMostSpelledBytes = 64;

void AddOnce(const std::string& word, std::vector<std::string>* words) {
  if (!absl::c_linear_search(*words, word)) words->push_back(word);
}

std::vector<std::string> SpellingsOf(const Vocabulary& vocabulary,
                                     const std::string& word) {
  std::vector<std::string> spellings;
  if (word.size() > kMostSpelledBytes) return spellings;
  for (const WordId id : ClosestSpellings(vocabulary, word, kSpellings)) {
    spellings.emplace_back(vocabulary.Word(id));
  }
  return spellings;
}

absl::Status UnknownWordError(const Vocabulary& vocabulary,
                              const std::string& word) {
  const std::vector<std::string> spellings = SpellingsOf(vocabulary, word);
  const std::string hint =
      spellings.empty() ? ""
                        : absl::StrCat("; did you mean ",
                                       absl::StrJoin(spellings, ", "), "?");
  return absl::NotFoundError(
      absl::StrCat(Quote(word), " is not in the vocabulary", hint));
}

absl::Status CheckFinite(absl::Span<const float> vector,
                         absl::string_view what) {
  for (size_t i = 0; i < vector.size(); ++i) {
    if (std::isfinite(vector[i])) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("value ", i + 1, " of ", what,
                     ": expected a finite number, found ", vector[i]));
  }
  return absl::OkStatus();
}

}  // namespace

FieldTable WordLookup::Fields() {
  FieldsOf<WordLookup> fields;
  fields.Choice(
      "oov", &WordLookup::unknown, {"skip", "subword", "error"},
      "choose what to do with unknown words: build their vectors from n-grams "
      "if the model has them (subword), treat them as words without a vector "
      "(skip), or fail (error)");
  return fields;
}

AnswerTable WithLookUp(AnswerTable members) {
  members.emplace_back(
      "unknown", &LookedUp::unknown,
      "words without a vector; the first few are listed with words of the "
      "model that have a similar spelling",
      Listing::kInJson);
  members.emplace_back("composed", &LookedUp::composed,
                       "words whose vectors are built from n-grams",
                       Listing::kInJson);
  return members;
}

AnswerTable WithQuery(AnswerTable members) {
  members.emplace(members.begin(), "query", &QueryAnswer::query,
                  "words of the request", Listing::kInJson);
  return WithLookUp(std::move(members));
}

absl::StatusOr<std::optional<FoundWord>> WordFinder::Find(
    const std::string& word) {
  const std::optional<WordId> id = vectors_.vocabulary().Find(word);
  if (id.has_value()) {
    FoundWord found{word, id, vectors_.CopyVector(*id)};
    FIRTH_RETURN_IF_ERROR(
        CheckFinite(found.vector, absl::StrCat("the vector of ", Quote(word))));
    return found;
  }
  // Words of the training text contain no white space, so n-grams across a
  // space have no meaning.
  const bool is_word = word.find_first_of(" \t\n") == word.npos;
  if (lookup_.unknown == UnknownWords::kSubword && is_word) {
    std::optional<std::vector<float>> made = vectors_.FromNGrams(word);
    if (made.has_value()) {
      AddOnce(word, &composed_);
      return FoundWord{word, std::nullopt, *std::move(made)};
    }
  }
  if (lookup_.unknown == UnknownWords::kError) {
    return UnknownWordError(vectors_.vocabulary(), word);
  }
  AddUnknown(word);
  return std::nullopt;
}

void WordFinder::AddUnknown(const std::string& word) {
  AddOnce(word, &unknown_);
}

absl::StatusOr<std::vector<FoundWord>> WordFinder::FindAll(
    absl::Span<const std::string> words) {
  std::vector<FoundWord> all;
  for (const std::string& word : words) {
    FIRTH_ASSIGN_OR_RETURN(std::optional<FoundWord> found, Find(word));
    if (found.has_value()) all.push_back(*std::move(found));
  }
  return all;
}

absl::StatusOr<std::optional<FoundWord>> WordFinder::Find(
    const WordOrVector& term) {
  if (term.vector.empty()) return Find(term.word);
  if (term.vector.size() != vectors_.dim()) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a vector of ", vectors_.dim(),
                     " numbers, found ", term.vector.size()));
  }
  FIRTH_RETURN_IF_ERROR(CheckFinite(term.vector, "a vector"));
  return FoundWord{term.word, std::nullopt, term.vector};
}

std::vector<UnknownWord> WordFinder::unknown() const {
  return WithSpellings(vectors_.vocabulary(), unknown_);
}

std::vector<UnknownWord> WithSpellings(const Vocabulary& vocabulary,
                                       absl::Span<const std::string> words) {
  std::vector<UnknownWord> unknown;
  for (const std::string& word : words) {
    const bool spelled = unknown.size() < kMostSpelled;
    unknown.push_back({word, spelled ? SpellingsOf(vocabulary, word)
                                     : std::vector<std::string>()});
  }
  return unknown;
}

std::vector<WordId> IdsOf(const NearestNeighbors& search,
                          absl::Span<const FoundWord> words) {
  std::vector<WordId> ids;
  for (const FoundWord& word : words) {
    if (!word.id.has_value()) continue;
    const std::optional<WordId> id =
        search.vectors().vocabulary().Find(word.word);
    if (id.has_value()) ids.push_back(*id);
  }
  return ids;
}

uint64_t SizeOfWords(const Opened& opened, uint64_t top) {
  return std::min<uint64_t>(top, opened.vectors().vectors().size()) *
         kScoredWordBytes;
}

uint64_t SizeOfScan(const Opened& opened) {
  const WordVectors& vectors = opened.vectors().vectors();
  return vectors.size() * vectors.dim() / 1024;
}

std::vector<ScoredWord> ScoredWords(const OpenedVectors& model,
                                    const NearestNeighbors& search,
                                    absl::Span<const Neighbor> neighbors) {
  const Vocabulary& candidates = search.vectors().vocabulary();
  const Vocabulary& all = model.vectors().vocabulary();
  std::vector<ScoredWord> words;
  words.reserve(neighbors.size());
  for (const Neighbor& neighbor : neighbors) {
    const absl::string_view word = candidates.Word(neighbor.word);
    const WordId id = candidates.size() == all.size()
                          ? neighbor.word
                          : all.Find(word).value_or(neighbor.word);
    words.push_back({std::string(word), Index(id), neighbor.score,
                     candidates.Count(neighbor.word)});
  }
  return words;
}

}  // namespace firth
