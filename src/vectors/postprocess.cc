// Every step creates new tables; the vectors passed in do not change. Words and
// n-grams go through the same affine map (minus the center, minus the common
// components, or onto the next ones), so that a word remains the mean of its
// n-grams. Weighting or normalizing words is not an affine map, so n-grams are
// dropped in these cases.

#include "firth/postprocess.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/memory_info.h"
#include "firth/fields.h"
#include "firth/status_macros.h"
#include "vectors/principal_components.h"

namespace firth {
namespace {

// Returns a table of `rows` rows. fill(row, span) writes each of them, on all
// cores.
template <class Fill>
absl::StatusOr<FloatTable> MakeTable(size_t rows, size_t cols, Fill fill) {
  FIRTH_ASSIGN_OR_RETURN(PaddedMatrix table,
                         AllocateTable("new vectors", rows, cols));
#pragma omp parallel for schedule(static)
  for (size_t row = 0; row < rows; ++row) {
    fill(row, absl::MakeSpan(table.Row(row), cols));
  }
  return table;
}

// Subtracts the center from a row. Then removes its projections on some
// principal components, or returns its projections on the next ones.
struct AffineMap {
  std::vector<float> center;
  std::vector<float> removed;  // [any, dim]
  std::vector<float> kept;  // [new dim, dim]; empty if all dimensions are kept.

  size_t dim() const { return center.size(); }
  size_t new_dim() const { return kept.empty() ? dim() : kept.size() / dim(); }

