// Common parts of the commands that train or use classifiers.

#ifndef FIRTH_TOOLS_CLASSIFY_CLASSIFYING_H_
#define FIRTH_TOOLS_CLASSIFY_CLASSIFYING_H_

#include <atomic>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/option_set.h"
#include "firth/classifier.h"
#include "firth/fields.h"
#include "firth/labelled_text.h"
#include "firth/progress.h"

namespace firth::tools {

// Number of texts that are read, classified and printed together.
inline constexpr size_t kMostTexts = 1024;

// Prints warnings about files that are left out of folders.
class LeftOutSink : public ProgressSink {
 public:
  void OnWarning(absl::string_view message) override;
};

// --input and the form in which the texts have their labels.
class LabelledInput {
 public:
  void Declare(absl::string_view input_help, OptionSet* options);

  // Returns the target of --input.
  std::vector<std::string>* inputs() { return &options_.inputs; }
  // Checks that --input is given. Errors: InvalidArgument.
  absl::Status CheckGiven() const;

  const LabelledTextOptions& options() const { return options_; }
  // Reads the texts of --input, or of other files in the same form.
  absl::StatusOr<std::vector<LabelledText>> Read(
      const std::atomic<bool>* stop) const;
  absl::StatusOr<std::vector<LabelledText>> Read(
      const std::vector<std::string>& inputs,
      const std::atomic<bool>* stop) const;
  // Reads the texts of --input for training. Errors: also InvalidArgument, with
  // the inputs, if there are fewer than two labels.
  absl::StatusOr<std::vector<LabelledText>> ReadToLearn(
      const std::atomic<bool>* stop) const;

 private:
  LabelledTextOptions options_;
  FieldEditor fields_{&options_};
};

// Declares --vectors and --contextualizer, from which training starts.
void DeclareClassifierInputs(ClassifierInputs* inputs, OptionSet* options);
// Declares training options by name, and which of them need a file.
void DeclareClassifierOptions(FieldEditor* fields,
                              const std::vector<std::string>& names,
                              OptionSet* options);
// Declares --contextualizer, the model that a classifier was trained with.
void DeclareContextualizer(std::string* path, OptionSet* options);
// Declares --threads of a command that uses a classifier.
void DeclareThreads(int* threads, OptionSet* options);

// Refuses an output in a read-only format. Errors: InvalidArgument.
absl::Status CheckWritten(const std::string& output);
// Also refuses fastText's format, with the reason. Errors: InvalidArgument.
absl::Status CheckWrittenAsOwn(const std::string& output,
                               absl::string_view why);

// Refuses two options with the same meaning. Errors: InvalidArgument, both are
// given.
absl::Status CheckNotBoth(const OptionSet& options, absl::string_view name,
                          absl::string_view other);

// Returns the report as lines for people.
std::string ReportLines(const ClassifierReport& report);

// Returns a line such as "  wrote    m.safetensors: 8 labels, 1.2 MB".
std::string WroteLine(const std::string& path, const Classifier& classifier);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_CLASSIFY_CLASSIFYING_H_
