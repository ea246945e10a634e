// The words of a request, looked up: those that are known, those whose vector
// is made of n-grams, and those that have none.

#ifndef FIRTH_TOOLS_SERVE_WORD_FINDER_H_
#define FIRTH_TOOLS_SERVE_WORD_FINDER_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "cli/json.h"
#include "firth/query.h"
#include "serve/models.h"
#include "serve/schema.h"

namespace firth::tools {

// Of a request.
constexpr size_t kMostWords = 1000;

struct FoundWord {
  std::string word;
  std::optional<WordId> id;   // nothing: it is made of n-grams
  std::vector<float> vector;  // [dim]
};

class WordFinder {
 public:
  explicit WordFinder(const WordVectors& vectors) : vectors_(vectors) {}

  // Nothing where the word has no vector, which unknown() tells then.
  std::optional<FoundWord> Find(const std::string& word);
  // Those of a list of texts that have a vector.
  std::vector<FoundWord> FindAll(const Json& words);

  // [{"word", "spellings"}], each word once; the first ones with the words
  // spelled most like them.
  Json Unknown() const;
  // The words whose vectors were made of n-grams, each once.
  Json Composed() const;

 private:
  const WordVectors& vectors_;
  std::vector<std::string> unknown_;
  std::vector<std::string> composed_;
};

// The vectors of the words, for functions of firth/query.h.
std::vector<absl::Span<const float>> VectorsOf(
    const std::vector<FoundWord>& words);

// The shapes of what stands in many requests and responses.
Property ModelProperty();
Json WordsSchema(size_t low, size_t high, absl::string_view help = "");
Property UnknownProperty();
Json NeighborsSchema();
Json NeighborsJson(const Vocabulary& vocabulary,
                   absl::Span<const Neighbor> neighbors);
// A list of numbers, each of which reads back as the same float; null for one
// that is not finite.
Json NumbersJson(absl::Span<const float> values);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_SERVE_WORD_FINDER_H_