  void operator()(absl::Span<const float> from, absl::Span<float> to) const {
    if (kept.empty()) {
      std::copy(from.begin(), from.end(), to.begin());
      RemoveComponents(center, removed, to);
      return;
    }
    for (size_t k = 0; k < to.size(); ++k) {
      const float* const component = kept.data() + k * dim();
      double sum = 0;
      for (size_t d = 0; d < dim(); ++d) {
        sum += double{component[d]} * (from[d] - center[d]);
      }
      to[k] = static_cast<float>(sum);
    }
  }
};

absl::StatusOr<FloatTable> MapRows(const FloatTable& table,
                                   const AffineMap& map) {
  return MakeTable(
      table.rows(), map.new_dim(),
      [&](size_t row, absl::Span<float> to) { map(table.Row(row), to); });
}

absl::StatusOr<AffineMap> MapFor(const FloatTable& table,
                                 const PostprocessOptions& options) {
  const auto removed = static_cast<size_t>(options.remove_components);
  const auto kept = static_cast<size_t>(options.keep_components);
  AffineMap map;
  map.center =
      options.center ? MeanRow(table) : std::vector<float>(table.cols());
  if (removed + kept == 0) return map;
  FIRTH_ASSIGN_OR_RETURN(
      const Components components,
      PrincipalComponents(table, map.center, removed + kept));
  const auto border = components.vectors.begin() +
                      static_cast<ptrdiff_t>(removed * table.cols());
  map.removed.assign(components.vectors.begin(), border);
  map.kept.assign(border, components.vectors.end());
  return map;
}

// By Zipf's law, the frequency of the word at position i is proportional to 1 /
// (i + 2). The first rank is 2, as in model2vec (Tulkens and van Dongen 2024).
double ZipfFrequency(size_t position) {
  return 1 / static_cast<double>(position + 2);
}

// Returns whether the counts indicate which words are frequent.
bool CountsDiffer(const Vocabulary& words) {
  for (size_t i = 1; i < words.size(); ++i) {
    if (words.Count(ToWordId(i)) != words.Count(ToWordId(0))) return true;
  }
  return false;
}

// Returns the factor of each word.
std::vector<float> FrequencyWeights(const Vocabulary& words, double sif) {
  const bool counted = CountsDiffer(words);
  double sum = 0;
  for (size_t i = 0; i < words.size() && !counted; ++i) sum += ZipfFrequency(i);
  const auto tokens = static_cast<double>(words.total_count());
  std::vector<float> weights;
  for (size_t i = 0; i < words.size(); ++i) {
    const double share =
        counted ? static_cast<double>(words.Count(ToWordId(i))) / tokens
                : ZipfFrequency(i) / sum;
    weights.push_back(static_cast<float>(sif / (sif + share)));
  }
  return weights;
}

void Normalize(absl::Span<float> row) {
  double squares = 0;
  for (const float value : row) squares += double{value} * value;
  if (squares == 0) return;
  const double scale = 1 / std::sqrt(squares);
  for (float& value : row) value = static_cast<float>(value * scale);
}

// Returns the words of `ids`, with their counts.
absl::StatusOr<Vocabulary> WordsOf(const Vocabulary& vocabulary,
                                   const std::vector<WordId>& ids) {
  std::vector<absl::string_view> words;
  std::vector<uint64_t> counts;
  for (const WordId id : ids) {
    words.push_back(vocabulary.Word(id));
    counts.push_back(vocabulary.Count(id));
  }
  return Vocabulary::Create(words, std::move(counts));
}

// Returns the rows of `ids`, in place if they are the first ones.
absl::StatusOr<FloatTable> RowsOf(const FloatTable& table,
                                  const std::vector<WordId>& ids) {
  if (table.empty()) return table;
  bool first = true;
  for (size_t i = 0; i < ids.size(); ++i) first = first && Index(ids[i]) == i;
  if (first) return table.Rows(0, ids.size());
  return MakeTable(ids.size(), table.cols(),
                   [&](size_t row, absl::Span<float> to) {
                     const auto from = table.Row(Index(ids[row]));
                     std::copy(from.begin(), from.end(), to.begin());
                   });
}

absl::StatusOr<WordVectors> Select(const WordVectors& vectors,
                                   const std::vector<WordId>& ids) {
  FIRTH_ASSIGN_OR_RETURN(Vocabulary words, WordsOf(vectors.vocabulary(), ids));
  FIRTH_ASSIGN_OR_RETURN(FloatTable table, ToFloatTable(vectors.rows()));
  FIRTH_ASSIGN_OR_RETURN(table, RowsOf(table, ids));
  std::optional<SubwordTables> subwords;
  if (vectors.subwords() != nullptr) {
    subwords = *vectors.subwords();
    FIRTH_ASSIGN_OR_RETURN(subwords->words, RowsOf(subwords->words, ids));
  }
  return WordVectors::Create(std::move(words), std::move(table),
                             std::move(subwords));
}

// Drops words and n-grams.
absl::StatusOr<WordVectors> Prune(WordVectors changed,
                                  const PostprocessOptions& options) {
  if (options.max_vocab > 0 && options.max_vocab < changed.size()) {
    std::vector<WordId> ids;
    for (size_t i = 0; i < options.max_vocab; ++i) ids.push_back(ToWordId(i));
    FIRTH_ASSIGN_OR_RETURN(changed, Select(changed, ids));
  }
  if (options.drop_subwords && changed.subwords() != nullptr) {
    FIRTH_ASSIGN_OR_RETURN(
        changed, WordVectors::Create(changed.vocabulary(), changed.table()));
  }
  return changed;
}

absl::Status CheckComponents(const PostprocessOptions& options, size_t dim) {
  const auto removed = static_cast<size_t>(options.remove_components);
  const auto kept = static_cast<size_t>(options.keep_components);
  if (removed > 0 && removed >= dim) {
    return absl::InvalidArgumentError(
        absl::StrCat("remove-components: must be below ", dim,
                     ", the number of dimensions, found ", removed));
  }
  if (removed + kept <= dim) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "keep-components: must be at most the ", dim - removed,
      " dimensions that are left after remove-components, found ", kept));
}

absl::StatusOr<FloatTable> MakeWords(const WordVectors& vectors,
                                     const AffineMap& map,
                                     const PostprocessOptions& options) {
  std::vector<float> weights;
  if (options.sif > 0) {
    weights = FrequencyWeights(vectors.vocabulary(), options.sif);
  }
  return MakeTable(vectors.size(), map.new_dim(),
                   [&](size_t row, absl::Span<float> to) {
                     map(vectors.table().Row(row), to);
                     if (!weights.empty()) {
                       for (float& value : to) value *= weights[row];
                     }
                     if (options.normalize) Normalize(to);
                   });
}

