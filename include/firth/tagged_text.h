// Sentences of tokens with their tags, read from files and pipes.

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
  kText,     // a sentence a line, tokens between white space, no tags
  kSlashes,  // the same of word/tag, split at the last slash
  // A token a line, its columns between white space (or, in a line with a tab,
  // tabs); empty lines between sentences (CoNLL). A file whose first line that
  // does not start with # is one of CoNLL-U is read as such.
  kColumns,
  // CoNLL-U (universaldependencies.org/format): exactly ten columns between
  // tabs, the first an ID. Comments, multi-word tokens (1-2) and empty nodes
  // (1.1) are passed over.
  kConllu,
};

struct TaggedTextOptions {
  // Files to read, as in CorpusOptions::inputs.
  std::vector<std::string> inputs;
  TextForm form = TextForm::kColumns;
  bool with_tags = true;  // else the tag column may lack, and is not read
  // Column numbers, from 1; 0 means the last column. For kColumns and kConllu;
  // with kConllu, a token column of 1, the ID, means FORM (2), and a tag column
  // of 0 means UPOS (4).
  int token_column = 1;
  int tag_column = 0;
  int predicted_column = -1;  // a second tag to read; -1: none
  // Returns the lines after the last sentence of a CoNLL-U file that are no
  // tokens, as a sentence without tokens, in `passed_over`.
  bool with_rest = false;
  // Returns a sentence with a line of more than 16 MiB, or with more than
  // 65,536 tokens, as a sentence without tokens with left_out set, instead of
  // failing.
  bool skip_long = false;

  absl::Status Validate() const;
};

struct TaggedSentence {
  std::vector<std::string> tokens;
  std::vector<std::string> tags;       // one a token, or none
  std::vector<std::string> predicted;  // the same
  std::vector<std::string> lines;      // with columns: as they were read
  // Lines of CoNLL-U that were skipped before each token and after the last
  // one, each with its line end; [tokens + 1]. Otherwise empty.
  std::vector<std::string> passed_over = {};
  // How likely each tag of `predicted` is, in [0, 1]; empty if that is unknown.
  std::vector<double> probabilities = {};
  std::string left_out = {};  // place and reason, if it was too long
};

// Lines of CoNLL-U that are no tokens.
struct PassedOverLines {
  uint64_t comments = 0;
  uint64_t multiword_tokens = 0;  // whose words are tokens
  uint64_t empty_nodes = 0;
};

// Returns the position among the ten columns of CoNLL-U, from 0, that a token
// column or tag column of the options means.
size_t ConlluTokenColumn(int token_column);
size_t ConlluTagColumn(int tag_column);

// The tokens of a line of TextForm::kText.
std::vector<std::string> SplitTokens(absl::string_view line);

// Not thread-safe.
class TaggedTextReader {
 public:
  // Errors: InvalidArgument (options), NotFound, PermissionDenied.
  static absl::StatusOr<TaggedTextReader> Open(
      const TaggedTextOptions& options,
      const std::atomic<bool>* stop = nullptr);
  ~TaggedTextReader();
  TaggedTextReader(TaggedTextReader&&) noexcept;

  // The next sentences, at least one and at most `most`, as many as have
  // arrived where a pipe is read; none at the end. An empty line is a sentence
  // without tokens, save in columns. Errors: InvalidArgument with file and line
  // (a column or a tag lacks, CoNLL-U has another number of columns than ten, a
  // sentence of more than 65,536 tokens, a line of more than 16 MiB), those of
  // reading, Cancelled by *stop.
  absl::StatusOr<std::vector<TaggedSentence>> Next(size_t most);
  // Returns the number of skipped lines in everything read so far.
  const PassedOverLines& passed_over() const;

 private:
  class Body;
  explicit TaggedTextReader(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

// All sentences that have tokens. What is passed over is added to *passed_over,
// if given. Errors: also InvalidArgument if there is none.
absl::StatusOr<std::vector<TaggedSentence>> ReadTaggedText(
    const TaggedTextOptions& options, const std::atomic<bool>* stop = nullptr,
    PassedOverLines* passed_over = nullptr);

}  // namespace firth

#endif  // FIRTH_TAGGED_TEXT_H_
