// CorpusReader: one parallel pass over the text.
//
// A worker gets the next block of text under a lock and tokenizes it. When its
// turn comes, it merges the words into the common table. It then replaces the
// block's ids by those of the table and, again when its turn comes, appends
// them to the spool. Turns follow the order of the blocks, so the result is the
// same as with one thread.

#ifndef FIRTH_VOCAB_CORPUS_READER_H_
#define FIRTH_VOCAB_CORPUS_READER_H_

#include <cstddef>
#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "corpus/text_source.h"
#include "firth/corpus.h"
#include "firth/progress.h"
#include "firth/vocabulary.h"
#include "vocab/stream_rewriter.h"

namespace firth {

struct ReadPlan {
  CorpusOptions options;
  VocabularyOptions vocabulary_options = {};
  KnownWords known = {};  // Words known before reading; empty by default.
  // A given vocabulary; null if one is built.
  const Vocabulary* vocabulary = nullptr;
  bool keep_ids = true;
  // Keep lines without a known word, so that sentence i of the tokens is line i
  // of the text.
  EmptySentences empty = EmptySentences::kDrop;
  // If set, stands between the text and the reader, which gets its blocks.
  std::function<std::unique_ptr<BlockSource>(std::unique_ptr<BlockSource>)>
      filter = {};
  size_t block_bytes = kDefaultBlockBytes;  // Tests use small ones.
  // See ShareOf(); tests use little.
  size_t share_look_ahead = size_t{1} << 20;
};

// Implements ReadCorpus() and CountWords() of firth/corpus.h.
absl::StatusOr<Corpus> ReadAsPlanned(const ReadPlan& plan, const Hooks& hooks);

}  // namespace firth

#endif  // FIRTH_VOCAB_CORPUS_READER_H_
