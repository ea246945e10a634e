#include "serve/word_finder.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"

namespace firth::tools {
namespace {

// Looking for spellings compares with every word of the vocabulary: a request
// of a thousand unknown words would take seconds.
constexpr size_t kMostSpelled = 5;
constexpr size_t kSpellings = 3;
// Longer ones are no misspelt words.
constexpr size_t kMostSpelledBytes = 64;

void AddOnce(const std::string& word, std::vector<std::string>* words) {
  if (!absl::c_linear_search(*words, word)) words->push_back(word);
}

Json SpellingsOf(const Vocabulary& vocabulary, const std::string& word) {
  Json spellings = Json::array();
  if (word.size() > kMostSpelledBytes) return spellings;
  for (const WordId id : ClosestSpellings(vocabulary, word, kSpellings)) {
    spellings.push_back(std::string(vocabulary.Word(id)));
  }
  return spellings;
}

}  // namespace

std::optional<FoundWord> WordFinder::Find(const std::string& word) {
  const std::optional<WordId> id = vectors_.vocabulary().Find(word);
  if (id.has_value()) return FoundWord{word, id, vectors_.CopyVector(*id)};
  std::optional<std::vector<float>> made = vectors_.FromNGrams(word);
  AddOnce(word, made.has_value() ? &composed_ : &unknown_);
  if (!made.has_value()) return std::nullopt;
  return FoundWord{word, std::nullopt, *std::move(made)};
}

std::vector<FoundWord> WordFinder::FindAll(const Json& words) {
  std::vector<FoundWord> all;
  for (const Json& word : words) {
    std::optional<FoundWord> found = Find(word.get<std::string>());
    if (found.has_value()) all.push_back(*std::move(found));
  }
  return all;
}

Json WordFinder::Unknown() const {
  Json unknown = Json::array();
  for (const std::string& word : unknown_) {
    Json spellings = unknown.size() < kMostSpelled
                         ? SpellingsOf(vectors_.vocabulary(), word)
                         : Json::array();
    unknown.push_back({{"word", word}, {"spellings", std::move(spellings)}});
  }
  return unknown;
}

Json WordFinder::Composed() const { return composed_; }

std::vector<absl::Span<const float>> VectorsOf(
    const std::vector<FoundWord>& words) {
  std::vector<absl::Span<const float>> vectors;
  vectors.reserve(words.size());
  for (const FoundWord& word : words) vectors.emplace_back(word.vector);
  return vectors;
}

Property ModelProperty() {
  return Optional("model", TextSchema("name of the model; optional if only one "
                                      "model of its kind is served"));
}

Json WordsSchema(size_t low, size_t high, absl::string_view help) {
  return ListSchema(TextSchema(), low, high, help);
}

Property UnknownProperty() {
  return {"unknown",
          ListSchema(ObjectSchema({{"word", TextSchema()},
                                   {"spellings", ListSchema(TextSchema())}}),
                     0, 0,
                     "words without a vector; the first ones with similarly "
                     "spelled words of the model")};
}

Json NeighborsSchema() {
  return ListSchema(ObjectSchema({{"word", TextSchema()},
                                  {"id", WholeSchema(0, UINT32_MAX)},
                                  {"score", NumberSchema()},
                                  {"count", WholeSchema(0, INT64_MAX)}}),
                    0, 0, "words with their scores, the best first");
}

Json NeighborsJson(const Vocabulary& vocabulary,
                   absl::Span<const Neighbor> neighbors) {
  Json list = Json::array();
  for (const Neighbor& neighbor : neighbors) {
    list.push_back({{"word", std::string(vocabulary.Word(neighbor.word))},
                    {"id", Index(neighbor.word)},
                    {"score", Rounded(neighbor.score)},
                    {"count", vocabulary.Count(neighbor.word)}});
  }
  return list;
}

Json NumbersJson(absl::Span<const float> values) {
  Json list = Json::array();
  for (const float value : values) list.push_back(NumberJson(value));
  return list;
}

}  // namespace firth::tools
