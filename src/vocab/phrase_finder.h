// PhraseFinder: counts the pairs of a corpus and finds those that are phrases.
//
// The candidates of a large corpus would not fit in memory with their counts,
// but few score above the threshold. So they are dealt into parts by their
// hash; a part at a time is counted, in a pass over the ids, and scored, and
// only its phrases are kept.

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

// The words of a candidate: first, connectors, last; kNoWord after them.
constexpr uint32_t kNoWord = 0xFFFFFFFEu;
constexpr size_t kMostPhraseWords = 4;
using PhraseWords = std::array<uint32_t, kMostPhraseWords>;

struct FoundPhrase {
  PhraseWords words;
  uint64_t count;
  double score;
};

// What words may be in phrases, and where.
class PhraseRules {
 public:
  PhraseRules(const Vocabulary& vocabulary, const PhraseOptions& options);

  // The candidate that begins at `pos`: its words, and in *end where the next
  // begins. Nothing where none does.
  std::optional<PhraseWords> CandidateAt(absl::Span<const uint32_t> tokens,
                                         size_t pos, size_t* end) const;

 private:
  enum class Role : uint8_t { kNone, kEnd, kConnector };
  // Of a token; a sentence's end has none.
  Role RoleOf(uint32_t token) const {
    return token < roles_.size() ? roles_[token] : Role::kNone;
  }
  std::vector<Role> roles_;  // [words]
};

// All phrases of the corpus, best first, ties by their words. Stops early,
// with what it has, when hooks say so. With hooks.ranks, those of all shares,
// on each rank. Errors: those of the ranks.
absl::StatusOr<std::vector<FoundPhrase>> FindPhrases(
    const Corpus& corpus, const PhraseRules& rules,
    const PhraseOptions& options, const Hooks& hooks);

}  // namespace firth

#endif  // FIRTH_VOCAB_PHRASE_FINDER_H_
