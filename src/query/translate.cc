// Retrieves translations, and measures their quality with a dictionary.

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/check.h"
#include "firth/align.h"
#include "firth/status_macros.h"
#include "query/csls.h"
#include "query/unit_rows.h"

namespace firth {
namespace {

size_t Within(uint64_t restrict, size_t words) {
  return restrict == 0 ? words : std::min<uint64_t>(restrict, words);
}

ScannedRows FirstRows(const WordVectors& vectors, size_t count,
                      absl::Span<const float> penalties) {
  return {vectors.rows(), vectors.inverse_norms().subspan(0, count), penalties};
}

std::vector<absl::Span<const float>> VectorsOf(const WordVectors& vectors,
                                               absl::Span<const WordId> words) {
  std::vector<absl::Span<const float>> found;
  found.reserve(words.size());
  for (const WordId word : words) {
    FIRTH_CHECK(Index(word) < vectors.size());
    found.push_back(vectors.Vector(word));
  }
  return found;
}

// Returns the index in the answer of the first word that is in `right`, or the
// size of the answer if there is none.
size_t RankOf(const std::vector<WordId>& right,
              const std::vector<Neighbor>& answer) {
  const auto found =
      std::find_if(answer.begin(), answer.end(), [&](const Neighbor& neighbor) {
        return std::find(right.begin(), right.end(), neighbor.word) !=
               right.end();
      });
  return static_cast<size_t>(found - answer.begin());
}

}  // namespace

Translator::Translator(WordVectors source, WordVectors target,
                       const TranslateOptions& options)
    : source_(WithNormalRows(std::move(source))),
      target_(WithNormalRows(std::move(target))),
      options_(options),
      num_source_(Within(options.restrict, source_.size())),
      num_target_(Within(options.restrict, target_.size())) {}

absl::StatusOr<Translator> Translator::Create(WordVectors source,
                                              WordVectors target,
                                              const TranslateOptions& options) {
  FIRTH_RETURN_IF_ERROR(options.Validate());
  FIRTH_RETURN_IF_ERROR(CheckSameDim(source, target));
  Translator translator(std::move(source), std::move(target), options);
  if (options.retrieval == Retrieval::kCsls) {
    std::vector<WordId> words;
    for (size_t i = 0; i < translator.num_target_; ++i) {
      words.push_back(ToWordId(i));
    }
    translator.hub_penalties_ = HalfMeanCosines(
        FirstRows(translator.source_, translator.num_source_, {}),
        VectorsOf(translator.target_, words),
        static_cast<size_t>(options.neighbors));
  }
  return translator;
}

std::vector<std::vector<Neighbor>> Translator::Translate(
    absl::Span<const WordId> words, size_t top) const {
  const auto vectors = VectorsOf(source_, words);
  auto found = FindBestRows(FirstRows(target_, num_target_, hub_penalties_),
                            vectors, top);
  if (options_.retrieval == Retrieval::kCosine) return found;
  const std::vector<float> half_means =
      HalfMeanCosines(FirstRows(target_, num_target_, {}), vectors,
                      static_cast<size_t>(options_.neighbors));
  for (size_t i = 0; i < found.size(); ++i) {
    for (Neighbor& neighbor : found[i]) {
      neighbor.score = 2 * (neighbor.score - half_means[i]);
    }
  }
  return found;
}

bool Translator::Covers(const WordPair& pair) const {
  return Index(pair.source) < num_source_ && Index(pair.target) < num_target_;
}

TranslationResult EvaluateTranslations(const Translator& translator,
                                       const BilingualDictionary& dictionary) {
  TranslationResult result;
  result.file = dictionary.file;
  result.total = dictionary.total_words;
  result.total_pairs = dictionary.total_pairs;
  std::map<WordId, std::vector<WordId>> translations;
  for (const WordPair& pair : dictionary.pairs) {
    if (!translator.Covers(pair)) continue;
    ++result.pairs;
    translations[pair.source].push_back(pair.target);
  }
  result.asked = translations.size();
  std::vector<WordId> words;
  words.reserve(translations.size());
  for (const auto& [word, right] : translations) words.push_back(word);
  const auto answers =
      translator.Translate(words, TranslationResult::kRanks.back());
  for (size_t i = 0; i < words.size(); ++i) {
    const size_t rank = RankOf(translations[words[i]], answers[i]);
    if (rank == answers[i].size()) continue;
    for (size_t k = 0; k < result.correct.size(); ++k) {
      result.correct[k] += rank < TranslationResult::kRanks[k];
    }
  }
  return result;
}

}  // namespace firth
