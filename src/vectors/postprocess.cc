// Every step makes new tables; the vectors given stay as they are. Words and
// n-grams go through the same affine map (minus the center, minus the common
// components), so that a word stays the mean of its n-grams. Making vectors 1
// long is no such map, and n-grams are left out then.

#include "firth/postprocess.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "firth/fields.h"
#include "firth/status_macros.h"
#include "vectors/allocate_table.h"
#include "vectors/principal_components.h"

namespace firth {
namespace {

// A table of `rows` rows, of which fill(row, span) writes each, on all cores.
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

// change(row) for a copy of every row.
template <class Change>
absl::StatusOr<FloatTable> ChangeRows(const FloatTable& table, Change change) {
  return MakeTable(table.rows(), table.cols(),
                   [&](size_t row, absl::Span<float> to) {
                     const auto from = table.Row(row);
                     std::copy(from.begin(), from.end(), to.begin());
                     change(to);
                   });
}

void Normalize(absl::Span<float> row) {
  double squares = 0;
  for (const float value : row) squares += double{value} * value;
  if (squares == 0) return;
  const double scale = 1 / std::sqrt(squares);
  for (float& value : row) value = static_cast<float>(value * scale);
}

// The words of `ids`, with their counts.
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

// The rows of `ids`. They stay where they are if they are the first ones.
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

// Leaves out words and n-grams.
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

// Centers, straightens and normalizes.
absl::StatusOr<WordVectors> Change(const WordVectors& changed,
                                   const PostprocessOptions& options) {
  const auto components = static_cast<size_t>(options.remove_components);
  if (!options.center && components == 0 && !options.normalize) return changed;
  const std::vector<float> center = options.center
                                        ? MeanRow(changed.table())
                                        : std::vector<float>(changed.dim());
  Components removed;
  if (components > 0) {
    FIRTH_ASSIGN_OR_RETURN(
        removed, PrincipalComponents(changed.table(), center, components));
  }
  const auto straighten = [&](absl::Span<float> row) {
    RemoveComponents(center, removed.vectors, row);
  };
  FIRTH_ASSIGN_OR_RETURN(
      FloatTable table, ChangeRows(changed.table(), [&](absl::Span<float> row) {
        straighten(row);
        if (options.normalize) Normalize(row);
      }));
  std::optional<SubwordTables> subwords;
  if (changed.subwords() != nullptr && !options.normalize) {
    subwords = *changed.subwords();
    FIRTH_ASSIGN_OR_RETURN(subwords->words,
                           ChangeRows(subwords->words, straighten));
    FIRTH_ASSIGN_OR_RETURN(subwords->n_grams,
                           ChangeRows(subwords->n_grams, straighten));
  }
  return WordVectors::Create(changed.vocabulary(), std::move(table),
                             std::move(subwords));
}

}  // namespace

FieldTable FieldsFor(const PostprocessOptions*) {
  FieldsOf<PostprocessOptions> fields;
  fields.Add("max-vocab", &PostprocessOptions::max_vocab,
             "keep only this many words, the first ones; 0: all");
  fields.Add("center", &PostprocessOptions::center, "subtract the mean vector");
  fields
      .Add("remove-components", &PostprocessOptions::remove_components,
           "directions to remove, about a hundredth of the dimension")
      .Range(0, 65535);
  fields.Add("normalize", &PostprocessOptions::normalize,
             "make all vectors 1 long; n-grams are lost");
  fields.Add("drop-ngrams", &PostprocessOptions::drop_subwords,
             "leave out n-grams, which may be most of a model: unknown words "
             "have no vectors then");
  fields.Section("Small models");
  fields.Variant(
      "quantize", &PostprocessOptions::form,
      "store the vectors of words in 16 bits a value, in 8, or by product "
      "quantization in a byte for every few values; n-grams stay as they are");
  return fields;
}

absl::Status PostprocessOptions::Validate() const { return CheckFields(*this); }

absl::StatusOr<WordVectors> Postprocess(const WordVectors& vectors,
                                        const PostprocessOptions& options) {
  FIRTH_RETURN_IF_ERROR(options.Validate());
  const auto components = static_cast<size_t>(options.remove_components);
  if (components > 0 && components >= vectors.dim()) {
    return absl::InvalidArgumentError(
        absl::StrCat("remove-components: expected fewer than ", vectors.dim(),
                     " dimensions, found ", components));
  }
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
        "expected words that are among the ", vectors.size(),
        " of the vectors, found none in a list of ", vocabulary.size()));
  }
  return Select(vectors, ids);
}

}  // namespace firth
