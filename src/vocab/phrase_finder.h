// PhraseFinder: counts the pairs of a corpus and finds those that are phrases.
//
// The candidates of a large corpus and their counts would not fit in memory,
// but few score above the threshold. They are therefore divided into parts by
// their hash. One part at a time is counted, in a pass over the ids, and
// scored, and only its phrases are kept.

#ifndef FIRTH_VOCAB_PHRASE_FINDER_H_
#define FIRTH_VOCAB_PHRASE_FINDER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "firth/corpus.h"
#include "firth/phrases.h"

namespace firth {

// The words of a candidate: first, connectors, last. The rest is kNoWord.
constexpr uint32_t kNoWord = 0xFFFFFFFEu;
constexpr size_t kMostPhraseWords = 4;
using PhraseWords = std::array<uint32_t, kMostPhraseWords>;

struct FoundPhrase {
  PhraseWords words;
  uint64_t count;
  double score;
};

// Rules for the words of phrases and their positions.
class PhraseRules {
 public:
  PhraseRules(const Vocabulary& vocabulary, const PhraseOptions& options);

  // Returns the words of the candidate that begins at `pos`, and sets *end to
  // the start of the next one. Returns nothing if there is none.
  std::optional<PhraseWords> CandidateAt(absl::Span<const uint32_t> tokens,
                                         size_t pos, size_t* end) const;

 private:
  enum class Role : uint8_t { kNone, kEnd, kConnector };
  // Returns the role of a token. A sentence end has none.
  Role RoleOf(uint32_t token) const {
    return token < roles_.size() ? roles_[token] : Role::kNone;
  }
  std::vector<Role> roles_;  // [words]
};

// Returns all phrases of the corpus, best first, with ties broken by their
// words. Stops early, with the phrases found so far, if the hooks request it.
// With hooks.ranks, returns those of all shares on each rank. Errors: those of
// the ranks.
absl::StatusOr<std::vector<FoundPhrase>> FindPhrases(
    const Corpus& corpus, const PhraseRules& rules,
    const PhraseOptions& options, const Hooks& hooks);

}  // namespace firth

#endif  // FIRTH_VOCAB_PHRASE_FINDER_H_
