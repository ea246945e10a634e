// The options of finding phrases, common to the commands that do.

#ifndef FIRTH_TOOLS_TRAIN_PHRASE_OPTIONS_H_
#define FIRTH_TOOLS_TRAIN_PHRASE_OPTIONS_H_

#include "cli/option_set.h"
#include "firth/fields.h"
#include "firth/phrases.h"

namespace firth::tools {

struct PhraseSettings {
  PhraseOptions options;

  // With --passes.
  void Declare(OptionSet* set);
  // As "phrase-score" and so on, which go with --phrases.
  void DeclareForTraining(OptionSet* set);
  // Fills in what reading has, too.
  void Finish(const CorpusOptions& reading);

 private:
  FieldEditor fields_{&options};
};

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_TRAIN_PHRASE_OPTIONS_H_
