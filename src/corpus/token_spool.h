// TokenSpool: ids as they come, in memory at first, in a file when they are
// many.

#ifndef FIRTH_CORPUS_TOKEN_SPOOL_H_
#define FIRTH_CORPUS_TOKEN_SPOOL_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "corpus/token_stream.h"

namespace firth {

// Up to `memory_bytes` of ids are kept in anonymous memory; beyond that all of
// them move to a temporary file that has no name, so that it vanishes however
// the program ends. The file is written by write(): a full disk is an error
// here and not a signal later. Not thread-safe.
class TokenSpool {
 public:
  // `temp_dir`: empty means $TMPDIR, else /tmp.
  TokenSpool(uint64_t memory_bytes, std::string temp_dir);
  ~TokenSpool();
  TokenSpool(const TokenSpool&) = delete;
  TokenSpool& operator=(const TokenSpool&) = delete;

  // Errors: ResourceExhausted (full disk), others of creating the file.
  absl::Status Append(absl::Span<const uint32_t> ids);
  uint64_t size() const { return size_; }  // in ids
  // Bytes in the temporary file; 0: all is in memory.
  uint64_t file_bytes() const;

  // All ids, to be rewritten in place. After this, no Append().
  absl::StatusOr<absl::Span<uint32_t>> Map();
  // Keeps the first `size` ids as a stream of `num_words` words, which outlives
  // the spool. The last call.
  absl::StatusOr<std::shared_ptr<const TokenStream>> TakeStream(
      uint64_t size, uint64_t num_words, const StreamPlace& place = {});

 private:
  bool in_file() const { return fd_ >= 0; }
  absl::Status GrowMemory(uint64_t bytes);
  absl::Status MoveToFile();
  absl::Status WriteIds(absl::Span<const uint32_t> ids);

  uint64_t memory_bytes_;
  std::string temp_dir_;
  uint32_t* data_ = nullptr;   // memory, or the mapped file
  uint64_t mapped_bytes_ = 0;  // of data_
  uint64_t size_ = 0;
  int fd_ = -1;
};

}  // namespace firth

#endif  // FIRTH_CORPUS_TOKEN_SPOOL_H_