// Centers, removes components, projects, weights and normalizes.
absl::StatusOr<WordVectors> Change(const WordVectors& changed,
                                   const PostprocessOptions& options) {
  const bool of_words = options.normalize || options.sif > 0;
  if (!options.center && options.remove_components == 0 &&
      options.keep_components == 0 && !of_words) {
    return changed;
  }
  FIRTH_ASSIGN_OR_RETURN(const AffineMap map, MapFor(changed.table(), options));
  FIRTH_ASSIGN_OR_RETURN(FloatTable table, MakeWords(changed, map, options));
  std::optional<SubwordTables> subwords;
  if (changed.subwords() != nullptr && !of_words) {
    subwords = *changed.subwords();
    FIRTH_ASSIGN_OR_RETURN(subwords->words, MapRows(subwords->words, map));
    FIRTH_ASSIGN_OR_RETURN(subwords->n_grams, MapRows(subwords->n_grams, map));
  }
  return WordVectors::Create(changed.vocabulary(), std::move(table),
                             std::move(subwords));
}

}  // namespace

FieldTable PostprocessOptions::Fields() {
  FieldsOf<PostprocessOptions> fields;
  fields.Add("max-vocab", &PostprocessOptions::max_vocab,
             "maximum number of words to keep, from the start of the file; 0 "
             "keeps all");
  fields.Add("center", &PostprocessOptions::center, "subtract the mean vector");
  fields.Add(
      "remove-components", &PostprocessOptions::remove_components,
      "number of principal components to remove; about a hundredth of the "
      "dimensions is usual",
      Field().Range(0, 65535));
  fields.Add("keep-components", &PostprocessOptions::keep_components,
             "number of dimensions to keep after --remove-components, in the "
             "order of their variance; 0 keeps all",
             Field().Range(0, 65535));
  fields.Add("sif", &PostprocessOptions::sif,
             "reduce the weight of frequent words: multiply each vector by A / "
             "(A + the word's fraction of all tokens), which improves sums of "
             "words; about 1e-4 is usual. N-grams are dropped; 0 turns it off",
             Field().ValueName("A").Range(0, 1e9));
  fields.Add("normalize", &PostprocessOptions::normalize,
             "scale all vectors to length 1; n-grams are dropped");
  fields.Add("drop-ngrams", &PostprocessOptions::drop_subwords,
             "drop the n-grams, which may be most of the file; unknown words "
             "then have no vectors");
  fields.Section("Small models");
  fields.Variant("quantize", &PostprocessOptions::form,
                 "store word vectors in fewer bits: float16 (16 bits per "
                 "value), int8 (8 bits per value) or pq (product quantization, "
                 "one byte for several values). N-grams are not quantized");
  return fields;
}

absl::Status PostprocessOptions::Validate() const { return CheckFields(*this); }

absl::StatusOr<WordVectors> Postprocess(const WordVectors& vectors,
                                        const PostprocessOptions& options) {
  FIRTH_RETURN_IF_ERROR(options.Validate());
  FIRTH_RETURN_IF_ERROR(CheckComponents(options, vectors.dim()));
  FIRTH_ASSIGN_OR_RETURN(WordVectors changed, Dequantize(vectors));
  FIRTH_ASSIGN_OR_RETURN(changed, Prune(std::move(changed), options));
  FIRTH_ASSIGN_OR_RETURN(changed, Change(changed, options));
  if (std::holds_alternative<ToFloat32>(options.form)) return changed;
  return Quantize(changed, options.form);
}

absl::StatusOr<WordVectors> SelectWords(const WordVectors& vectors,
                                        const Vocabulary& vocabulary) {
  std::vector<WordId> ids;
  for (size_t i = 0; i < vectors.size(); ++i) {
    const WordId id = ToWordId(i);
    if (vocabulary.Find(vectors.vocabulary().Word(id)).has_value()) {
      ids.push_back(id);
    }
  }
  if (ids.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "none of the ", vocabulary.size(), " words in the list is among the ",
        vectors.size(), " words that have a vector"));
  }
  return Select(vectors, ids);
}

}  // namespace firth
