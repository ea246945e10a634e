// The options of training a language model.

#ifndef FIRTH_TOOLS_LM_LM_OPTIONS_H_
#define FIRTH_TOOLS_LM_LM_OPTIONS_H_

#include <string>

#include "absl/status/status.h"
#include "cli/option_set.h"
#include "firth/language_model.h"

namespace firth::tools {

struct LmOptions {
  LanguageModelTraining training;

  // What it reads, its layers, what it predicts, how it is trained.
  void Declare(OptionSet* options);
  // Fills in what was given as text, and checks all. has_vectors: whether there
  // will be some. Errors: InvalidArgument.
  absl::Status Finish(const OptionSet& given, bool has_vectors);

 private:
  void DeclareInput(OptionSet* options);
  void DeclareLayers(OptionSet* options);
  void DeclareTraining(OptionSet* options);

  std::string filters_ = "1x32,2x32,3x64,4x128";
};

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_LM_LM_OPTIONS_H_
