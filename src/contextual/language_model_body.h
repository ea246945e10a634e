// What the public LanguageModel holds; Contextualizer takes it over.

#ifndef FIRTH_CONTEXTUAL_LANGUAGE_MODEL_BODY_H_
#define FIRTH_CONTEXTUAL_LANGUAGE_MODEL_BODY_H_

#include <memory>

#include "contextual/language_model.h"
#include "firth/language_model.h"

namespace firth {

struct LanguageModel::Body {
  std::unique_ptr<BiLanguageModel> model;
};

}  // namespace firth

#endif  // FIRTH_CONTEXTUAL_LANGUAGE_MODEL_BODY_H_
