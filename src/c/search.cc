// Searches and computations on vectors: neighbors for batches of questions, and
// vectors of sentences.

#include <algorithm>
#include <limits>
#include <memory>
#include <variant>

#include "absl/strings/str_cat.h"
#include "c/call.h"
#include "c/call_options.h"
#include "c/long_call.h"
#include "c/models.h"
#include "firth/query.h"
#include "firth/sentence_vectors.h"

struct FirthSentenceEncoder : firth::SentenceEncoder {
  static constexpr absl::string_view kName = "FirthSentenceEncoder";
  explicit FirthSentenceEncoder(firth::SentenceEncoder encoder)
      : firth::SentenceEncoder(std::move(encoder)) {}
};

namespace firth::c {
namespace {

absl::StatusOr<NearestNeighbors> Open(const WordVectors& vectors,
                                      SearchSettings settings,
                                      const Hooks& hooks) {
  if (auto* const hnsw = std::get_if<HnswSearch>(&settings.search)) {
    if (settings.index.empty()) {
      return absl::InvalidArgumentError(
          "index: give the path of an index file, as firth_index_build() "
          "writes it");
    }
    hnsw->path = settings.index;
  }
  return NearestNeighbors::Create(vectors, settings.search, settings.restrict,
                                  hooks);
}

using Answers = std::vector<std::vector<Neighbor>>;

// The caller's arrays that answers are written to: ids [n, k], scores [n, k].
struct Places {
  int64_t n;
  int64_t k;
  int64_t* ids;
  float* scores;

  absl::Status Check() const {
    FIRTH_RETURN_IF_ERROR(CheckCount("n", n));
    FIRTH_RETURN_IF_ERROR(CheckCount("k", k));
    // No memory has room for so many: the number is a slip.
    constexpr int64_t kMostAnswers = int64_t{1} << 48;
    if (k > 0 && n > kMostAnswers / k) {
      return absl::InvalidArgumentError(
          absl::StrCat("k: ", k, " answers to each of ", n,
                       " questions are too many; at most ", kMostAnswers,
                       " answers are allowed"));
    }
    FIRTH_RETURN_IF_ERROR(CheckArray("ids", ids, std::min(n, k)));
    return CheckArray("scores", scores, std::min(n, k));
  }
  // How many answers to look for among so many words.
  size_t Top(size_t vocab_size) const {
    return std::min(static_cast<size_t>(k), vocab_size);
  }
  // Errors: Cancelled, where the search was.
  absl::Status Write(const Answers& answers, const Hooks& hooks) const {
    if (hooks.StopRequested()) return absl::CancelledError("interrupted");
    int64_t* id = ids;
    float* score = scores;
    for (const std::vector<Neighbor>& found : answers) {
      for (const Neighbor& neighbor : found) {
        *id++ = static_cast<int64_t>(Index(neighbor.word));
        *score++ = neighbor.score;
      }
      const size_t rest = static_cast<size_t>(k) - found.size();
      id = std::fill_n(id, rest, int64_t{-1});
      score = std::fill_n(score, rest, std::numeric_limits<float>::quiet_NaN());
    }
    return absl::OkStatus();
  }
};

// The body of a call that searches: `find` returns the answers to its queries,
// at most `top` to each.
FirthStatus* Search(
    const FirthSearch* search, const Places& places, FirthProgress progress,
    void* context,
    absl::FunctionRef<absl::StatusOr<Answers>(const FirthSearch& index,
                                              size_t top, const Hooks& hooks)>
        find) {
  return AnswerLong(progress, context, [&](const Hooks& hooks) -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto index, Take("search", search));
    FIRTH_RETURN_IF_ERROR(places.Check());
    FIRTH_ASSIGN_OR_RETURN(const Answers answers,
                           find(*index, places.Top(index->size()), hooks));
    return places.Write(answers, hooks);
  });
}

// The words that are no answers of each of n questions.
absl::StatusOr<std::vector<std::vector<WordId>>> ExcludedOf(
    const int64_t* exclude, const int64_t* offsets, int64_t n,
    size_t vocab_size) {
  std::vector<std::vector<WordId>> excluded(static_cast<size_t>(n));
  if (exclude == nullptr && offsets == nullptr) return excluded;
  FIRTH_RETURN_IF_ERROR(CheckOffsets("exclude_offsets", offsets, n));
  for (size_t i = 0; i < excluded.size(); ++i) {
    const int64_t count = offsets[i + 1] - offsets[i];
    if (count == 0) continue;
    FIRTH_RETURN_IF_ERROR(CheckArray("exclude", exclude, count));
    FIRTH_ASSIGN_OR_RETURN(
        excluded[i], IdsOf("exclude", exclude + offsets[i], count, vocab_size));
  }
  return excluded;
}

