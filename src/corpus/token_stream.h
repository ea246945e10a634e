// TokenStream: the corpus as word ids, in one piece of memory.
//
// Every epoch reads these ids, without hashing and without reading the text
// again. The memory is anonymous or a mapped temporary file, which makes no
// difference to readers.

#ifndef FIRTH_CORPUS_TOKEN_STREAM_H_
#define FIRTH_CORPUS_TOKEN_STREAM_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

#include "absl/types/span.h"

namespace firth {

// The position of a stream in the whole text, if it is a part whose other parts
// belong to other ranks.
struct StreamPlace {
  uint64_t first_position = 0;  // Position of the stream in the whole text.
  // Whether the first sentence began before the stream. A sentence end at the
  // start of the stream ends it.
  bool inside_sentence = false;
};

class TokenStream {
 public:
  // Separates sentences. It is used in place of a word id.
  static constexpr uint32_t kSentenceEnd = std::numeric_limits<uint32_t>::max();

  // `owner` keeps `tokens` alive. `num_words` does not count kSentenceEnd.
  TokenStream(absl::Span<const uint32_t> tokens, uint64_t num_words,
              std::shared_ptr<const void> owner, const StreamPlace& place = {})
      : tokens_(tokens),
        num_words_(num_words),
        owner_(std::move(owner)),
        place_(place) {}

  // Returns word ids, with kSentenceEnd after each sentence. No sentence is
  // empty, but see StreamPlace.
  absl::Span<const uint32_t> tokens() const { return tokens_; }
  uint64_t num_words() const { return num_words_; }
  const StreamPlace& place() const { return place_; }

 private:
  absl::Span<const uint32_t> tokens_;
  uint64_t num_words_;
  std::shared_ptr<const void> owner_;
  StreamPlace place_;
};

}  // namespace firth

#endif  // FIRTH_CORPUS_TOKEN_STREAM_H_
