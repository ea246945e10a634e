// The last pass over the ids of a text, in place.

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
  uint64_t size = 0;       // Number of ids, at the start of the span.
  uint64_t num_words = 0;  // Number of ids other than kSentenceEnd.
};

// Translates all ids by `map` (null means no change), drops those not in the
// map, and drops every kSentenceEnd that ends no sentence. `inside_sentence`:
// the first one ends a sentence that began before the ids.
RewrittenStream RewriteStream(absl::Span<uint32_t> ids, const IdMap* map,
                              int threads, bool inside_sentence = false);

// Rewrites all ids of a spool, which may not be used afterwards.
absl::StatusOr<std::shared_ptr<const TokenStream>> TakeRewritten(
    const IdMap* map, int threads, TokenSpool* spool,
    bool inside_sentence = false);

}  // namespace firth

#endif  // FIRTH_VOCAB_STREAM_REWRITER_H_
