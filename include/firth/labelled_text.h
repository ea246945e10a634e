// Texts with labels, read from files and pipes.

#ifndef FIRTH_LABELLED_TEXT_H_
#define FIRTH_LABELLED_TEXT_H_

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "firth/corpus.h"
#include "firth/progress.h"

namespace firth {

class FieldTable;

enum class LabelledForm {
  // A text a line; the words of it that start with a prefix are its labels, as
  // fastText has them.
  kPrefix,
  kTsv,        // a text a line: its labels, a tab, the text
  kCsv,        // RFC 4180, the first record of a file names the columns
  kJsonLines,  // an object a line
  // Each input is a folder; a file below it is a text, the path from the input
  // to its folder a label ("pos", "sport/football"). They come in the order of
  // their paths. Files that are in no such folder are no texts.
  kFolders,
};

struct LabelledTextOptions {
  // Files to read, as in CorpusOptions::inputs; folders of texts with kFolders.
  std::vector<std::string> inputs = {};
  LabelledForm form = LabelledForm::kPrefix;
  std::string label_prefix = "__label__";
  // Names of the columns or members, with kCsv and kJsonLines. A member is one
  // label, a text or a whole number, or a list of them.
  std::string label_column = "label";
  std::string text_column = "text";
  // Between several labels in one field of kTsv and kCsv; empty: a field is one
  // label.
  std::string label_separator = {};
  Utf8Policy utf8 = Utf8Policy::kKeep;  // of texts; labels are UTF-8
  // Else labels may lack and are read where they are, and an empty line is an
  // empty text, save in kCsv and kJsonLines; so are files in no folder.
  bool with_labels = true;
  // Returns a line, or a file of kFolders, of more than 16 MiB as an empty text
  // with left_out set, instead of failing. Does not apply to kCsv, whose
  // records may span lines.
  bool skip_long = false;

  // Returns the prefix that reading removes from labels: label_prefix with
  // kPrefix, otherwise nothing.
  absl::string_view removed_prefix() const {
    return form == LabelledForm::kPrefix ? label_prefix : absl::string_view();
  }

  static FieldTable Fields();
  absl::Status Validate() const;
};

struct LabelledText {
  // Without prefix and white space around, each once, in order. UTF-8 of at
  // most 1,024 bytes, without control characters.
  std::vector<std::string> labels;
  std::string text;           // may be empty, and hold line ends
  std::string file = {};      // of kFolders: its path
  std::string left_out = {};  // place and reason, if the text was too long
};

// Not thread-safe.
class LabelledTextReader {
 public:
  // Warns `progress`, if any, of what is left out of kFolders. Errors:
  // InvalidArgument (options), NotFound, PermissionDenied.
  static absl::StatusOr<LabelledTextReader> Open(
      const LabelledTextOptions& options,
      const std::atomic<bool>* stop = nullptr,
      ProgressSink* progress = nullptr);
  ~LabelledTextReader();
  LabelledTextReader(LabelledTextReader&&) noexcept;

  // The next texts, at least one and at most `most`, as many as have arrived
  // where a pipe is read; none at the end. Errors: InvalidArgument with file
  // and line (no label, one that is too long, a column that lacks, what is no
  // JSON, a line or a text of more than 16 MiB), those of reading, Cancelled by
  // *stop.
  absl::StatusOr<std::vector<LabelledText>> Next(size_t most);

 private:
  class Body;
  explicit LabelledTextReader(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

// All texts, those without a word included. Errors: also InvalidArgument if
// there is none.
absl::StatusOr<std::vector<LabelledText>> ReadLabelledText(
    const LabelledTextOptions& options, const std::atomic<bool>* stop = nullptr,
    ProgressSink* progress = nullptr);

}  // namespace firth

#endif  // FIRTH_LABELLED_TEXT_H_
