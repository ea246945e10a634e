// Estimates the rotation from the rows of both sides, scaled and centered for
// Procrustes. Each refinement round then uses the pairs of words that are each
// other's best translation as a new dictionary.

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "firth/align.h"
#include "firth/fields.h"
#include "firth/status_macros.h"
#include "query/csls.h"
#include "vectors/principal_components.h"
#include "vectors/procrustes.h"
#include "vectors/row_block.h"

namespace firth {
namespace {

// The vectors of one language, as used to estimate the rotation: each is
// multiplied by its scale, and the center is subtracted. Borrows the vectors.
class Side {
 public:
  Side(const WordVectors& vectors, const AlignOptions& options)
      : vectors_(vectors),
        scales_(options.unit_length ? vectors.inverse_norms()
                                    : absl::Span<const float>()),
        center_(options.center ? MeanRow(vectors.table(), scales_)
                               : std::vector<float>(vectors.dim())) {}

  // Copies the scaled and centered vector of a word to `to`, [dim].
  void CopyRow(WordId word, float* to) const {
    const float scale = scales_.empty() ? 1 : scales_[Index(word)];
    const auto values = vectors_.Vector(word);
    for (size_t i = 0; i < values.size(); ++i) {
      to[i] = scale * values[i] - center_[i];
    }
  }
  bool HasNorm(WordId word) const {
    return vectors_.inverse_norms()[Index(word)] != 0;
  }
  size_t dim() const { return vectors_.dim(); }
  absl::Span<const float> scales() const { return scales_; }
  const std::vector<float>& center() const { return center_; }

 private:
  const WordVectors& vectors_;
  absl::Span<const float> scales_;  // [words]; if empty, all are 1.
  std::vector<float> center_;       // [dim]
};

// The rows of a table that refinement compares.
struct FrequentRows {
  RowStore rows;
  std::vector<float> inverse_norms;

  explicit FrequentRows(FloatTable table)
      : rows(std::move(table)), inverse_norms(InverseNorms(rows)) {}
  ScannedRows scanned() const { return {rows, inverse_norms}; }
};

class Aligner {
 public:
  Aligner(const WordVectors& source, const WordVectors& target,
          const AlignOptions& options)
      : source_(source),
        target_(target),
        options_(options),
        source_side_(source, options),
        target_side_(target, options) {}

  // Estimates the rotation from the pairs. Errors: InvalidArgument.
  absl::Status Learn(absl::Span<const WordPair> pairs);
  // Returns the pairs of words that are each other's best translation with the
  // current rotation.
  absl::StatusOr<std::vector<WordPair>> FindPairs() const;
  absl::StatusOr<WordVectors> MoveSource() const;

  const std::vector<float>& rotation() const { return motion_.rotation; }
  const std::vector<uint64_t>& pairs() const { return pairs_; }

 private:
  // Factors of the source's rows before they are moved. None are needed for a
  // rotation without centering, which does not depend on lengths.
  absl::Span<const float> scales() const {
    return options_.center ? source_side_.scales() : absl::Span<const float>();
  }
  absl::StatusOr<std::optional<SubwordTables>> MoveSubwords() const;

  const WordVectors& source_;
  const WordVectors& target_;
  const AlignOptions options_;
  const Side source_side_;
  const Side target_side_;
  RigidMotion motion_;
  std::vector<uint64_t> pairs_;
};

absl::Status Aligner::Learn(absl::Span<const WordPair> pairs) {
  std::vector<WordPair> used;
  for (const WordPair& pair : pairs) {
    if (source_side_.HasNorm(pair.source) &&
        target_side_.HasNorm(pair.target)) {
      used.push_back(pair);
    }
  }
  if (used.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        pairs_.empty() ? "" : absl::StrCat("refinement ", pairs_.size(), ": "),
        "no pair of words has nonzero vectors in both models, so there is no "
        "rotation to estimate"));
  }
  const size_t dim = source_side_.dim();
  FIRTH_ASSIGN_OR_RETURN(
      motion_.rotation,
      ProcrustesRotation(
          used.size(), dim,
          [&](size_t begin, size_t count, float* block) {
            for (size_t i = 0; i < count; ++i) {
              source_side_.CopyRow(used[begin + i].source, block + i * dim);
            }
          },
          [&](size_t begin, size_t count, float* block) {
            for (size_t i = 0; i < count; ++i) {
              target_side_.CopyRow(used[begin + i].target, block + i * dim);
            }
          }));
  motion_.from = source_side_.center();
  motion_.to = target_side_.center();
  pairs_.push_back(used.size());
  return absl::OkStatus();
}

