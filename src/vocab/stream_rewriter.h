// The last pass over the ids of a reading, in place.

#ifndef FIRTH_VOCAB_STREAM_REWRITER_H_
#define FIRTH_VOCAB_STREAM_REWRITER_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
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

}  // namespace firth

#endif  // FIRTH_VOCAB_STREAM_REWRITER_H_
