// LanguageModel::Body holds the model; Contextualizer reads it, too.

#ifndef FIRTH_LM_LANGUAGE_MODEL_BODY_H_
#define FIRTH_LM_LANGUAGE_MODEL_BODY_H_

#include <memory>

#include "firth/language_model.h"
#include "lm/language_model.h"

namespace firth {

struct LanguageModel::Body {
  // Before it is asked.
  void Prepare();

  std::unique_ptr<BiLanguageModel> model;
  // Whether the head's PrepareAll() was called, which is slow where rows are
  // made of characters. Nothing changes a parameter any more.
  bool prepared = false;
};

}  // namespace firth

#endif  // FIRTH_LM_LANGUAGE_MODEL_BODY_H_
