// TokenStream: the corpus as word ids, in one piece of memory. A TokenSpool
// collects them.
//
// Every epoch reads these ids, without hashing and without reading the text
// again. The memory is anonymous or a mapped temporary file, which makes no
// difference to readers.

#ifndef FIRTH_CORPUS_TOKEN_STREAM_H_
#define FIRTH_CORPUS_TOKEN_STREAM_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
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
  // empty, but see StreamPlace, and ReadPlan::empty for texts of documents.
  absl::Span<const uint32_t> tokens() const { return tokens_; }
  uint64_t num_words() const { return num_words_; }
  const StreamPlace& place() const { return place_; }

 private:
  absl::Span<const uint32_t> tokens_;
  uint64_t num_words_;
  std::shared_ptr<const void> owner_;
  StreamPlace place_;
};

// Collects the ids of a stream. Up to `memory_bytes` of ids are kept in
// anonymous memory. Beyond that, all of them move to a temporary file without a
// name, so that it disappears however the program ends. The file is written
// with write(), so that a full disk is an error here and not a signal later.
// Not thread-safe.
class TokenSpool {
 public:
  // If `temp_dir` is empty, uses $TMPDIR, or /tmp if that is not set.
  TokenSpool(uint64_t memory_bytes, std::string temp_dir);
  ~TokenSpool();
  TokenSpool(const TokenSpool&) = delete;
  TokenSpool& operator=(const TokenSpool&) = delete;

  // Errors: ResourceExhausted (full disk), and those of creating the file.
  absl::Status Append(absl::Span<const uint32_t> ids);
  uint64_t size() const { return size_; }  // Number of ids.
  // Returns the bytes in the temporary file; 0 if everything is in memory.
  uint64_t file_bytes() const;

  // Returns all ids, which may be changed in place. Append() may not be called
  // afterwards.
  absl::StatusOr<absl::Span<uint32_t>> Map();
  // Returns the first `size` ids as a stream of `num_words` words, which
  // outlives the spool. Must be the last call.
  absl::StatusOr<std::shared_ptr<const TokenStream>> TakeStream(
      uint64_t size, uint64_t num_words, const StreamPlace& place = {});

 private:
  bool in_file() const { return fd_ >= 0; }
  absl::Status GrowMemory(uint64_t bytes);
  absl::Status MoveToFile();
  absl::Status WriteIds(absl::Span<const uint32_t> ids);

  uint64_t memory_bytes_;
  std::string temp_dir_;
  uint32_t* data_ = nullptr;   // Anonymous memory, or the mapped file.
  uint64_t mapped_bytes_ = 0;  // Size of the mapping at data_.
  uint64_t size_ = 0;
  int fd_ = -1;
};

}  // namespace firth

#endif  // FIRTH_CORPUS_TOKEN_STREAM_H_
