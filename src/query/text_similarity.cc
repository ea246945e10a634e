// Each text becomes a bag: its distinct words with their counts and unit
// vectors. The measures then use the cosines between the words of two bags.

#include "firth/text_similarity.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/unicode.h"
#include "firth/fields.h"
#include "firth/query.h"
#include "firth/sentence_vectors.h"
#include "firth/status_macros.h"
#include "query/transport.h"
#include "query/unit_rows.h"

namespace firth {
namespace {

struct Bag {
  std::vector<std::string> words;
  std::vector<uint64_t> counts;             // Count of each word.
  std::vector<std::vector<float>> vectors;  // Vector of each word, [dim].
  std::vector<std::vector<float>> units;    // Vectors scaled to length 1.
  uint64_t total = 0;                       // Sum of the counts.

  size_t size() const { return words.size(); }
};

std::optional<std::vector<float>> VectorOf(const WordVectors& vectors,
                                           const std::string& word,
                                           bool subwords) {
  const std::optional<WordId> known = vectors.vocabulary().Find(word);
  if (known.has_value()) return vectors.CopyVector(*known);
  if (!subwords) return std::nullopt;
  return vectors.FromNGrams(word);
}

Bag MakeBag(const WordVectors& vectors, const TextSimilarityOptions& options,
            absl::Span<const absl::string_view> words) {
  absl::flat_hash_map<std::string, uint64_t> counts;
  std::vector<std::string> order;
  for (const absl::string_view part : words) {
    std::string word = options.lowercase ? Lowercase(part) : std::string(part);
    if (++counts[word] == 1) order.push_back(std::move(word));
  }
  Bag bag;
  for (std::string& word : order) {
    const auto vector = VectorOf(vectors, word, options.subwords);
    if (!vector.has_value()) continue;
    std::vector<float> unit = UnitVector(*vector);
    if (absl::c_all_of(unit, [](float value) { return value == 0; })) continue;
    bag.counts.push_back(counts[word]);
    bag.total += counts[word];
    bag.words.push_back(std::move(word));
    bag.vectors.push_back(*vector);
    bag.units.push_back(std::move(unit));
  }
  return bag;
}

double Cosine(absl::Span<const float> a, absl::Span<const float> b) {
  double dot = 0;
  for (size_t i = 0; i < a.size(); ++i) dot += double{a[i]} * b[i];
  return std::clamp(dot, -1.0, 1.0);
}

// Returns the sum of the vectors, weighted by the counts of the words.
std::vector<float> SumOf(const Bag& bag) {
  std::vector<float> sum(bag.vectors[0].size());
  for (size_t i = 0; i < bag.size(); ++i) {
    for (size_t j = 0; j < sum.size(); ++j) {
      sum[j] += static_cast<float>(bag.counts[i]) * bag.vectors[i][j];
    }
  }
  return sum;
}

// Returns a' S b, where S is the matrix of the similarities of words.
double SoftProduct(const Bag& a, const Bag& b,
                   const TextSimilarityOptions& options) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    for (size_t j = 0; j < b.size(); ++j) {
      const double both =
          static_cast<double>(a.counts[i]) * static_cast<double>(b.counts[j]);
      const double cosine = Cosine(a.units[i], b.units[j]);
      if (a.words[i] == b.words[j]) {
        sum += both;
      } else if (cosine > options.threshold) {
        sum += both * std::pow(std::max(cosine, 0.0), options.exponent);
      }
    }
  }
  return sum;
}

double SoftCosine(const Bag& a, const Bag& b,
                  const TextSimilarityOptions& options) {
  // S may not be positive definite, so the quotient may leave [0, 1].
  const double cosine =
      SoftProduct(a, b, options) /
      std::sqrt(SoftProduct(a, a, options) * SoftProduct(b, b, options));
  return std::clamp(cosine, 0.0, 1.0);
}

// Returns the Euclidean distance of two unit vectors. It is computed from the
// coordinates because 2 - 2 cos is inaccurate for small distances.
double Distance(absl::Span<const float> a, absl::Span<const float> b) {
  double squares = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double difference = double{a[i]} - b[i];
    squares += difference * difference;
  }
  return std::sqrt(squares);
}

// The amounts that must be moved if the words that both texts contain stay in
// place. By the triangle inequality, moving these would not shorten the
// distance.
struct Moves {
  std::vector<uint64_t> supplies, demands;
  std::vector<size_t> from, to;  // Indexes of words in a and b.
  std::vector<double> costs;     // [from, to]
};

std::vector<size_t> NonZero(const std::vector<uint64_t>& amounts) {
  std::vector<size_t> places;
  for (size_t i = 0; i < amounts.size(); ++i) {
    if (amounts[i] > 0) places.push_back(i);
  }
  return places;
}

// Each text has a.total * b.total units, so that all amounts are whole numbers.
Moves PlanMoves(const Bag& a, const Bag& b) {
  std::vector<uint64_t> supplies, demands;
  absl::flat_hash_map<absl::string_view, size_t> places;
  for (const uint64_t count : a.counts) supplies.push_back(count * b.total);
  for (const uint64_t count : b.counts) demands.push_back(count * a.total);
  for (size_t i = 0; i < a.size(); ++i) places[a.words[i]] = i;
  for (size_t j = 0; j < b.size(); ++j) {
    const auto same = places.find(b.words[j]);
    if (same == places.end()) continue;
    const uint64_t stays = std::min(supplies[same->second], demands[j]);
    supplies[same->second] -= stays;
    demands[j] -= stays;
  }
  Moves moves;
  moves.from = NonZero(supplies);
  moves.to = NonZero(demands);
  for (const size_t i : moves.from) {
    moves.supplies.push_back(supplies[i]);
    for (const size_t j : moves.to) {
      moves.costs.push_back(Distance(a.units[i], b.units[j]));
    }
  }
  for (const size_t j : moves.to) moves.demands.push_back(demands[j]);
  return moves;
}

