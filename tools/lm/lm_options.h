// The options of training a language model.

#ifndef FIRTH_TOOLS_LM_LM_OPTIONS_H_
#define FIRTH_TOOLS_LM_LM_OPTIONS_H_

#include "absl/status/status.h"
#include "cli/option_set.h"
#include "firth/fields.h"
#include "firth/language_model.h"

namespace firth::tools {

struct LmOptions {
  LanguageModelTraining training;

  // What it reads, its layers, what it predicts, how it is trained.
  void Declare(OptionSet* options);
  void DeclareThreads(OptionSet* options);
  // has_vectors: whether there will be some. updates: whether a model is
  // trained further. Errors: InvalidArgument.
  absl::Status Finish(const OptionSet& given, bool has_vectors,
                      bool updates) const;

  const FieldEditor& fields() const { return fields_; }

 private:
  FieldEditor fields_{&training};
};

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_LM_LM_OPTIONS_H_
