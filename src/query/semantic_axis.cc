#include "firth/semantic_axis.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/quote.h"
#include "base/unicode.h"
#include "firth/status_macros.h"
#include "query/unit_rows.h"

namespace firth {
namespace {

bool HasDirection(const std::vector<float>& vector) {
  const std::vector<float> unit = UnitVector(vector);
  return std::any_of(unit.begin(), unit.end(),
                     [](float value) { return value != 0; });
}

std::optional<std::vector<float>> FindVector(const WordVectors& vectors,
                                             const std::string& word,
                                             UnknownWords unknown) {
  const std::optional<WordId> known = vectors.vocabulary().Find(word);
  std::optional<std::vector<float>> vector;
  if (known.has_value()) {
    vector = vectors.CopyVector(*known);
  } else if (unknown == UnknownWords::kSubword) {
    vector = vectors.FromNGrams(word);
  }
  if (vector.has_value() && !HasDirection(*vector)) return std::nullopt;
  return vector;
}

std::vector<float> MeanOfUnits(const FoundWords& words) {
  std::vector<QueryTerm> terms;
  for (const std::vector<float>& vector : words.vectors) {
    terms.push_back({vector, 1 / static_cast<float>(words.vectors.size())});
  }
  return SumOfUnitVectors(terms);
}

absl::StatusOr<std::vector<std::string>> ParseSide(absl::string_view axis,
                                                   absl::string_view side) {
  std::vector<std::string> words =
      absl::StrSplit(side, absl::ByAnyChar(", \t"), absl::SkipEmpty());
  if (!words.empty()) return words;
  return absl::InvalidArgumentError(
      absl::StrCat("an axis has words on both sides of a colon, such as "
                   "\"man:woman\" or \"man,he:woman,she\", found ",
                   Quote(axis)));
}

}  // namespace

absl::StatusOr<FoundWords> FindWords(const WordVectors& vectors,
                                     absl::Span<const std::string> words,
                                     UnknownWords unknown) {
  // Computed on demand because it reads all words, and few questions need it.
  std::optional<bool> folds;
  FoundWords found;
  for (const std::string& asked : words) {
    std::string word = asked;
    if (HasCapitals(word) && !vectors.vocabulary().Find(word).has_value()) {
      if (!folds.has_value()) folds = IsLowercase(vectors.vocabulary());
      if (*folds) word = Lowercase(word);
    }
    auto vector = FindVector(vectors, word, unknown);
    if (vector.has_value()) {
      found.words.push_back(std::move(word));
      found.vectors.push_back(*std::move(vector));
    } else if (unknown == UnknownWords::kError) {
      return absl::NotFoundError(
          absl::StrCat(Quote(word), " is not in the vocabulary"));
    } else {
      found.unknown.push_back(asked);
    }
  }
  return found;
}

absl::StatusOr<AxisWords> ParseAxis(absl::string_view text) {
  const size_t colon = text.find(':');
  AxisWords words;
  FIRTH_ASSIGN_OR_RETURN(words.from, ParseSide(text, text.substr(0, colon)));
  const absl::string_view rest =
      colon == absl::string_view::npos ? "" : text.substr(colon + 1);
  FIRTH_ASSIGN_OR_RETURN(words.to, ParseSide(text, rest));
  return words;
}

absl::StatusOr<SemanticAxis> MakeAxis(const WordVectors& vectors,
                                      const AxisWords& words,
                                      UnknownWords unknown) {
  SemanticAxis axis;
  FIRTH_ASSIGN_OR_RETURN(axis.from, FindWords(vectors, words.from, unknown));
  FIRTH_ASSIGN_OR_RETURN(axis.to, FindWords(vectors, words.to, unknown));
  for (const auto* side : {&axis.from, &axis.to}) {
    if (!side->words.empty()) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "an axis needs a word with a vector on each side; no vector for ",
        Quote(absl::StrJoin(side->unknown, ", "))));
  }
  const std::vector<float> to = MeanOfUnits(axis.to);
  const std::vector<float> from = MeanOfUnits(axis.from);
  std::vector<float> direction(to.size());
  for (size_t i = 0; i < to.size(); ++i) direction[i] = to[i] - from[i];
  axis.direction = UnitVector(direction);
  if (!HasDirection(direction)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "an axis needs different vectors on its two sides, but those of ",
        Quote(absl::StrJoin(axis.from.words, ",")), " and ",
        Quote(absl::StrJoin(axis.to.words, ",")), " are equal"));
  }
  return axis;
}

}  // namespace firth
