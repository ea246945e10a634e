// TokenStream: the corpus as word ids, all in one piece of memory.
//
// Every epoch streams these ids: no hashing, no second look at the text. The
// memory is anonymous or a mapped temporary file; a reader does not see which.

#ifndef FIRTH_CORPUS_TOKEN_STREAM_H_
#define FIRTH_CORPUS_TOKEN_STREAM_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

#include "absl/types/span.h"

namespace firth {

// A stream may be a part of a text whose other parts other ranks have: this
// tells where it stands in the whole.
struct StreamPlace {
  uint64_t first_position = 0;  // of the stream, in the whole text
  // Its first sentence began before it: a sentence end at its start ends that.
  bool inside_sentence = false;
};

class TokenStream {
 public:
  // Stands between sentences, in place of a word.
  static constexpr uint32_t kSentenceEnd = std::numeric_limits<uint32_t>::max();

  // `owner` keeps `tokens` alive. num_words: those that are not kSentenceEnd.
  TokenStream(absl::Span<const uint32_t> tokens, uint64_t num_words,
              std::shared_ptr<const void> owner, const StreamPlace& place = {})
      : tokens_(tokens),
        num_words_(num_words),
        owner_(std::move(owner)),
        place_(place) {}

  // Word ids, and kSentenceEnd after each sentence. No sentence is empty, but
  // see StreamPlace.
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