// The questions of firth_search_sums(), each of at least one term.
absl::StatusOr<std::vector<SumQuery>> SumsOf(const float* terms,
                                             const float* weights,
                                             const int64_t* offsets, int64_t n,
                                             size_t dim) {
  std::vector<SumQuery> queries(static_cast<size_t>(n));
  if (n == 0) return queries;
  FIRTH_RETURN_IF_ERROR(CheckOffsets("offsets", offsets, n));
  FIRTH_RETURN_IF_ERROR(CheckArray("terms", terms, offsets[n] - offsets[0]));
  FIRTH_RETURN_IF_ERROR(
      CheckArray("weights", weights, offsets[n] - offsets[0]));
  for (size_t i = 0; i < queries.size(); ++i) {
    if (offsets[i] == offsets[i + 1]) {
      return absl::InvalidArgumentError(
          absl::StrCat("terms: question ", i,
                       " has no terms; each question needs at least one"));
    }
    for (int64_t term = offsets[i]; term < offsets[i + 1]; ++term) {
      const absl::Span<const float> vector(
          terms + static_cast<size_t>(term) * dim, dim);
      FIRTH_RETURN_IF_ERROR(CheckFinite("weights", {weights + term, 1}, term));
      FIRTH_RETURN_IF_ERROR(CheckFinite("terms", vector, term));
      queries[i].terms.push_back({vector, weights[term]});
    }
  }
  return queries;
}

Answers FindSums(const NearestNeighbors& neighbors,
                 const std::vector<SumQuery>& queries, size_t top,
                 AnalogyMethod method, const Hooks& hooks) {
  Answers answers;
  if (method == AnalogyMethod::kMul) {
    for (const SumQuery& query : queries) {
      if (hooks.StopRequested()) break;
      hooks.ReportWork(answers.size(), queries.size());
      answers.push_back(neighbors.FindSum(query, top, method));
    }
    return answers;
  }
  std::vector<std::vector<float>> sums;
  std::vector<NeighborQuery> together;
  sums.reserve(queries.size());
  for (const SumQuery& query : queries) {
    sums.push_back(SumOfUnitVectors(query.terms));
    together.push_back({sums.back(), query.exclude});
  }
  return neighbors.FindAll(together, top, hooks);
}

// The vectors of words that were not looked at when they were loaded may hold
// anything.
absl::Status CheckVector(absl::Span<const float> vector, size_t text) {
  if (CheckFinite("", vector, 0).ok()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("texts: a word in text ", text,
                   " has a vector that is not finite; load the vectors with "
                   "\"checked\": true to find it"));
}

}  // namespace

extern "C" {

FirthStatus* firth_search_create(const FirthVectors* vectors,
                                 const char* options, int64_t options_size,
                                 FirthProgress progress, void* context,
                                 FirthSearch** search) {
  return AnswerLong(progress, context, [&](const Hooks& hooks) -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto model, Take("vectors", vectors));
    FIRTH_ASSIGN_OR_RETURN(auto settings,
                           OptionsOf<SearchSettings>(options, options_size));
    FIRTH_RETURN_IF_ERROR(CheckPlace("search", search));
    return SetHandle(search,
                     Open(model->vectors(), std::move(settings), hooks));
  });
}

void firth_search_free(FirthSearch* search) { FreeHandle(search); }

FirthStatus* firth_search_words(const FirthSearch* search, const int64_t* words,
                                int64_t n, int64_t k, FirthProgress progress,
                                void* context, int64_t* ids, float* scores) {
  const auto find = [&](const FirthSearch& index, size_t top,
                        const Hooks& hooks) -> absl::StatusOr<Answers> {
    FIRTH_ASSIGN_OR_RETURN(const auto asked,
                           IdsOf("words", words, n, index.size()));
    return index.FindWords(asked, top, hooks);
  };
  return Search(search, {n, k, ids, scores}, progress, context, find);
}

FirthStatus* firth_search_vectors(const FirthSearch* search,
                                  const float* vectors, int64_t n,
                                  const int64_t* exclude,
                                  const int64_t* exclude_offsets, int64_t k,
                                  FirthProgress progress, void* context,
                                  int64_t* ids, float* scores) {
  const auto find = [&](const FirthSearch& index, size_t top,
                        const Hooks& hooks) -> absl::StatusOr<Answers> {
    FIRTH_RETURN_IF_ERROR(CheckArray("vectors", vectors, n));
    FIRTH_ASSIGN_OR_RETURN(
        auto excluded, ExcludedOf(exclude, exclude_offsets, n, index.size()));
    std::vector<NeighborQuery> queries;
    queries.reserve(excluded.size());
    for (std::vector<WordId>& words : excluded) {
      const absl::Span<const float> vector(vectors, index.dim());
      FIRTH_RETURN_IF_ERROR(
          CheckFinite("vectors", vector, static_cast<int64_t>(queries.size())));
      queries.push_back({vector, std::move(words)});
      vectors += index.dim();
    }
    return index.FindAll(queries, top, hooks);
  };
  return Search(search, {n, k, ids, scores}, progress, context, find);
}

