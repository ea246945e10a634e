// TextAsker asks a question for each text of a stream. It returns the answers
// as lines of JSON, which the command prints.

#ifndef FIRTH_TOOLS_ASK_TEXT_ASKER_H_
#define FIRTH_TOOLS_ASK_TEXT_ASKER_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "firth/ask.h"
#include "firth/fields.h"
#include "firth/opened.h"
#include "firth/tagged_text.h"

namespace firth::tools {

class TextAsker {
 public:
  // `question` is the name of a question that requires one model.
  explicit TextAsker(absl::string_view question);

  // Returns the fields that all requests have in common.
  FieldEditor& fields() { return fields_; }
  // Copies the values of all fields that `options` also has.
  void SetFields(const FieldEditor& options);

  // Adds a request with the common fields. Returns a pointer to the request, in
  // which others can be set.
  void* Add();
  // Add the next request: a text, or a text that could not be read.
  void AddText(absl::string_view text);
  void AddError(absl::string_view error);

  // Answers sentences and prints the answers, one per line.
  void PrintAnswers(const std::vector<TaggedSentence>& sentences,
                    const OpenedModel& model);

  // Answers the requests that were added. Returns one line of JSON per request,
  // without line ends.
  std::vector<std::string> Answer(const OpenedModel& model);
  // Returns whether the model could not answer a request. Texts that could not
  // be read do not count.
  bool failed() const { return failed_; }

 private:
  const Question& question_;
  std::unique_ptr<Batch> prototype_;  // The request that the fields set.
  FieldEditor fields_;
  std::unique_ptr<Batch> batch_;
  bool failed_ = false;
  std::vector<absl::Status> errors_;  // One per request; OK if it was read.
};

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_ASK_TEXT_ASKER_H_
