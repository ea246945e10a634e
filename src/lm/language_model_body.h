// LanguageModel::Body holds the model. Contextualizer also uses it.

#ifndef FIRTH_LM_LANGUAGE_MODEL_BODY_H_
#define FIRTH_LM_LANGUAGE_MODEL_BODY_H_

#include <memory>

#include "firth/language_model.h"
#include "lm/language_model.h"

namespace firth {

struct LanguageModel::Body {
  // Must be called before predictions.
  void Prepare();

  std::unique_ptr<BiLanguageModel> model;
  // Whether the head's PrepareAll() was called, which is slow if rows are
  // computed from characters. Parameters do not change after that.
  bool prepared = false;
};

}  // namespace firth

#endif  // FIRTH_LM_LANGUAGE_MODEL_BODY_H_
