#include "vocab/phrase_finder.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "absl/hash/hash.h"
#include "base/parallel_exceptions.h"
#include "base/threads.h"
#include "corpus/token_stream.h"

namespace firth {
namespace {

// The candidates of about so many tokens are counted in one part. Each part is
// a pass over the ids, so there are at most kMostParts of them.
constexpr uint64_t kPartTokens = uint64_t{1} << 23;
constexpr size_t kMostParts = 64;

using Counts = absl::flat_hash_map<PhraseWords, uint64_t>;

Counts CountPart(absl::Span<const uint32_t> tokens, const PhraseRules& rules,
                 size_t part, size_t parts) {
  const absl::Hash<PhraseWords> hash;
  Counts counts;
  for (size_t pos = 0; pos < tokens.size(); ++pos) {
    size_t end;
    const auto words = rules.CandidateAt(tokens, pos, &end);
    // The part is chosen by the upper bits, as the map uses the lower ones.
    if (!words.has_value() || (hash(*words) >> 32) % parts != part) continue;
    ++counts[*words];
  }
  return counts;
}

uint32_t LastWord(const PhraseWords& words) {
  size_t last = kMostPhraseWords - 1;
  while (words[last] == kNoWord) --last;
  return words[last];
}

class Scorer {
 public:
  Scorer(const Corpus& corpus, const PhraseOptions& options)
      : vocabulary_(corpus.vocabulary),
        options_(options),
        total_(static_cast<double>(corpus.tokens->num_words())) {}

  double Score(const PhraseWords& words, uint64_t count) const {
    const double a = Count(words.front());
    const double b = Count(LastWord(words));
    const auto ab = static_cast<double>(count);
    if (options_.score == PhraseScore::kWord2vec) {
      return (ab - static_cast<double>(options_.min_count)) / a / b * total_;
    }
    // Where all there is are this pair, -ln p(ab) is 0: they belong together.
    const double ln_p = std::log(ab / total_);
    return ln_p == 0 ? 1 : std::log(ab * total_ / (a * b)) / -ln_p;
  }

 private:
  double Count(uint32_t word) const {
    return static_cast<double>(vocabulary_.Count(ToWordId(word)));
  }

  const Vocabulary& vocabulary_;
  const PhraseOptions& options_;
  double total_;
};

}  // namespace

PhraseRules::PhraseRules(const Vocabulary& vocabulary,
                         const PhraseOptions& options)
    : roles_(vocabulary.size(), Role::kNone) {
  // A phrase is at most as frequent as its words.
  for (size_t i = 0; i < roles_.size(); ++i) {
    if (vocabulary.Count(ToWordId(i)) >= options.min_count) {
      roles_[i] = Role::kEnd;
    }
  }
  for (const std::string& connector : options.connectors) {
    const std::optional<WordId> word = vocabulary.Find(connector);
    if (word.has_value()) roles_[Index(*word)] = Role::kConnector;
  }
}

std::optional<PhraseWords> PhraseRules::CandidateAt(
    absl::Span<const uint32_t> tokens, size_t pos, size_t* end) const {
  if (RoleOf(tokens[pos]) != Role::kEnd) return std::nullopt;
  PhraseWords words;
  words.fill(kNoWord);
  words[0] = tokens[pos];
  for (size_t i = 1; i < kMostPhraseWords && pos + i < tokens.size(); ++i) {
    words[i] = tokens[pos + i];
    const Role role = RoleOf(tokens[pos + i]);
    if (role == Role::kNone) return std::nullopt;
    if (role == Role::kConnector) continue;
    *end = pos + i + 1;
    return words;
  }
  return std::nullopt;
}

std::vector<FoundPhrase> FindPhrases(const Corpus& corpus,
                                     const PhraseRules& rules,
                                     const PhraseOptions& options,
                                     const Hooks& hooks) {
  const absl::Span<const uint32_t> tokens = corpus.tokens->tokens();
  const int threads = NumThreads(options.threads);
  const size_t parts = std::clamp<size_t>(
      tokens.size() / kPartTokens + 1, static_cast<size_t>(threads),
      std::max<size_t>(kMostParts, static_cast<size_t>(threads)));
  const Scorer scorer(corpus, options);
  std::vector<FoundPhrase> found;
  ParallelExceptions exceptions;
#pragma omp parallel for num_threads(threads) schedule(dynamic)
  for (size_t part = 0; part < parts; ++part) {
    if (hooks.StopRequested()) continue;
    std::vector<FoundPhrase> own;
    exceptions.Catch([&] {
      for (const auto& [words, count] : CountPart(tokens, rules, part, parts)) {
        if (count < options.min_count) continue;
        const double score = scorer.Score(words, count);
        if (score > options.threshold) own.push_back({words, count, score});
      }
    });
#pragma omp critical(firth_find_phrases)
    exceptions.Catch(
        [&] { found.insert(found.end(), own.begin(), own.end()); });
  }
  exceptions.Rethrow();
  std::sort(found.begin(), found.end(),
            [](const FoundPhrase& a, const FoundPhrase& b) {
              return std::tie(b.score, a.words) < std::tie(a.score, b.words);
            });
  return found;
}

}  // namespace firth