// Each pair of words takes 16 bytes, and the time grows faster than the number
// of pairs.
constexpr size_t kMostPairs = size_t{1} << 24;

absl::StatusOr<double> WordMovers(const Bag& a, const Bag& b) {
  if (a.size() > kMostPairs / b.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the texts have ", a.size(), " times ", b.size(),
                     " pairs of different words, but at most ", kMostPairs,
                     " are allowed; the relaxed distance has no such limit"));
  }
  const Moves moves = PlanMoves(a, b);
  return TransportCost(moves.supplies, moves.demands, moves.costs) /
         (static_cast<double>(a.total) * static_cast<double>(b.total));
}

// Returns the mean distance of the words of `a` to the nearest one of `b`.
double ToNearest(const Bag& a, const Bag& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    double nearest = Distance(a.units[i], b.units[0]);
    for (const std::vector<float>& unit : b.units) {
      nearest = std::min(nearest, Distance(a.units[i], unit));
    }
    sum += nearest * static_cast<double>(a.counts[i]);
  }
  return sum / static_cast<double>(a.total);
}

absl::Status NoWord(bool of_second) {
  return absl::NotFoundError(absl::StrCat(
      "no word of the ", of_second ? "second" : "first", " text has a vector"));
}

}  // namespace

FieldTable TextSimilarityOptions::Fields() {
  FieldsOf<TextSimilarityOptions> fields;
  fields.Choice(
      "measure", &TextSimilarityOptions::measure,
      {"mean", "soft-cosine", "wmd", "relaxed-wmd", "auto"},
      "choose the measure: mean is the cosine of the vectors of the texts; "
      "soft-cosine compares bags of words and takes the similarity of "
      "different "
      "words into account; wmd is the word mover's distance; relaxed-wmd is a "
      "lower bound of that distance, and faster for long texts; auto is mean "
      "for sentence models and other models that encode texts, and wmd for "
      "vectors of words");
  fields.Add("exponent", &TextSimilarityOptions::exponent,
             "raise the cosine of two words to this power",
             Field().Range(0, 100).Needs({"measure"}, {"soft-cosine"}));
  fields.Add("threshold", &TextSimilarityOptions::threshold,
             "treat words as unrelated if their cosine is at most this",
             Field().Range(0, 1).Needs({"measure"}, {"soft-cosine"}));
  fields.Add("lowercase", &TextSimilarityOptions::lowercase,
             "convert words to lower case first");
  fields.Add(
      "subwords", &TextSimilarityOptions::subwords,
      "build the vectors of unknown words from n-grams, if the model has "
      "them",
      Field().Unlisted());
  return fields;
}

absl::Status TextSimilarityOptions::Validate() const {
  return CheckFields(*this);
}

absl::StatusOr<TextComparer> TextComparer::Create(
    WordVectors vectors, const TextSimilarityOptions& options) {
  FIRTH_RETURN_IF_ERROR(options.Validate());
  TextComparer comparer(std::move(vectors), options);
  if (comparer.encoder() != nullptr) {
    FIRTH_RETURN_IF_ERROR(comparer.encoder()->Check());
  }
  return comparer;
}

const TextEncoder* TextComparer::encoder() const {
  const bool of_means = options_.measure == TextMeasure::kMean ||
                        options_.measure == TextMeasure::kAutomatic;
  return of_means && options_.subwords ? vectors_.text_encoder() : nullptr;
}

absl::StatusOr<double> TextComparer::CompareTexts(absl::string_view a,
                                                  absl::string_view b) const {
  const auto words_of = [](absl::string_view text) {
    return std::vector<absl::string_view>(absl::StrSplit(
        text, absl::ByAnyChar(" \t\n\v\f\r"), absl::SkipEmpty()));
  };
  if (encoder() == nullptr) return Compare(words_of(a), words_of(b));
  std::vector<float> vectors[2];
  for (const bool second : {false, true}) {
    std::vector<float>& vector = vectors[second];
    vector.resize(vectors_.dim());
    const absl::string_view text = second ? b : a;
    FIRTH_ASSIGN_OR_RETURN(
        const size_t words,
        encoder()->Encode(
            options_.lowercase ? Lowercase(text) : std::string(text),
            /*unit_words=*/false, absl::MakeSpan(vector)));
    if (words == 0) return NoWord(second);
  }
  return Similarity(vectors[0], vectors[1]);
}

absl::StatusOr<double> TextComparer::Compare(
    absl::Span<const absl::string_view> a,
    absl::Span<const absl::string_view> b) const {
  const Bag bag_a = MakeBag(vectors_, options_, a);
  const Bag bag_b = MakeBag(vectors_, options_, b);
  if (bag_a.size() == 0 || bag_b.size() == 0) {
    return NoWord(bag_a.size() != 0);
  }
  switch (options_.measure) {
    case TextMeasure::kMean:
      return Similarity(SumOf(bag_a), SumOf(bag_b));
    case TextMeasure::kSoftCosine:
      return SoftCosine(bag_a, bag_b, options_);
    case TextMeasure::kWordMovers:
    case TextMeasure::kAutomatic:
      return WordMovers(bag_a, bag_b);
    case TextMeasure::kRelaxedWordMovers:
      return std::max(ToNearest(bag_a, bag_b), ToNearest(bag_b, bag_a));
  }
  return absl::InvalidArgumentError("unknown measure");
}

}  // namespace firth
