// Parallel text: pairs of a source and a target, such as a sentence and its
// translation, or a lemma and an inflected form.

#ifndef FIRTH_PARALLEL_TEXT_H_
#define FIRTH_PARALLEL_TEXT_H_

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

class FieldTable;

enum class TextUnits { kWords, kCharacters };

// How a text is split into tokens, and put together again.
struct TokenOptions {
  // Words are separated by white space. Characters are those of Unicode; a
  // space is one too.
  TextUnits units = TextUnits::kWords;
  bool lowercase = false;
  // Whether words are also split from punctuation at the word boundaries of
  // Unicode. Requires ICU.
  bool split_punctuation = false;

  static FieldTable Fields();
  // Errors: FailedPrecondition, ICU is missing.
  absl::Status Validate() const;
};

// Returns the tokens of a text. The options must have been validated.
std::vector<std::string> TokensOf(const TokenOptions& options,
                                  absl::string_view text);
// Returns a text with these tokens.
std::string TextOf(const TokenOptions& options,
                   absl::Span<const std::string> tokens);

struct TextPair {
  std::vector<std::string> source;
  std::vector<std::string> target;
  // Why a pair without tokens was left out; "" if it was not.
  std::string left_out = {};
};

struct ParallelTextOptions {
  // Files with one source per line, compressed or not; "-" is standard input.
  std::vector<std::string> inputs;
  // As many files with the targets, line by line. If there are none, both are
  // columns of a line of `inputs`, separated by tabs.
  std::vector<std::string> targets;
  // Numbers of these columns, counted from 1. With files of targets, or if no
  // targets are read, 0 means the whole line.
  int source_column = 1;
  int target_column = 2;
  // Number of a column with labels, separated by semicolons or spaces; 0 means
  // none. Each label L becomes the token <L> in front of the source, or <<L>>
  // if <L> is a mark such as <S>.
  int label_column = 0;
  // Words that become tokens in front of every source, such as the name of a
  // task.
  std::string prefix;
  TokenOptions tokens;
  size_t max_tokens = 500;  // Longer pairs are left out; 1 to 65536.
  bool with_targets = true;
  // Whether Next() returns an entry for every line: one without tokens if a
  // side is empty, and one with the reason if it is too long.
  bool keep_all = false;

  // Errors: InvalidArgument; those of TokenOptions.
  absl::Status Validate() const;
};

// Pairs that were not returned, and where the first of each kind is.
struct LeftOutPairs {
  uint64_t empty = 0;  // A side has no tokens.
  uint64_t too_long = 0;
  std::string first_empty;
  std::string first_too_long;
};

// Reads pairs as they arrive. Can be moved; not thread-safe.
class ParallelTextReader {
 public:
  // A read that waits ends with Cancelled if *stop, which may be null, becomes
  // true. Errors: those of the options and of opening the files.
  static absl::StatusOr<ParallelTextReader> Open(
      const ParallelTextOptions& options,
      const std::atomic<bool>* stop = nullptr);
  ~ParallelTextReader();
  ParallelTextReader(ParallelTextReader&&) noexcept;
  ParallelTextReader& operator=(ParallelTextReader&&) = delete;

  // Returns up to `most` pairs, fewer if more would have to be waited for, and
  // none at the end. Errors: those of reading; InvalidArgument, with the line,
  // a column that is missing, or files with different numbers of lines.
  absl::StatusOr<std::vector<TextPair>> Next(size_t most);
  const LeftOutPairs& left_out() const;

 private:
  class Body;
  explicit ParallelTextReader(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

// Reads all pairs. Errors: those of the reader; InvalidArgument, there are
// none.
absl::StatusOr<std::vector<TextPair>> ReadParallelText(
    const ParallelTextOptions& options, const std::atomic<bool>* stop = nullptr,
    LeftOutPairs* left_out = nullptr);

}  // namespace firth

#endif  // FIRTH_PARALLEL_TEXT_H_
