// The public calls of firth/corpus.h.

#include "firth/corpus.h"

#include "firth/fields.h"
#include "vocab/corpus_reader.h"

namespace firth {

FieldTable CorpusOptions::Fields() {
  FieldsOf<CorpusOptions> fields;
  fields.Section("Text");
  fields
      .Add("input", &CorpusOptions::inputs,
           "text to read: files, folders with all files in them, - for a "
           "pipe; plain, gzip, bzip2, xz or zstd; a line is a sentence")
      .ValueName("FILE")
      .Place()
      .Everyday();
  fields
      .Choice("utf8", &CorpusOptions::utf8, {"keep", "replace", "error"},
              "bytes that are not valid UTF-8: keep them, replace them by "
              "U+FFFD, or stop")
      .Habit();
  fields
      .Add("lowercase", &CorpusOptions::lowercase,
           "fold all words to lower case, by Unicode")
      .Habit()
      .Everyday();
  fields
      .Choice(
          "normalize", &CorpusOptions::normalize, {"none", "nfc", "nfkc"},
          "join words that differ in their Unicode form alone: nfc composes "
          "letters and their accents; nfkc also replaces variants such as "
          "ligatures and full-width letters")
      .Habit();
  fields
      .Add("split-punctuation", &CorpusOptions::split_punctuation,
           "part words from punctuation, and the words of languages that write "
           "no spaces, by Unicode's word boundaries")
      .Habit();
  fields
      .Add("max-word-bytes", &CorpusOptions::max_word_bytes,
           "leave out longer words, which are data without white space and "
           "no text; they are not held in memory as a whole")
      .Range(1, 1 << 26);
  fields
      .Add("memory", &CorpusOptions::memory_bytes,
           "memory for what grows while reading, such as 512M or 4G, besides "
           "some 30M for the program and what its threads read; beyond it "
           "word ids go to a temporary file and rare words are given up")
      .Size()
      .Default("half of what is free")
      .Work();
  fields
      .Add("temp-dir", &CorpusOptions::temp_dir,
           "where that temporary file is put")
      .ValueName("FOLDER")
      .Default("$TMPDIR or /tmp")
      .Place();
  fields.Section("");
  fields.Add("threads", &CorpusOptions::threads, "threads to work with")
      .Range(0, kMostThreads)
      .Default("0: all cores")
      .Work()
      .Everyday();
  return fields;
}

absl::Status CorpusOptions::Validate() const {
  if (inputs.empty() && !text.has_value() && !sentences) {
    return absl::InvalidArgumentError(
        "inputs: give at least one file or folder, or \"-\" for standard "
        "input");
  }
  return CheckFields(*this);
}

FieldTable VocabularyOptions::Fields() {
  FieldsOf<VocabularyOptions> fields;
  fields.Section("Vocabulary");
  fields
      .Add("min-count", &VocabularyOptions::min_count,
           "leave out words that occur less often, occurrences")
      .Range(1, Field::kUnlimited)
      .Habit()
      .Everyday();
  fields.Add("max-vocab", &VocabularyOptions::max_vocab,
             "keep only this many words, the most frequent ones; 0: all");
  return fields;
}

absl::Status VocabularyOptions::Validate() const { return CheckFields(*this); }

absl::StatusOr<Corpus> ReadCorpus(const CorpusOptions& options,
                                  const VocabularyOptions& vocabulary_options,
                                  const Hooks& hooks) {
  return ReadAsPlanned(
      {.options = options, .vocabulary_options = vocabulary_options}, hooks);
}

absl::StatusOr<Corpus> ReadCorpus(const CorpusOptions& options,
                                  const Vocabulary& vocabulary,
                                  const Hooks& hooks) {
  return ReadAsPlanned({.options = options, .vocabulary = &vocabulary}, hooks);
}

absl::StatusOr<Corpus> ReadCorpus(const CorpusOptions& options,
                                  const KnownWords& known,
                                  const VocabularyOptions& vocabulary_options,
                                  const Hooks& hooks) {
  return ReadAsPlanned({.options = options,
                        .vocabulary_options = vocabulary_options,
                        .known = known},
                       hooks);
}

absl::StatusOr<Corpus> CountWords(const CorpusOptions& options,
                                  const VocabularyOptions& vocabulary_options,
                                  const Hooks& hooks) {
  return ReadAsPlanned({.options = options,
                        .vocabulary_options = vocabulary_options,
                        .keep_ids = false},
                       hooks);
}

}  // namespace firth
