// The words that all models contain are put in one order, most frequent first.
// From then on, a word has the same id in all models. The band of a word is the
// words around it in that order.

#include "firth/drift.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "firth/align.h"
#include "firth/fields.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

// Rounding error of cosines computed in floats. Equal moves must not differ
// because of it.
constexpr double kCosineRounding = 1e-6;

// A word that all models contain, with its id in each.
struct CommonWord {
  std::vector<WordId> ids;

  size_t rank() const { return Index(*absl::c_max_element(ids)); }
};

using Models = std::vector<const WordVectors*>;

std::optional<CommonWord> FindInAll(const Models& models,
                                    absl::string_view word) {
  CommonWord common;
  for (const WordVectors* model : models) {
    const std::optional<WordId> id = model->vocabulary().Find(word);
    if (!id.has_value() || model->inverse_norms()[Index(*id)] == 0) {
      return std::nullopt;
    }
    common.ids.push_back(*id);
  }
  return common;
}

std::vector<CommonWord> CommonWords(const Models& models, uint64_t restrict) {
  const Vocabulary& first = models[0]->vocabulary();
  std::vector<CommonWord> words;
  for (size_t i = 0; i < first.size(); ++i) {
    auto word = FindInAll(models, first.Word(ToWordId(i)));
    if (word.has_value()) words.push_back(*std::move(word));
  }
  absl::c_stable_sort(words, [](const CommonWord& a, const CommonWord& b) {
    return a.rank() < b.rank();
  });
  if (restrict != 0 && words.size() > restrict) words.resize(restrict);
  return words;
}

// Returns the vectors of the common words in one of the models.
absl::StatusOr<WordVectors> Part(const WordVectors& model, size_t which,
                                 const std::vector<CommonWord>& words) {
  const Vocabulary& vocabulary = model.vocabulary();
  std::vector<absl::string_view> names;
  std::vector<uint64_t> counts;
  std::vector<float> rows(words.size() * model.dim());
  for (size_t i = 0; i < words.size(); ++i) {
    const WordId id = words[i].ids[which];
    names.push_back(vocabulary.Word(id));
    counts.push_back(vocabulary.Count(id));
    model.CopyVector(
        id, absl::MakeSpan(rows).subspan(i * model.dim(), model.dim()));
  }
  FIRTH_ASSIGN_OR_RETURN(Vocabulary part,
                         Vocabulary::Create(names, std::move(counts)));
  return WordVectors::Create(std::move(part),
                             FloatTable(std::move(rows), model.dim()));
}

// Returns the cosine of each word's two vectors after `from` has been rotated
// to `to`.
absl::StatusOr<std::vector<float>> CosinesAfterTurning(const WordVectors& from,
                                                       const WordVectors& to) {
  std::vector<WordPair> pairs;
  for (size_t i = 0; i < from.size(); ++i) {
    pairs.push_back({ToWordId(i), ToWordId(i)});
  }
  FIRTH_ASSIGN_OR_RETURN(const AlignedVectors turned,
                         AlignVectors(from, to, pairs, {}));
  std::vector<float> cosines;
  for (size_t i = 0; i < from.size(); ++i) {
    cosines.push_back(
        Similarity(turned.vectors.Vector(ToWordId(i)), to.Vector(ToWordId(i))));
  }
  return cosines;
}

absl::Status CheckDims(const Models& models) {
  for (const WordVectors* model : models) {
    if (model->dim() == models[0]->dim()) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "the models must have the same number of dimensions, found ",
        models[0]->dim(), " and ", model->dim()));
  }
  return absl::OkStatus();
}

// Returns the neighbors in `of` that are in `other` if `in_other`, and
// otherwise those that are not.
std::vector<Neighbor> Select(absl::Span<const Neighbor> of,
                             absl::Span<const Neighbor> other, bool in_other) {
  absl::flat_hash_set<WordId> others;
  for (const Neighbor& neighbor : other) others.insert(neighbor.word);
  std::vector<Neighbor> selected;
  for (const Neighbor& neighbor : of) {
    if (others.contains(neighbor.word) == in_other) {
      selected.push_back(neighbor);
    }
  }
  return selected;
}

}  // namespace

struct Drift::Body {
  DriftOptions options;
  // Old, new, then the one with another seed.
  std::vector<NearestNeighbors> models;
  std::vector<float> cosines;         // old and new, one per word
  std::vector<float> chance_cosines;  // both seeds, or empty

  std::vector<Neighbor> Find(size_t model, WordId word) const {
    return models[model].FindWord(word, static_cast<size_t>(options.neighbors));
  }
};

Drift::Drift(std::unique_ptr<const Body> body) : body_(std::move(body)) {}
Drift::~Drift() = default;
Drift::Drift(Drift&&) noexcept = default;
Drift& Drift::operator=(Drift&&) noexcept = default;

