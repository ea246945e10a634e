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
  kColumns,  // a token a line, its columns between white space (or, in a line
             // with a tab, tabs); empty lines between sentences (CoNLL)
};

struct TaggedTextOptions {
  // As CorpusOptions::inputs.
  std::vector<std::string> inputs;
  TextForm form = TextForm::kColumns;
  bool with_tags = true;  // else the tag column may lack, and is not read
  // From 1; 0: the last column. For kColumns.
  int token_column = 1;
  int tag_column = 0;
  int predicted_column = -1;  // a second tag to read; -1: none

  absl::Status Validate() const;
};

struct TaggedSentence {
  std::vector<std::string> tokens;
  std::vector<std::string> tags;       // one a token, or none
  std::vector<std::string> predicted;  // the same
  std::vector<std::string> lines;      // kColumns: as they were read
  // How likely each tag of `predicted` is, in [0, 1]; empty if that is unknown.
  std::vector<double> probabilities = {};
};

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
  // (a column or a tag lacks, a sentence of more than 65,536 tokens), those of
  // reading, Cancelled by *stop.
  absl::StatusOr<std::vector<TaggedSentence>> Next(size_t most);

 private:
  class Body;
  explicit TaggedTextReader(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

// All sentences that have tokens. Errors: also InvalidArgument if there is
// none.
absl::StatusOr<std::vector<TaggedSentence>> ReadTaggedText(
    const TaggedTextOptions& options, const std::atomic<bool>* stop = nullptr);

}  // namespace firth

#endif  // FIRTH_TAGGED_TEXT_H_
