// The options for reading a corpus and for finding phrases in it, common to the
// commands that do, and the account of what was read.

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
  std::string given_vocabulary;  // a file; empty: made from the text

  void DeclareInput(OptionSet* options);
  // Declares the options of the text, except the names of files.
  void DeclareText(OptionSet* options);
  void DeclareVocabulary(OptionSet* options);
  void DeclareThreads(OptionSet* options);
  absl::Status Check(const OptionSet& options) const;

 private:
  FieldEditor corpus_fields_{&corpus};
  FieldEditor vocabulary_fields_{&vocabulary};
};

// The report as lines for people: what was read, kept and dropped, and why.
// Each line is indented and ends with a line end.
std::string Account(const CorpusReport& report);
Json AccountJson(const CorpusReport& report);

struct PhraseSettings {
  PhraseOptions options;

  // Declares the options, with --passes.
  void Declare(OptionSet* set);
  // Declares "phrase-score" and so on, which go with --phrases.
  void DeclareForTraining(OptionSet* set);
  // Sets the options that reading has, too.
  void Finish(const CorpusOptions& reading);

 private:
  FieldEditor fields_{&options};
};

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_TRAIN_READING_OPTIONS_H_
