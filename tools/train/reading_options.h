// The options for reading a corpus and for finding phrases in it, and the
// report about what was read.

#ifndef FIRTH_TOOLS_TRAIN_READING_OPTIONS_H_
#define FIRTH_TOOLS_TRAIN_READING_OPTIONS_H_

#include <string>

#include "absl/status/status.h"
#include "cli/json.h"
#include "cli/option_set.h"
#include "firth/corpus.h"
#include "firth/fields.h"
#include "firth/phrases.h"

namespace firth::tools {

struct ReadingOptions {
  CorpusOptions corpus;
  VocabularyOptions vocabulary;
  std::string given_vocabulary;  // Path; empty to count the text.

  void DeclareInput(OptionSet* options);
  // Declares the options for reading text, except file names.
  void DeclareText(OptionSet* options);
  void DeclareVocabulary(OptionSet* options);
  void DeclareThreads(OptionSet* options);
  absl::Status Check(const OptionSet& options) const;

 private:
  FieldEditor corpus_fields_{&corpus};
  FieldEditor vocabulary_fields_{&vocabulary};
};

// Returns the report as indented lines: the tokens read, kept and dropped, with
// reasons.
std::string Account(const CorpusReport& report);
Json AccountJson(const CorpusReport& report);

struct PhraseSettings {
  PhraseOptions options;

  // Declares the options, including --passes.
  void Declare(OptionSet* set);
  // Declares the options for training, such as --phrase-score.
  void DeclareForTraining(OptionSet* set);
  // Copies the options that `reading` also has.
  void Finish(const CorpusOptions& reading);

 private:
  FieldEditor fields_{&options};
};

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_TRAIN_READING_OPTIONS_H_