absl::StatusOr<Drift> Drift::Create(const WordVectors& old_vectors,
                                    const WordVectors& new_vectors,
                                    const DriftOptions& options) {
  return Make({&old_vectors, &new_vectors}, options);
}

absl::StatusOr<Drift> Drift::Create(const WordVectors& old_vectors,
                                    const WordVectors& new_vectors,
                                    const WordVectors& other_seed,
                                    const DriftOptions& options) {
  return Make({&old_vectors, &new_vectors, &other_seed}, options);
}

absl::StatusOr<Drift> Drift::Make(const std::vector<const WordVectors*>& models,
                                  const DriftOptions& options) {
  FIRTH_RETURN_IF_ERROR(options.Validate());
  FIRTH_RETURN_IF_ERROR(CheckDims(models));
  const std::vector<CommonWord> words = CommonWords(models, options.restrict);
  if (words.empty()) {
    return absl::InvalidArgumentError(
        "no word has a nonzero vector in all models");
  }
  std::vector<WordVectors> parts;
  for (size_t i = 0; i < models.size(); ++i) {
    FIRTH_ASSIGN_OR_RETURN(parts.emplace_back(), Part(*models[i], i, words));
  }
  auto body = std::make_unique<Body>();
  body->options = options;
  FIRTH_ASSIGN_OR_RETURN(body->cosines,
                         CosinesAfterTurning(parts[0], parts[1]));
  if (parts.size() > 2) {
    FIRTH_ASSIGN_OR_RETURN(body->chance_cosines,
                           CosinesAfterTurning(parts[0], parts[2]));
  }
  for (WordVectors& part : parts) body->models.emplace_back(std::move(part));
  return Drift(std::move(body));
}

const Vocabulary& Drift::vocabulary() const {
  return body_->models[1].vectors().vocabulary();
}

uint64_t Drift::OldCount(WordId word) const {
  return body_->models[0].vectors().vocabulary().Count(word);
}

WordDrift Drift::Measure(WordId word) const {
  const std::vector<float>& usual =
      body_->chance_cosines.empty() ? body_->cosines : body_->chance_cosines;
  // Near either end of the order, the band is not centered on the word.
  const size_t size = std::min<size_t>(body_->options.band, usual.size());
  const size_t place = Index(word);
  const size_t begin =
      std::min(place - std::min(place, size / 2), usual.size() - size);
  const float cosine = body_->cosines[place];
  size_t lower = 1;
  for (size_t i = begin; i < begin + size; ++i) {
    lower += i != place && usual[i] <= cosine + kCosineRounding;
  }
  return {word, cosine, static_cast<double>(lower) / static_cast<double>(size),
          body_->chance_cosines.empty()
              ? std::numeric_limits<double>::quiet_NaN()
              : body_->chance_cosines[place]};
}

std::vector<WordDrift> Drift::MostMoved(size_t top) const {
  std::vector<WordDrift> words;
  for (size_t i = 0; i < body_->cosines.size(); ++i) {
    words.push_back(Measure(ToWordId(i)));
  }
  absl::c_stable_sort(words, [](const WordDrift& a, const WordDrift& b) {
    return std::pair(a.p, a.cosine) < std::pair(b.p, b.cosine);
  });
  words.resize(std::min(top, words.size()));
  return words;
}

NeighborChange Drift::Neighbors(WordId word) const {
  const std::vector<Neighbor> before = body_->Find(0, word);
  const std::vector<Neighbor> after = body_->Find(1, word);
  NeighborChange change;
  change.lost = Select(before, after, /*in_other=*/false);
  change.won = Select(after, before, /*in_other=*/false);
  change.kept = Select(after, before, /*in_other=*/true);
  change.overlap = Recall(before, after);
  change.chance_overlap = body_->models.size() < 3
                              ? std::numeric_limits<double>::quiet_NaN()
                              : Recall(before, body_->Find(2, word));
  return change;
}

FieldTable DriftOptions::Fields() {
  FieldsOf<DriftOptions> fields;
  fields.Add("restrict", &DriftOptions::restrict,
             "compare only this many of the most frequent words that both "
             "files contain; 0 means all");
  fields.Add("band", &DriftOptions::band,
             "number of words of similar frequency to compare each word's "
             "movement with",
             Field().Range(10, 1'000'000));
  fields.Add(
      "neighbors", &DriftOptions::neighbors,
      "number of neighbors of each word, in each file, that are compared "
      "to find kept, lost and new neighbors",
      Field().Range(1, 10'000));
  return fields;
}

absl::Status DriftOptions::Validate() const { return CheckFields(*this); }

}  // namespace firth
