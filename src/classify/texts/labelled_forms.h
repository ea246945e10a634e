// The forms of labeled text. Each form has a source, which returns one text
// after another.

#ifndef FIRTH_CLASSIFY_TEXTS_LABELLED_FORMS_H_
#define FIRTH_CLASSIFY_TEXTS_LABELLED_FORMS_H_

#include <atomic>
#include <memory>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "firth/labelled_text.h"

namespace firth {

// Borrows the options. Not thread-safe.
class LabelledSource {
 public:
  virtual ~LabelledSource() = default;
  // Returns whether Next() would return without waiting.
  virtual bool Ready() const = 0;
  // Sets *text to the next one. Returns false at the end of all inputs.
  virtual absl::StatusOr<bool> Next(LabelledText* text) = 0;
};

using LabelledSourceOr = absl::StatusOr<std::unique_ptr<LabelledSource>>;
// Opens texts in all forms but kFolders.
LabelledSourceOr OpenLabelledLines(const LabelledTextOptions& options,
                                   const std::atomic<bool>* stop);
LabelledSourceOr OpenLabelledFolders(const LabelledTextOptions& options,
                                     const std::atomic<bool>* stop,
                                     ProgressSink* progress);

// Functions that all forms use. Each reports errors with the place that it is
// given.

// Returns the place of a text, such as "train.txt:3". Called only if there is
// an error.
using TextPlace = absl::FunctionRef<std::string()>;

absl::Status Malformed(absl::string_view place, absl::string_view expected,
                       absl::string_view found);

// Adds the label without surrounding white space, unless it is empty or already
// there. Errors: the label is too long, not UTF-8 or has a control character;
// too many labels.
absl::Status AddLabel(TextPlace place, absl::string_view label,
                      LabelledText* text);
// Adds the labels in the field, which the options' separator separates.
absl::Status AddLabels(TextPlace place, absl::string_view field,
                       const LabelledTextOptions& options, LabelledText* text);

// Replaces invalid UTF-8, or returns an error, depending on the options.
absl::Status CleanUtf8(TextPlace place, const LabelledTextOptions& options,
                       std::string* text);

}  // namespace firth

#endif  // FIRTH_CLASSIFY_TEXTS_LABELLED_FORMS_H_