absl::StatusOr<std::vector<WordPair>> Aligner::FindPairs() const {
  const auto frequent = [&](const FloatTable& table) {
    const size_t most =
        options_.refine_words == 0 ? table.rows() : options_.refine_words;
    return table.Rows(0, std::min<size_t>(most, table.rows()));
  };
  FIRTH_ASSIGN_OR_RETURN(
      FloatTable moved, MoveRows(frequent(source_.table()), motion_, scales()));
  return MutualBest(FrequentRows(std::move(moved)).scanned(),
                    FrequentRows(frequent(target_.table())).scanned(),
                    static_cast<size_t>(options_.neighbors));
}

absl::StatusOr<std::optional<SubwordTables>> Aligner::MoveSubwords() const {
  // With centering, words become unit vectors. A mean of n-gram vectors of
  // other lengths would not become the mean of unit vectors.
  if (source_.subwords() == nullptr || !scales().empty()) return std::nullopt;
  SubwordTables subwords = *source_.subwords();
  FIRTH_ASSIGN_OR_RETURN(subwords.words, MoveRows(subwords.words, motion_));
  FIRTH_ASSIGN_OR_RETURN(subwords.n_grams, MoveRows(subwords.n_grams, motion_));
  return subwords;
}

absl::StatusOr<WordVectors> Aligner::MoveSource() const {
  FIRTH_ASSIGN_OR_RETURN(FloatTable moved,
                         MoveRows(source_.table(), motion_, scales()));
  FIRTH_ASSIGN_OR_RETURN(auto subwords, MoveSubwords());
  return WordVectors::Create(source_.vocabulary(), std::move(moved),
                             std::move(subwords));
}

template <class Options>
void AddNeighbors(FieldsOf<Options>* fields) {
  fields->Add("neighbors", &Options::neighbors,
              "number of neighbors whose mean cosine CSLS subtracts",
              Field().Range(1, 1000));
}

}  // namespace

FieldTable AlignOptions::Fields() {
  FieldsOf<AlignOptions> fields;
  fields.Add("unit-length", &AlignOptions::unit_length,
             "estimate the rotation from unit vectors, so that all pairs weigh "
             "the same");
  fields.Add("center", &AlignOptions::center,
             "also move the mean vector of SOURCE onto that of TARGET; all "
             "vectors are normalized to length 1, and n-grams are dropped");
  fields.Add("refine", &AlignOptions::refine,
             "number of refinement rounds; each round estimates the rotation "
             "again from the pairs of words that are each other's best "
             "translation by CSLS",
             Field().Range(0, 1000));
  fields.Add(
      "refine-words", &AlignOptions::refine_words,
      "compare only this many of the most frequent words of each file in "
      "--refine; 0 means all",
      Field().Needs({"refine"}));
  AddNeighbors(&fields);
  return fields;
}

FieldTable TranslateOptions::Fields() {
  FieldsOf<TranslateOptions> fields;
  fields.Choice("retrieval", &TranslateOptions::retrieval, {"cosine", "csls"},
                "choose how translations are ranked: by cosine, or by CSLS, "
                "which corrects for words that are near very many other words");
  fields.Add("restrict", &TranslateOptions::restrict,
             "use only this many of the most frequent words of each file; 0 "
             "means all");
  AddNeighbors(&fields);
  return fields;
}

absl::Status AlignOptions::Validate() const { return CheckFields(*this); }
absl::Status TranslateOptions::Validate() const { return CheckFields(*this); }

absl::StatusOr<AlignedVectors> AlignVectors(const WordVectors& source,
                                            const WordVectors& target,
                                            absl::Span<const WordPair> pairs,
                                            const AlignOptions& options) {
  FIRTH_RETURN_IF_ERROR(options.Validate());
  FIRTH_RETURN_IF_ERROR(CheckSameDim(source, target));
  Aligner aligner(source, target, options);
  FIRTH_RETURN_IF_ERROR(aligner.Learn(pairs));
  for (int round = 0; round < options.refine; ++round) {
    FIRTH_ASSIGN_OR_RETURN(const auto found, aligner.FindPairs());
    FIRTH_RETURN_IF_ERROR(aligner.Learn(found));
  }
  AlignedVectors aligned;
  FIRTH_ASSIGN_OR_RETURN(aligned.vectors, aligner.MoveSource());
  aligned.rotation = FloatTable(aligner.rotation(), source.dim());
  aligned.pairs = aligner.pairs();
  return aligned;
}

}  // namespace firth
