// WordCounter: processes the words of the blocks of a text.

#ifndef FIRTH_VOCAB_WORD_COUNTER_H_
#define FIRTH_VOCAB_WORD_COUNTER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "corpus/tokenizer.h"
#include "firth/corpus.h"
#include "firth/progress.h"
#include "firth/ranks.h"
#include "firth/vocabulary.h"
#include "vocab/stream_rewriter.h"

namespace firth {

class WordCounter {
 public:
  // Instead of an id: the word is to be dropped.
  static constexpr uint32_t kUnknown = 0xFFFFFFFEu;

  struct Result {
    Vocabulary vocabulary;
    // Maps ids of the stream; null if they do not change.
    std::unique_ptr<IdMap> map;
  };

  virtual ~WordCounter() = default;
  // Sets (*ids)[i] to the id of words.words()[i], if it is already known. Many
  // threads may call it at once, before Merge() of the same block.
  virtual void Prepare(const BlockWords& words,
                       std::vector<uint32_t>* ids) const = 0;
  // Counts the words and completes *ids. Called for one block after another, in
  // order.
  virtual absl::Status Merge(const BlockWords& words,
                             std::vector<uint32_t>* ids) = 0;
  // Returns the number of distinct words so far.
  virtual uint64_t types() const = 0;
  // Returns the vocabulary. Called once, after the last block. Also fills in
  // the facts about words in the report. `ranks` is null, or the ranks that
  // have counted the rest of the text. The report then covers the whole text,
  // and all ranks get the same results.
  virtual absl::StatusOr<Result> MakeVocabulary(Ranks* ranks,
                                                CorpusReport* report) = 0;
};

// Builds a vocabulary of the known words and the words that are counted. It
// takes up to `memory_bytes`; beyond that, rare words are pruned, with a
// warning.
std::unique_ptr<WordCounter> MakeVocabularyBuilder(
    const VocabularyOptions& options, const KnownWords& known,
    uint64_t memory_bytes, ProgressSink* progress);

// Counts the words of a given vocabulary. Distinct unknown words are counted by
// their hashes, as long as these fit in `memory_bytes`. It is an error if none
// of the words occurs, unless `may_find_none`.
std::unique_ptr<WordCounter> MakeGivenVocabularyCounter(
    const Vocabulary& vocabulary, uint64_t memory_bytes,
    bool may_find_none = false);

}  // namespace firth

#endif  // FIRTH_VOCAB_WORD_COUNTER_H_
