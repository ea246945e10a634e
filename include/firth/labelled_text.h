// Reads labeled texts from files and pipes.

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
  // One text per line. Words that start with a prefix are its labels, as in
  // fastText.
  kPrefix,
  kTsv,        // One text per line: labels, a tab, the text.
  kCsv,        // CSV by RFC 4180; the first record of a file names the columns.
  kJsonLines,  // One JSON object per line.
  // Each input is a folder. Every file below it is a text, and its label is the
  // path of its folder relative to the input ("pos", "sport/football"). Texts
  // are sorted by path. Files directly in the input are not texts.
  kFolders,
};

struct LabelledTextOptions {
  // Inputs as in CorpusOptions::inputs; folders for kFolders.
  std::vector<std::string> inputs = {};
  LabelledForm form = LabelledForm::kPrefix;
  std::string label_prefix = "__label__";
  // Names of the columns of kCsv or members of kJsonLines. A member may be one
  // label (a text or a whole number) or a list of labels.
  std::string label_column = "label";
  std::string text_column = "text";
  // Separator of several labels in one field of kTsv and kCsv. If empty, the
  // field is one label.
  std::string label_separator = {};
  // Handling of invalid UTF-8 in texts; labels must be valid.
  Utf8Policy utf8 = Utf8Policy::kKeep;
  // Whether labels are required. If not, labels may be missing and are read if
  // present. An empty line is then an empty text, except in kCsv and
  // kJsonLines, and files directly in an input folder are read too.
  bool with_labels = true;
  // Return a line, or a file of kFolders, of more than 16 MiB as an empty text
  // with left_out set, instead of failing. Has no effect on kCsv, whose records
  // may span lines.
  bool skip_long = false;

  // Returns the prefix that reading removes from the labels: label_prefix with
  // kPrefix, otherwise nothing.
  absl::string_view removed_prefix() const {
    return form == LabelledForm::kPrefix ? label_prefix : absl::string_view();
  }

  static FieldTable Fields();
  absl::Status Validate() const;
};

struct LabelledText {
  // Labels in order, each once, without prefix and surrounding white space.
  // UTF-8 of at most 1,024 bytes, without control characters.
  std::vector<std::string> labels;
  std::string text;           // May be empty and contain line ends.
  std::string file = {};      // Path of the file, with kFolders.
  std::string left_out = {};  // Position and reason, if the text was too long.
};

// Reads labeled texts in batches. Not thread-safe.
class LabelledTextReader {
 public:
  // Opens the inputs. Files skipped by kFolders are reported as warnings to
  // `progress`, which may be null. Errors: InvalidArgument (options), NotFound,
  // PermissionDenied.
  static absl::StatusOr<LabelledTextReader> Open(
      const LabelledTextOptions& options,
      const std::atomic<bool>* stop = nullptr,
      ProgressSink* progress = nullptr);
  ~LabelledTextReader();
  LabelledTextReader(LabelledTextReader&&) noexcept;

  // Returns the next texts: at least one and at most `most`, or none at the
  // end. From a pipe, returns those that have arrived. Errors: InvalidArgument
  // with file and line (no label, a label that is too long, a missing column,
  // invalid JSON, a line or a text of more than 16 MiB), read errors, Cancelled
  // by *stop.
  absl::StatusOr<std::vector<LabelledText>> Next(size_t most);

 private:
  class Body;
  explicit LabelledTextReader(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

// Returns all texts, including those without a word. Errors: as for
// LabelledTextReader, and InvalidArgument if there is no text.
absl::StatusOr<std::vector<LabelledText>> ReadLabelledText(
    const LabelledTextOptions& options, const std::atomic<bool>* stop = nullptr,
    ProgressSink* progress = nullptr);

}  // namespace firth

#endif  // FIRTH_LABELLED_TEXT_H_
