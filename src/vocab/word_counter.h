// WordCounter: what a reading does with the words of its blocks.

#ifndef FIRTH_VOCAB_WORD_COUNTER_H_
#define FIRTH_VOCAB_WORD_COUNTER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "corpus/block_words.h"
#include "firth/corpus.h"
#include "firth/progress.h"
#include "firth/ranks.h"
#include "firth/vocabulary.h"
#include "vocab/id_map.h"

namespace firth {

class WordCounter {
 public:
  static constexpr uint32_t kUnknown = 0xFFFFFFFEu;  // for an id: drop it

  struct Result {
    Vocabulary vocabulary;
    std::unique_ptr<IdMap> map;  // of ids in the stream; null: they stay
  };

  virtual ~WordCounter() = default;
  // (*ids)[i] becomes the id, if known already, of words.words()[i]. Called by
  // many threads at once, before Merge() of the same block.
  virtual void Prepare(const BlockWords& words,
                       std::vector<uint32_t>* ids) const = 0;
  // Counts the words and completes *ids; called block after block, in order.
  virtual absl::Status Merge(const BlockWords& words,
                             std::vector<uint32_t>* ids) = 0;
  // Different words so far.
  virtual uint64_t types() const = 0;
  // Called once, after the last block. Also fills in what the report says about
  // words. ranks: null, or those that have counted the rest of the text; the
  // report is of all of it, and all get the same.
  virtual absl::StatusOr<Result> MakeVocabulary(Ranks* ranks,
                                                CorpusReport* report) = 0;
};

// Makes a vocabulary of the words that come, behind those that are known. It
// takes up to `memory_bytes`; beyond that rare words are pruned, with a
// warning.
std::unique_ptr<WordCounter> MakeVocabularyBuilder(
    const VocabularyOptions& options, const KnownWords& known,
    uint64_t memory_bytes, ProgressSink* progress);

// Counts the words of a given vocabulary. Different unknown words are told
// apart by their hashes, as long as these fit in `memory_bytes`.
std::unique_ptr<WordCounter> MakeGivenVocabularyCounter(
    const Vocabulary& vocabulary, uint64_t memory_bytes);

}  // namespace firth

#endif  // FIRTH_VOCAB_WORD_COUNTER_H_
