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
           "text to read: files, folders (with all files in them) or - for "
           "standard input; plain, gzip, bzip2, xz or zstd; one sentence per "
           "line")
      .ValueName("FILE")
      .Place()
      .Everyday();
  fields
      .Choice("utf8", &CorpusOptions::utf8, {"keep", "replace", "error"},
              "what to do with bytes that are not valid UTF-8: keep them, "
              "replace them by U+FFFD, or stop with an error")
      .Habit();
  fields
      .Add("lowercase", &CorpusOptions::lowercase,
           "convert all words to lower case (Unicode)")
      .Habit()
      .Everyday();
  fields
      .Choice("normalize", &CorpusOptions::normalize, {"none", "nfc", "nfkc"},
              "Unicode normalization of words. nfc: compose letters and their "
              "accents; nfkc: also replace variants such as ligatures and "
              "full-width letters")
      .Habit();
  fields
      .Add("split-punctuation", &CorpusOptions::split_punctuation,
           "separate punctuation from words, and the words of languages "
           "written without spaces, at Unicode word boundaries")
      .Habit()
      .Everyday();
  fields
      .Add("max-word-bytes", &CorpusOptions::max_word_bytes,
           "skip words longer than this; such runs without white space are "
           "data, not text, and are never held in memory as a whole")
      .Range(1, 1 << 26);
  fields
      .Add("memory", &CorpusOptions::memory_bytes,
           "maximum memory for tables that grow while the text is read, such "
           "as 512M or 4G, in addition to about 30M for the program and its "
           "threads. Beyond it, word ids are written to a temporary file and "
           "rare words are dropped")
      .Size()
      .Default("half of the free memory")
      .Work();
  fields
      .Add("temp-dir", &CorpusOptions::temp_dir, "folder of the temporary file")
      .ValueName("FOLDER")
      .Default("$TMPDIR or /tmp")
      .Place();
  fields.Section("");
  fields
      .Add("threads", &CorpusOptions::threads,
           "number of threads; 0 means all cores")
      .Range(0, kMostThreads)
      .Default("0")
      .Work();
  return fields;
}

absl::Status CorpusOptions::Validate() const {
  if (inputs.empty() && !text.has_value() && !sentences) {
    return absl::InvalidArgumentError(
        "inputs: expected at least one file, folder or \"-\", found none");
  }
  return CheckFields(*this);
}

FieldTable VocabularyOptions::Fields() {
  FieldsOf<VocabularyOptions> fields;
  fields.Section("Vocabulary");
  fields
      .Add("min-count", &VocabularyOptions::min_count,
           "minimum number of occurrences of a word; rarer words are dropped")
      .Range(1, Field::kUnlimited)
      .Habit()
      .Everyday();
  fields.Add(
      "max-vocab", &VocabularyOptions::max_vocab,
      "keep at most this many words, the most frequent ones; 0 means no limit");
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
