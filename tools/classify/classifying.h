// Common parts of the commands that train or ask classifiers.

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

// Texts that are read, labelled and written together.
inline constexpr size_t kMostTexts = 1024;

// Says what is left out of folders.
class LeftOutSink : public ProgressSink {
 public:
  void OnWarning(absl::string_view message) override;
};

// --input and how labels stand with the texts there.
class LabelledInput {
 public:
  void Declare(absl::string_view input_help, OptionSet* options);

  // Returns the target of --input.
  std::vector<std::string>* inputs() { return &options_.inputs; }
  // Errors: InvalidArgument, no --input.
  absl::Status CheckGiven() const;

  const LabelledTextOptions& options() const { return options_; }
  // The texts of --input, or of other files that are written alike.
  absl::StatusOr<std::vector<LabelledText>> Read(
      const std::atomic<bool>* stop) const;
  absl::StatusOr<std::vector<LabelledText>> Read(
      const std::vector<std::string>& inputs,
      const std::atomic<bool>* stop) const;
  // The texts of --input, of at least two labels. Errors: also InvalidArgument,
  // with the inputs, where there is one label alone.
  absl::StatusOr<std::vector<LabelledText>> ReadToLearn(
      const std::atomic<bool>* stop) const;

 private:
  LabelledTextOptions options_;
  FieldEditor fields_{&options_};
};

// --vectors and --contextualizer, which a training starts from.
void DeclareClassifierInputs(ClassifierInputs* inputs, OptionSet* options);
// Options of a training by these names, and that some of them are about these
// files.
void DeclareClassifierOptions(FieldEditor* fields,
                              const std::vector<std::string>& names,
                              OptionSet* options);
// --contextualizer, which a classifier was trained with.
void DeclareContextualizer(std::string* path, OptionSet* options);
// --threads of what asks a classifier.
void DeclareThreads(int* threads, OptionSet* options);

// Refuses an output in a format that is only read. Errors: InvalidArgument.
absl::Status CheckWritten(const std::string& output);
// Refuses one in fastText's format, too, and says why. Errors: InvalidArgument.
absl::Status CheckWrittenAsOwn(const std::string& output,
                               absl::string_view why);

// Refuses two options that say the same in different ways. Errors:
// InvalidArgument, both are given.
absl::Status CheckNotBoth(const OptionSet& options, absl::string_view name,
                          absl::string_view other);

// Returns the report as lines for people.
std::string ReportLines(const ClassifierReport& report);

// "  wrote    m.safetensors: 8 labels, 1.2 MB".
std::string WroteLine(const std::string& path, const Classifier& classifier);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_CLASSIFY_CLASSIFYING_H_
