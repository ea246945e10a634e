// LineReader: the lines of text files and pipes, with their positions.

#ifndef FIRTH_CORPUS_LINE_READER_H_
#define FIRTH_CORPUS_LINE_READER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "corpus/byte_source.h"

namespace firth {

// Maximum length of a line. Longer lines are taken for data without line ends.
constexpr size_t kMostLineBytes = size_t{1} << 24;

// How Next() treats a line of more than kMostLineBytes.
enum class LongLines {
  kRefused,  // Next() fails.
  // It is returned as an empty line, and only its end is kept in memory.
  kLeftOut,
};

// Reads one file after another. Not thread-safe.
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

#endif  // FIRTH_CORPUS_LINE_READER_H_
