// The options of what is measured on the way of a training.

#ifndef FIRTH_TOOLS_TRAIN_VALIDATION_OPTIONS_H_
#define FIRTH_TOOLS_TRAIN_VALIDATION_OPTIONS_H_

#include "absl/status/status.h"
#include "cli/option_set.h"
#include "firth/corpus.h"
#include "firth/fields.h"
#include "firth/vector_training.h"

namespace firth::tools {

class ValidationOptions {
 public:
  void Declare(OptionSet* options);
  bool has_text() const { return !files_.texts.empty(); }

  // Reads the held-out text, as the corpus was read, if there is one.
  absl::Status Read(const CorpusOptions& reading, const Corpus& corpus,
                    const Hooks& hooks);
  // Tells that test sets are looked up in lower case, where they are.
  void SayFolding(const Vocabulary& vocabulary) const;
  const Validation& validation() const { return loaded_.validation; }

 private:
  ValidationFiles files_;
  FieldEditor fields_{&files_};
  LoadedValidation loaded_;
};

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_TRAIN_VALIDATION_OPTIONS_H_
