// ByteSource: supplies the bytes of one text, already decompressed; a check
// that they are text; and LineReader: the lines of text files and pipes.

#ifndef FIRTH_CORPUS_BYTE_SOURCE_H_
#define FIRTH_CORPUS_BYTE_SOURCE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace firth {

// Not thread-safe.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Fills the start of `out`, which must not be empty, and returns the number
  // of bytes; 0 only at the end. Errors name the file.
  virtual absl::StatusOr<size_t> Read(absl::Span<char> out) = 0;
};

// Opens a file or, for "-", standard input. Compression (gzip, bzip2, xz, zstd)
// is recognized by the first bytes. A read that waits for a pipe ends with
// Cancelled if *stop (may be null) becomes true. Errors: NotFound,
// PermissionDenied and, when reading, DataLoss (corrupt or truncated).
absl::StatusOr<std::unique_ptr<ByteSource>> OpenByteSource(
    const std::string& path, const std::atomic<bool>* stop);

// Opens the bytes [begin, end) of a file, which must not be compressed.
absl::StatusOr<std::unique_ptr<ByteSource>> OpenByteShare(
    const std::string& path, uint64_t begin, uint64_t end,
    const std::atomic<bool>* stop);

// Reads bytes in memory, which must outlive the source. Never decompresses.
std::unique_ptr<ByteSource> MakeMemorySource(absl::string_view bytes);

// Returns the name of an input in messages: its path, or "standard input" for
// "-".
std::string InputName(const std::string& path);

// Bytes that are examined at the start of an input.
constexpr size_t kBinaryHeadBytes = size_t{64} << 10;

// Examines the first kBinaryHeadBytes of `head`, the start of the input `name`.
// Errors: InvalidArgument, it is not text.
//
// Text in any encoding uses few of the 32 control characters, while rows of
// numbers, programs and pictures use nearly all of them. Text in UTF-16, which
// is not supported, has NUL in every second byte, but a few are accepted. A
// model that starts with a long list of names looks like text for megabytes, so
// the formats that Firth writes are also recognized by their first bytes.
absl::Status CheckIsText(const std::string& name, absl::string_view head);

// Maximum length of a line. Longer lines are taken for data without line ends.
constexpr size_t kMostLineBytes = size_t{1} << 24;

// How Next() treats a line of more than kMostLineBytes.
enum class LongLines {
  kRefused,  // Next() fails.
  // It is returned as an empty line, and only its end is kept in memory.
  kLeftOut,
};

// Reads the lines of one file after another, with their positions. Not
// thread-safe.
class LineReader {
 public:
  // Reads files, pipes and "-", compressed or not: see OpenByteSource().
  LineReader(std::vector<std::string> paths, const std::atomic<bool>* stop,
             LongLines long_lines = LongLines::kRefused);

  // Returns "FILE:LINE" of the last line.
  std::string Place() const;
  // Returns the number of the last line in its file, from 1.
  uint64_t line() const { return line_; }
  // Returns the name of the file that is being read.
  std::string file() const { return InputName(paths_[file_]); }

  // Returns whether Next() would not have to wait.
  bool Ready() const { return bytes_.find('\n', taken_) != bytes_.npos; }

  // Sets *line to the next line without its end, "\n" or "\r\n"; it is valid
  // until the next call. Skips a byte order mark at the start of a file.
  // Returns false at the end of a file; NextFile() then continues, unless
  // Done(). Errors: those of ByteSource; InvalidArgument for a binary file and
  // for a line above kMostLineBytes that is refused.
  absl::StatusOr<bool> Next(absl::string_view* line);
  // Returns the end of the last line as it is in the file; "" if it has none.
  absl::string_view line_end() const { return line_end_; }
  // Returns whether the last line was left out, and the message about it, which
  // begins with its position.
  bool IsLeftOut() const { return is_left_out_; }
  std::string LeftOutMessage() const;

  bool Done() const { return file_ == paths_.size(); }
  void NextFile() { ++file_; }

 private:
  absl::StatusOr<bool> ReadMore();

  std::vector<std::string> paths_;
  const std::atomic<bool>* stop_;
  const LongLines long_lines_;
  size_t file_ = 0;
  std::unique_ptr<ByteSource> source_;  // Null if it has to be opened.
  std::string bytes_;  // The part of the file that was read last.
  size_t taken_ = 0;   // Number of bytes_ that were returned in lines.
  uint64_t line_ = 0;
  absl::string_view line_end_;
  bool is_left_out_ = false;
};

}  // namespace firth

#endif  // FIRTH_CORPUS_BYTE_SOURCE_H_
