// Reads tagged sentences from files and pipes.

#ifndef FIRTH_TAGGED_TEXT_H_
#define FIRTH_TAGGED_TEXT_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace firth {

enum class TextForm {
  // One sentence per line, with tokens separated by white space, without tags.
  kText,
  kSlashes,  // One sentence per line of word/tag, split at the last slash.
  // CoNLL columns: one token per line, with empty lines between sentences.
  // Columns are separated by white space, or by tabs in a line that contains a
  // tab. If the first line that does not start with # is CoNLL-U, the file is
  // read as kConllu.
  kColumns,
  // CoNLL-U (universaldependencies.org/format): exactly ten columns separated
  // by tabs, the first an ID. Comments, multi-word tokens (1-2) and empty nodes
  // (1.1) are skipped.
  kConllu,
};

struct TaggedTextOptions {
  // Inputs as in CorpusOptions::inputs.
  std::vector<std::string> inputs;
  TextForm form = TextForm::kColumns;
  // Whether tags are required. If not, the tag column may be missing and is not
  // read.
  bool with_tags = true;
  // Columns from 1; 0 means the last one. With kConllu (or CoNLL-U files of
  // kColumns), a token column of 1, which would be the ID, means FORM (2), and
  // a tag column of 0 means UPOS (4).
  int token_column = 1;
  int tag_column = 0;
  int predicted_column = -1;  // Column of a second tag; -1 means none.
  // For CoNLL-U: return lines after the last sentence of a file that are not
  // tokens as a sentence without tokens, in `passed_over`.
  bool with_rest = false;
  // Return a sentence with a line of more than 16 MiB, or with more than 65,536
  // tokens, as a sentence without tokens with left_out set, instead of failing.
  bool skip_long = false;

  absl::Status Validate() const;
};

struct TaggedSentence {
  std::vector<std::string> tokens;
  std::vector<std::string> tags;       // One per token, or empty.
  std::vector<std::string> predicted;  // One per token, or empty.
  // Lines as they were read, if the form has columns.
  std::vector<std::string> lines;
  // For CoNLL-U: the skipped lines before each token and after the last one,
  // with their line ends, [tokens + 1]. Otherwise empty.
  std::vector<std::string> passed_over = {};
  // Probability of each tag of `predicted`, in [0, 1]; empty if not known.
  std::vector<double> probabilities = {};
  // Position and reason, if the sentence was too long.
  std::string left_out = {};
};

// Counts of CoNLL-U lines that are not tokens.
struct PassedOverLines {
  uint64_t comments = 0;
  uint64_t multiword_tokens = 0;  // Their words are tokens.
  uint64_t empty_nodes = 0;
};

// Return the index, among the ten columns of CoNLL-U, to which a token column
// or tag column of the options refers.
size_t ConlluTokenColumn(int token_column);
size_t ConlluTagColumn(int tag_column);

// Returns the tokens of a line of TextForm::kText.
std::vector<std::string> SplitTokens(absl::string_view line);

// Reads tagged sentences in batches. Not thread-safe.
class TaggedTextReader {
 public:
  // Opens the inputs. Errors: InvalidArgument (options), NotFound,
  // PermissionDenied.
  static absl::StatusOr<TaggedTextReader> Open(
      const TaggedTextOptions& options,
      const std::atomic<bool>* stop = nullptr);
  ~TaggedTextReader();
  TaggedTextReader(TaggedTextReader&&) noexcept;

  // Returns the next sentences: at least one and at most `most`, or none at the
  // end. From a pipe, returns those that have arrived. An empty line is a
  // sentence without tokens, except in columns. Errors: InvalidArgument with
  // file and line (a missing column or tag, CoNLL-U without exactly ten
  // columns, a sentence of more than 65,536 tokens, a line of more than 16
  // MiB), read errors, Cancelled by *stop.
  absl::StatusOr<std::vector<TaggedSentence>> Next(size_t most);
  // Returns counts over everything read so far.
  const PassedOverLines& passed_over() const;

 private:
  class Body;
  explicit TaggedTextReader(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

// Returns all sentences that have tokens. The counts of skipped lines are added
// to *passed_over, if not null. Errors: as for TaggedTextReader, and
// InvalidArgument if there is no sentence.
absl::StatusOr<std::vector<TaggedSentence>> ReadTaggedText(
    const TaggedTextOptions& options, const std::atomic<bool>* stop = nullptr,
    PassedOverLines* passed_over = nullptr);

}  // namespace firth

#endif  // FIRTH_TAGGED_TEXT_H_
