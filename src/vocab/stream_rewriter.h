// The last pass over the ids of a reading, in place.

#ifndef FIRTH_VOCAB_STREAM_REWRITER_H_
#define FIRTH_VOCAB_STREAM_REWRITER_H_

#include <cstddef>
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
// and drops every kSentenceEnd that ends nothing.
RewrittenStream RewriteStream(absl::Span<uint32_t> ids, const IdMap* map,
                              int threads);

// The same of all ids of a spool, which is used up. At least one word must be
// left.
absl::StatusOr<std::shared_ptr<const TokenStream>> TakeRewritten(
    const IdMap* map, int threads, TokenSpool* spool);

}  // namespace firth

#endif  // FIRTH_VOCAB_STREAM_REWRITER_H_
