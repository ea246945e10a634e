// The options of calls of the C interface that have more than one struct of the
// library.

#ifndef FIRTH_C_LANGUAGE_MODEL_CALL_H_
#define FIRTH_C_LANGUAGE_MODEL_CALL_H_

#include <string>
#include <vector>

#include "firth/fields.h"
#include "firth/language_model.h"

namespace firth::c {

struct LanguageModelCall {
  LanguageModelTraining training;
  std::vector<std::string> valid;  // files
  std::string checkpoint;          // a folder
  std::string checkpoint_every = "10m";
  std::string resume;  // a folder
};

struct GenerateCall {
  GenerateOptions options;
  std::vector<std::string> prompt;
};

FieldTable FieldsFor(const LanguageModelCall*);
FieldTable FieldsFor(const GenerateCall*);

}  // namespace firth::c

#endif  // FIRTH_C_LANGUAGE_MODEL_CALL_H_
