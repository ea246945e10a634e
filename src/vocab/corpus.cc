// The public functions of firth/corpus.h.

#include "firth/corpus.h"

#include "firth/fields.h"
#include "vocab/corpus_reader.h"

namespace firth {

FieldTable CorpusOptions::Fields() {
  FieldsOf<CorpusOptions> fields;
  fields.Section("Text");
  fields.Add("input", &CorpusOptions::inputs,
             "path to the text: files, folders (all files in them), or - for "
             "standard input. Files may be compressed with gzip, bzip2, xz or "
             "zstd. Each line is a sentence",
             Field().ValueName("FILE").Place().Everyday());
  fields.Choice("utf8", &CorpusOptions::utf8, {"keep", "replace", "error"},
                "choose what to do with bytes that are not valid UTF-8: keep "
                "them, replace them with U+FFFD, or fail (error)",
                Field().Habit());
  fields.Add("lowercase", &CorpusOptions::lowercase,
             "convert all words to lower case, by Unicode's rules",
             Field().Habit().Everyday());
  fields.Choice(
      "normalize", &CorpusOptions::normalize, {"none", "nfc", "nfkc"},
      "merge words that differ only in their Unicode form: nfc "
      "composes letters and their accents; nfkc also replaces variants "
      "such as ligatures and full-width letters",
      Field().Habit());
  fields.Add("split-punctuation", &CorpusOptions::split_punctuation,
             "separate punctuation from words, and the words of languages "
             "written without spaces, at Unicode word boundaries",
             Field().Habit().Everyday());
  fields.Add(
      "max-word-bytes", &CorpusOptions::max_word_bytes,
      "skip words with more bytes than this. Such long runs without white "
      "space are usually data, not text; they are never held in memory as "
      "a whole",
      Field().Range(1, 1 << 26));
  fields.Add(
      "memory", &CorpusOptions::memory_bytes,
      "maximum memory for words and word ids while the text is read, such "
      "as 512M or 4G. The program and its input buffers need about 30M in "
      "addition. Above this limit, word ids are written to a temporary "
      "file, and rare words are dropped",
      Field().Size().Default("half of the free memory").Work());
  fields.Add("temp-dir", &CorpusOptions::temp_dir,
             "path to the folder for the temporary file of --memory",
             Field().ValueName("FOLDER").Default("$TMPDIR or /tmp").Place());
  fields.Section("");
  fields.Add("threads", &CorpusOptions::threads, "number of threads")
      .Range(0, kMostThreads)
      .Default("0, which means all cores")
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
  fields.Add("min-count", &VocabularyOptions::min_count,
             "drop words that occur less often than this in the text",
             Field().Range(1, Field::kUnlimited).Habit().Everyday());
  fields.Add("max-vocab", &VocabularyOptions::max_vocab,
             "keep only this many of the most frequent words; 0 keeps all");
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
