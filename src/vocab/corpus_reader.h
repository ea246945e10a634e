// CorpusReader: one parallel pass over the text.
//
// A worker takes the next block of text under a lock, tokenizes it on its own,
// merges its words into the one table when its turn comes, replaces the block's
// ids by those of the table on its own again, and appends them to the spool
// when its turn comes. Both turns follow the order of the blocks, so the result
// is that of one thread.

#ifndef FIRTH_VOCAB_CORPUS_READER_H_
#define FIRTH_VOCAB_CORPUS_READER_H_

#include <cstddef>

#include "absl/status/statusor.h"
#include "corpus/block_source.h"
#include "firth/corpus.h"
#include "firth/progress.h"
#include "firth/vocabulary.h"

namespace firth {

struct ReadPlan {
  CorpusOptions options;
  VocabularyOptions vocabulary_options = {};
  KnownWords known = {};  // before the reading; none: all words are new
  const Vocabulary* vocabulary = nullptr;  // given; null: one is built
  bool keep_ids = true;
  size_t block_bytes = kDefaultBlockBytes;    // tests take small ones
  size_t share_look_ahead = size_t{1} << 20;  // see ShareOf(); so do tests
};

// ReadCorpus() and CountWords() of firth/corpus.h, in one.
absl::StatusOr<Corpus> ReadAsPlanned(const ReadPlan& plan, const Hooks& hooks);

}  // namespace firth

#endif  // FIRTH_VOCAB_CORPUS_READER_H_
