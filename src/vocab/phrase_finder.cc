// Candidates are counted in parts, selected by hash, so that only those of one
// part are in memory. Each part is a pass over the ids. Several ranks count
// their shares and add up the counts of each candidate before it is scored.

#include "vocab/phrase_finder.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>

#include "absl/hash/hash.h"
#include "base/parallel_exceptions.h"
#include "base/rng.h"
#include "base/threads.h"
#include "corpus/token_stream.h"
#include "distributed/agreement.h"
#include "firth/ranks.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

// The candidates of about this many tokens are counted in one part. Each part
// is a pass over the ids, so there are at most kMostParts of them.
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
    // The upper bits select the part, as the map uses the lower ones.
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
  // `total` is the number of words of the text.
  Scorer(const Vocabulary& vocabulary, const PhraseOptions& options,
         uint64_t total)
      : vocabulary_(vocabulary),
        options_(options),
        total_(static_cast<double>(total)) {}

  // Adds the counted candidates that are phrases.
  void AddPhrases(const Counts& counts,
                  std::vector<FoundPhrase>* phrases) const {
    for (const auto& [words, count] : counts) {
      if (count < options_.min_count) continue;
      const double score = Score(words, count);
      if (score > options_.threshold) phrases->push_back({words, count, score});
    }
  }

 private:
  double Score(const PhraseWords& words, uint64_t count) const {
    const double a = Count(words.front());
    const double b = Count(LastWord(words));
    const auto ab = static_cast<double>(count);
    if (options_.score == PhraseScore::kWord2vec) {
      return (ab - static_cast<double>(options_.min_count)) / a / b * total_;
    }
    // If the text consists only of this pair, -ln p(ab) is 0, and the pair is a
    // phrase.
    const double ln_p = std::log(ab / total_);
    return ln_p == 0 ? 1 : std::log(ab * total_ / (a * b)) / -ln_p;
  }

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

namespace {

void SortPhrases(std::vector<FoundPhrase>* found) {
  std::sort(found->begin(), found->end(),
            [](const FoundPhrase& a, const FoundPhrase& b) {
              return std::tie(b.score, a.words) < std::tie(a.score, b.words);
            });
}

// Returns the counts of all ranks for the candidates that belong to this rank
// by their hash.
absl::StatusOr<Counts> CountsOfAll(Ranks& ranks, const Counts& own) {
  std::vector<std::string> to(static_cast<size_t>(ranks.size()));
  for (const auto& [words, count] : own) {
    uint64_t hash = 0;  // Must be the same on each rank, unlike absl::Hash.
    for (const uint32_t word : words) hash = Mix64(hash + word);
    std::string& out = to[hash % to.size()];
    Pack(words, &out);
    Pack(count, &out);
  }
  FIRTH_ASSIGN_OR_RETURN(const auto from, ranks.Exchange(to));
  Counts counts;
  for (absl::string_view in : from) {
    while (!in.empty()) {
      const auto words = Unpack<PhraseWords>(&in);
      counts[words] += Unpack<uint64_t>(&in);
    }
  }
  return counts;
}

// Counts one part after another, because all ranks must count the same part.
absl::StatusOr<std::vector<FoundPhrase>> FindPhrasesOfAll(
    absl::Span<const uint32_t> tokens, const PhraseRules& rules,
    const Scorer& scorer, size_t parts, Ranks& ranks) {
  std::string own;
  for (size_t part = 0; part < parts; ++part) {
    FIRTH_ASSIGN_OR_RETURN(
        const Counts counts,
        CountsOfAll(ranks, CountPart(tokens, rules, part, parts)));
    std::vector<FoundPhrase> phrases;
    scorer.AddPhrases(counts, &phrases);
    for (const FoundPhrase& phrase : phrases) Pack(phrase, &own);
  }
  FIRTH_ASSIGN_OR_RETURN(const auto texts, GatherTexts(ranks, own));
  std::vector<FoundPhrase> found;
  for (absl::string_view in : texts) {
    while (!in.empty()) found.push_back(Unpack<FoundPhrase>(&in));
  }
  SortPhrases(&found);
  return found;
}

}  // namespace

absl::StatusOr<std::vector<FoundPhrase>> FindPhrases(
    const Corpus& corpus, const PhraseRules& rules,
    const PhraseOptions& options, const Hooks& hooks) {
  const absl::Span<const uint32_t> tokens = corpus.tokens->tokens();
  uint64_t totals[] = {corpus.tokens->num_words(), tokens.size()};
  if (hooks.ranks != nullptr) {
    FIRTH_RETURN_IF_ERROR(hooks.ranks->Sum(absl::MakeSpan(totals)));
  }
  const Scorer scorer(corpus.vocabulary, options, totals[0]);
  if (hooks.ranks != nullptr) {
    const uint64_t of_each =
        totals[1] / static_cast<uint64_t>(hooks.ranks->size());
    return FindPhrasesOfAll(
        tokens, rules, scorer,
        std::min<uint64_t>(of_each / kPartTokens + 1, kMostParts),
        *hooks.ranks);
  }
  const int threads = NumThreads(options.threads);
  const size_t parts = std::clamp<size_t>(
      tokens.size() / kPartTokens + 1, static_cast<size_t>(threads),
      std::max<size_t>(kMostParts, static_cast<size_t>(threads)));
  std::vector<FoundPhrase> found;
  ParallelExceptions exceptions;
#pragma omp parallel for num_threads(threads) schedule(dynamic)
  for (size_t part = 0; part < parts; ++part) {
    if (hooks.StopRequested()) continue;
    std::vector<FoundPhrase> own;
    exceptions.Catch([&] {
      scorer.AddPhrases(CountPart(tokens, rules, part, parts), &own);
    });
#pragma omp critical(firth_find_phrases)
    exceptions.Catch(
        [&] { found.insert(found.end(), own.begin(), own.end()); });
  }
  exceptions.Rethrow();
  SortPhrases(&found);
  return found;
}

}  // namespace firth