FirthStatus* firth_search_sums(const FirthSearch* search, const float* terms,
                               const float* weights, const int64_t* offsets,
                               int64_t n, const int64_t* exclude,
                               const int64_t* exclude_offsets,
                               const char* options, int64_t options_size,
                               int64_t k, FirthProgress progress, void* context,
                               int64_t* ids, float* scores) {
  const auto find = [&](const FirthSearch& index, size_t top,
                        const Hooks& hooks) -> absl::StatusOr<Answers> {
    FIRTH_ASSIGN_OR_RETURN(const auto settings,
                           OptionsOf<SumSettings>(options, options_size));
    FIRTH_ASSIGN_OR_RETURN(auto queries,
                           SumsOf(terms, weights, offsets, n, index.dim()));
    FIRTH_ASSIGN_OR_RETURN(
        auto excluded, ExcludedOf(exclude, exclude_offsets, n, index.size()));
    for (size_t i = 0; i < queries.size(); ++i) {
      queries[i].exclude = std::move(excluded[i]);
    }
    return FindSums(index, queries, top, settings.method, hooks);
  };
  return Search(search, {n, k, ids, scores}, progress, context, find);
}

FirthStatus* firth_search_cosines(const FirthSearch* search,
                                  const float* vector, float* scores,
                                  int64_t* n) {
  return Answer([&]() -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto index, Take("search", search));
    FIRTH_RETURN_IF_ERROR(CheckArray("vector", vector, 1));
    FIRTH_RETURN_IF_ERROR(CheckPlace("scores", scores));
    FIRTH_RETURN_IF_ERROR(CheckPlace("n", n));
    const absl::Span<const float> query(vector, index->dim());
    FIRTH_RETURN_IF_ERROR(CheckFinite("vector", query, 0));
    const std::vector<float> cosines = index->Cosines(query);
    std::copy(cosines.begin(), cosines.end(), scores);
    *n = static_cast<int64_t>(cosines.size());
    return absl::OkStatus();
  });
}

FirthStatus* firth_index_build(const FirthVectors* vectors, const char* path,
                               int64_t path_size, const char* options,
                               int64_t options_size, FirthProgress progress,
                               void* context) {
  return AnswerLong(progress, context, [&](const Hooks& hooks) -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto model, Take("vectors", vectors));
    FIRTH_ASSIGN_OR_RETURN(const auto file, PathOf(path, path_size));
    FIRTH_ASSIGN_OR_RETURN(const auto settings,
                           OptionsOf<HnswOptions>(options, options_size));
    return BuildHnswIndex(model->vectors(), settings, file, hooks);
  });
}

FirthStatus* firth_sentence_encoder_create(const FirthVectors* vectors,
                                           const char* options,
                                           int64_t options_size,
                                           FirthSentenceEncoder** encoder) {
  return Answer([&]() -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto model, Take("vectors", vectors));
    FIRTH_ASSIGN_OR_RETURN(const auto settings,
                           OptionsOf<SentenceOptions>(options, options_size));
    FIRTH_RETURN_IF_ERROR(CheckPlace("encoder", encoder));
    return SetHandle(encoder,
                     SentenceEncoder::Create(model->vectors(), settings));
  });
}

void firth_sentence_encoder_free(FirthSentenceEncoder* encoder) {
  FreeHandle(encoder);
}

FirthStatus* firth_sentence_encoder_encode(const FirthSentenceEncoder* encoder,
                                           const char* texts,
                                           const int64_t* offsets, int64_t n,
                                           FirthProgress progress,
                                           void* context, float* rows,
                                           int64_t* known) {
  return AnswerLong(progress, context, [&](const Hooks& hooks) -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto with, Take("encoder", encoder));
    FIRTH_ASSIGN_OR_RETURN(const auto sentences,
                           TextsOf("texts", texts, offsets, n));
    FIRTH_RETURN_IF_ERROR(CheckArray("rows", rows, n));
    const size_t dim = with->dim();
    // Encode() writes all values.
    const size_t size = sentences.size() * dim;
    const auto made = std::make_unique_for_overwrite<float[]>(size);
    std::vector<int64_t> counts(sentences.size());
    FIRTH_RETURN_IF_ERROR(
        InParallel(sentences.size(), hooks, [&](size_t i) -> absl::Status {
          const absl::Span<float> vector(made.get() + i * dim, dim);
          FIRTH_ASSIGN_OR_RETURN(const size_t count,
                                 with->Encode(sentences[i], vector));
          counts[i] = static_cast<int64_t>(count);
          return CheckVector(vector, i);
        }));
    std::copy_n(made.get(), size, rows);
    if (known != nullptr) std::copy(counts.begin(), counts.end(), known);
    return absl::OkStatus();
  });
}

}  // extern "C"

}  // namespace firth::c
