// The last pass over the ids of a reading, in place.

#ifndef FIRTH_VOCAB_STREAM_REWRITER_H_
#define FIRTH_VOCAB_STREAM_REWRITER_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "corpus/token_spool.h"
#include "corpus/token_stream.h"
#include "vocab/id_map.h"

namespace firth {

struct RewrittenStream {
  uint64_t size = 0;       // ids, at the start of the span
  uint64_t num_words = 0;  // those that are no kSentenceEnd
};

// Translates all ids by `map` (null: they stay), drops those it does not know,
// and drops every kSentenceEnd that ends nothing. inside_sentence: the first
// one ends a sentence that began before the ids.
RewrittenStream RewriteStream(absl::Span<uint32_t> ids, const IdMap* map,
                              int threads, bool inside_sentence = false);

// The same of all ids of a spool, which is used up.
absl::StatusOr<std::shared_ptr<const TokenStream>> TakeRewritten(
    const IdMap* map, int threads, TokenSpool* spool,
    bool inside_sentence = false);

}  // namespace firth

#endif  // FIRTH_VOCAB_STREAM_REWRITER_H_
