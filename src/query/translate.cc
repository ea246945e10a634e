// Retrieves translations, and measures their quality with a dictionary, whose
// file has one word and its translation per line.

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/check.h"
#include "firth/align.h"
#include "firth/status_macros.h"
#include "query/csls.h"
#include "query/test_set_lines.h"
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

using TextPair = std::pair<absl::string_view, absl::string_view>;

// Splits at the tab if there is one, so that words may contain spaces.
absl::StatusOr<TextPair> SplitLine(const TestSetLines& lines,
                                   absl::string_view line) {
  std::vector<absl::string_view> columns;
  if (line.find('\t') == line.npos) {
    columns =
        absl::StrSplit(line, absl::ByAnyChar(" \v\f\r"), absl::SkipEmpty());
  } else {
    columns = absl::StrSplit(line, '\t');
  }
  if (columns.size() != 2) {
    return lines.Error("a word and its translation",
                       absl::StrCat(columns.size(), " columns"));
  }
  const TextPair pair = {absl::StripAsciiWhitespace(columns[0]),
                         absl::StripAsciiWhitespace(columns[1])};
  if (!pair.first.empty() && !pair.second.empty()) return pair;
  return lines.Error("a word and its translation", "an empty column");
}

}  // namespace

absl::StatusOr<BilingualDictionary> LoadDictionary(const std::string& path,
                                                   const Vocabulary& source,
                                                   const Vocabulary& target) {
  FIRTH_ASSIGN_OR_RETURN(TestSetLines lines, TestSetLines::Open(path));
  BilingualDictionary dictionary;
  dictionary.file = path;
  CaseFold source_case(source, /*always=*/false);
  CaseFold target_case(target, /*always=*/false);
  absl::flat_hash_set<std::pair<std::string, std::string>> seen;
  absl::flat_hash_set<std::string> words;
  absl::string_view line;
  while (lines.Next(&line)) {
    FIRTH_ASSIGN_OR_RETURN(const TextPair texts, SplitLine(lines, line));
    const auto [pair, is_new] = seen.emplace(source_case.Fold(texts.first),
                                             target_case.Fold(texts.second));
    if (!is_new) continue;
    words.insert(pair->first);
    const auto from = source.Find(pair->first);
    const auto to = target.Find(pair->second);
    if (from.has_value() && to.has_value()) {
      dictionary.pairs.push_back({*from, *to});
    }
  }
  dictionary.total_pairs = seen.size();
  dictionary.total_words = words.size();
  dictionary.folded = source_case.folded() || target_case.folded();
  if (!seen.empty()) return dictionary;
  return absl::InvalidArgumentError(absl::StrCat(
      path, ": the file contains no lines with a word and its translation"));
}

BilingualDictionary IdenticalWords(const Vocabulary& source,
                                   const Vocabulary& target) {
  BilingualDictionary dictionary;
  for (size_t i = 0; i < source.size(); ++i) {
    const WordId word = ToWordId(i);
    const auto found = target.Find(source.Word(word));
    if (found.has_value()) dictionary.pairs.push_back({word, *found});
  }
  dictionary.total_pairs = dictionary.total_words = dictionary.pairs.size();
  return dictionary;
}

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
