// The forms of labelled text: a source a form, which hands out text after text.

#ifndef FIRTH_CLASSIFY_LABELLED_FORMS_H_
#define FIRTH_CLASSIFY_LABELLED_FORMS_H_

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
  // Whether Next() would not have to wait.
  virtual bool Ready() const = 0;
  // Sets *text to the next one; false at the end of all inputs.
  virtual absl::StatusOr<bool> Next(LabelledText* text) = 0;
};

using LabelledSourceOr = absl::StatusOr<std::unique_ptr<LabelledSource>>;
// kPrefix, kTsv, kJsonLines.
LabelledSourceOr OpenLabelledLines(const LabelledTextOptions& options,
                                   const std::atomic<bool>* stop);
LabelledSourceOr OpenLabelledCsv(const LabelledTextOptions& options,
                                 const std::atomic<bool>* stop);
LabelledSourceOr OpenLabelledFolders(const LabelledTextOptions& options,
                                     const std::atomic<bool>* stop,
                                     ProgressSink* progress);

// What the forms share: each makes its error with the place that it is given.

// Tells where a text stands, such as "train.txt:3"; asked where something is
// wrong only.
using TextPlace = absl::FunctionRef<std::string()>;

absl::Status Malformed(absl::string_view place, absl::string_view expected,
                       absl::string_view found);

// Adds the label without the white space around it, unless it is empty or there
// already. Errors: too long, too many, not UTF-8, with a control character.
absl::Status AddLabel(TextPlace place, absl::string_view label,
                      LabelledText* text);
// Adds those that the options' separator parts.
absl::Status AddLabels(TextPlace place, absl::string_view field,
                       const LabelledTextOptions& options, LabelledText* text);

// Replaces what is not UTF-8, or refuses it, as the options say.
absl::Status CleanUtf8(TextPlace place, const LabelledTextOptions& options,
                       std::string* text);

}  // namespace firth

#endif  // FIRTH_CLASSIFY_LABELLED_FORMS_H_
