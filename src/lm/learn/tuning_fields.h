// Option fields for fine-tuning a contextualizer, shared by everything that is
// trained on top of one.

#ifndef FIRTH_LM_LEARN_TUNING_FIELDS_H_
#define FIRTH_LM_LEARN_TUNING_FIELDS_H_

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "firth/fields.h"

namespace firth {

// Adds the option to fine-tune, and returns its field. Options must have
// tune_contextualizer and tuning_rate. `read` describes the training data, and
// `holds` the contents of the trained model's file.
template <class Options>
Field& AddTuneContextualizer(absl::string_view read, absl::string_view holds,
                             FieldsOf<Options>* fields) {
  return fields->Add(
      "tune-contextualizer", &Options::tune_contextualizer,
      absl::StrCat("also train the contextualizer's weights "
                   "(fine-tuning); this helps only with many ",
                   read,
                   ". Each epoch runs the contextualizer forward and "
                   "backward on all of them. ",
                   holds),
      Field().Habit());
}

template <class Options>
void AddTuningRate(FieldsOf<Options>* fields) {
  fields->Add(
      "tuning-rate", &Options::tuning_rate,
      "set Adam's peak learning rate for the contextualizer's weights; "
      "it rises over the first tenth of the steps, then falls to 0. Use "
      "2e-5 to 5e-5 for a BERT model and a higher rate for a small model",
      Field().Range(1e-12, Field::kUnlimited).Needs({"tune-contextualizer"}));
}

}  // namespace firth

#endif  // FIRTH_LM_LEARN_TUNING_FIELDS_H_
