// The commands that read a text without training: firth vocab counts its words,
// and firth phrases joins words to phrases.

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/console.h"
#include "cli/human.h"
#include "cli/interrupt.h"
#include "cli/progress_printer.h"
#include "cli/vector_files.h"
#include "command.h"
#include "firth/corpus.h"
#include "firth/phrases.h"
#include "firth/status_macros.h"
#include "firth/text_file.h"
#include "train/reading_options.h"

namespace firth::tools {
namespace {

constexpr CommandText kVocabText = {
    "vocab", "count the words of a text, or look up words in a vocabulary file",
    "--input FILE... | --vocab FILE [OPTION...] [-- WORD...]",
    "Counts words as \"firth train\" does, and prints the most frequent ones, "
    "or the given WORDs, with rank, count and fraction of the text.\n\n"
    "  firth vocab --input corpus.txt --output corpus.vocab\n"
    "  firth vocab --vocab corpus.vocab king queen"};

class VocabCommand : public CommandWith<kVocabText> {
 public:
  void Declare(OptionSet* options) override;
  absl::Status Check(const OptionSet& options) override;
  absl::StatusOr<ExitCode> Run(const OptionSet& options) override;

 private:
  absl::StatusOr<Vocabulary> Obtain();
  // Chooses the words to print.
  absl::Status Choose(const Vocabulary& vocabulary);
  void PrintTable(const Vocabulary& vocabulary) const;
  void PrintJson(const Vocabulary& vocabulary) const;

  ReadingOptions reading_;
  std::string output_;
  uint64_t top_ = 20;
  bool json_ = false;
  bool quiet_ = false;
  std::vector<std::string> words_;
  std::vector<WordId> chosen_;
  CorpusReport report_;
};

void VocabCommand::Declare(OptionSet* options) {
  reading_.DeclareInput(options);
  reading_.DeclareVocabulary(options);
  options
      ->Path("vocab", "FILE", &reading_.given_vocabulary, Reads(),
             "path to a vocabulary file to read instead of text")
      .Everyday();
  reading_.DeclareThreads(options);
  options->Section("Output");
  options
      ->Path("output", "FILE", &output_, Writes(),
             "path to a vocabulary file to write, with one word and its count "
             "per line")
      .Everyday();
  options
      ->Integer("top", &top_, 0, UINT64_MAX,
                "print this many of the most frequent words")
      .Everyday();
  options->Switch("json", &json_, "print one JSON object");
  options->Switch("quiet", &quiet_, "print no progress and no summary");
  options->Arguments("WORD", 0, SIZE_MAX, &words_, {});
}

absl::Status VocabCommand::Check(const OptionSet& options) {
  const bool reads = !reading_.corpus.inputs.empty();
  if (reads && options.Given("vocab")) {
    return absl::InvalidArgumentError(
        "give either --input to count a text or --vocab to read a vocabulary "
        "file");
  }
  if (!reads && !options.Given("vocab")) {
    return absl::InvalidArgumentError("give --input FILE or --vocab FILE");
  }
  return reading_.Check(options);
}

absl::StatusOr<Vocabulary> VocabCommand::Obtain() {
  if (!reading_.given_vocabulary.empty()) {
    return LoadVocabulary(reading_.given_vocabulary);
  }
  const InterruptGuard interrupt;
  ProgressPrinter progress(quiet_, 0);
  absl::StatusOr<Corpus> corpus = CountWords(
      reading_.corpus, reading_.vocabulary, {&progress, interrupt.flag()});
  progress.Clear();
  // A signal may have caused the error, if a system call failed.
  if (!corpus.ok() && interrupt.Interrupted()) {
    return absl::CancelledError("interrupted");
  }
  if (!corpus.ok()) return corpus.status();
  report_ = corpus->report;
  if (!quiet_) PrintNote(Account(report_));
  return corpus->vocabulary;
}

absl::Status VocabCommand::Choose(const Vocabulary& vocabulary) {
  for (const std::string& word : words_) {
    FIRTH_ASSIGN_OR_RETURN(const WordId found, FindWord(vocabulary, word));
    chosen_.push_back(found);
  }
  if (!words_.empty()) return absl::OkStatus();
  const size_t count = std::min<uint64_t>(top_, vocabulary.size());
  for (size_t i = 0; i < count; ++i) chosen_.push_back(ToWordId(i));
  return absl::OkStatus();
}

void VocabCommand::PrintTable(const Vocabulary& vocabulary) const {
  TextTable table("rlrr");
  table.AddRow({"rank", "word", "count", "share"});
  for (const WordId word : chosen_) {
    table.AddRow({Thousands(Index(word) + 1),
                  std::string(vocabulary.Word(word)),
                  Thousands(vocabulary.Count(word)),
                  Percent(vocabulary.Count(word), vocabulary.total_count())});
  }
  Print(table.ToString());
}

void VocabCommand::PrintJson(const Vocabulary& vocabulary) const {
  Json words = Json::array();
  for (const WordId word : chosen_) {
    words.push_back({{"word", std::string(vocabulary.Word(word))},
                     {"rank", Index(word) + 1},
                     {"count", vocabulary.Count(word)}});
  }
  Json object = {{"types", vocabulary.size()},
                 {"tokens", vocabulary.total_count()}};
  if (reading_.given_vocabulary.empty())
    object["corpus"] = AccountJson(report_);
  object["words"] = std::move(words);
  Print(JsonLine(object));
}

absl::StatusOr<ExitCode> VocabCommand::Run(const OptionSet&) {
  const absl::StatusOr<Vocabulary> vocabulary = Obtain();
  if (absl::IsCancelled(vocabulary.status())) return EndInterrupted();
  if (!vocabulary.ok()) return vocabulary.status();
  absl::Status status = Choose(*vocabulary);
  if (status.ok() && !output_.empty()) {
    status = SaveVocabulary(*vocabulary, output_);
  }
  if (!status.ok()) return status;
  if (json_) {
    PrintJson(*vocabulary);
  } else if (!chosen_.empty()) {
    PrintTable(*vocabulary);
  }
  return ExitCode::kDone;
}

constexpr CommandText kPhrasesText = {
    "phrases", "join the words of phrases, such as new_york",
    "--input FILE... [--output FILE] [OPTION...]",
    "Finds words that occur together more often than by chance, and writes the "
    "text with the words of each phrase joined. The output has one sentence "
    "per line, with single spaces between words; lines without words are "
    "dropped. One pass joins pairs; a second pass joins phrases of up to four "
    "words.\n\n"
    "  firth phrases --input corpus.txt --passes 2 --output joined.txt\n"
    "  firth phrases --input corpus.txt | firth train --input - --output "
    "vectors.bin"};

class PhrasesCommand : public CommandWith<kPhrasesText> {
 public:
  void Declare(OptionSet* options) override {
    reading_.DeclareInput(options);
    options->Section("Phrases");
    phrases_.Declare(options);
    reading_.DeclareThreads(options);
    options->Section("Output");
    options
        ->Path("output", "FILE", &output_, WritesOrPrints(),
               "path to the text file to write; - means standard output")
        .Everyday();
    options
        ->Path("list", "FILE", &list_, Writes(),
               "path to a file for the list of phrases, with one phrase per "
               "line and its count and score")
        .Everyday();
    options->Switch("quiet", &quiet_, "print no progress and no summary");
    options->Arguments("FILE", 0, SIZE_MAX, &reading_.corpus.inputs, {});
  }

  absl::Status Check(const OptionSet& options) override {
    if (reading_.corpus.inputs.empty()) {
      return absl::InvalidArgumentError("give the text with --input FILE");
    }
    reading_.vocabulary.min_count = 1;
    FIRTH_RETURN_IF_ERROR(reading_.Check(options));
    phrases_.Finish(reading_.corpus);
    return phrases_.options.Validate();
  }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    const InterruptGuard interrupt;
    ProgressPrinter progress(quiet_, 0);
    const Hooks hooks{&progress, interrupt.flag()};
    absl::StatusOr<JoinedCorpus> joined = ReadAndJoin(hooks);
    progress.Clear();
    if (!joined.ok() && interrupt.Interrupted()) return EndInterrupted();
    if (!joined.ok()) return joined.status();
    absl::Status status = SaveText(joined->corpus, output_);
    if (status.ok() && !list_.empty()) {
      status = WriteTextFile(list_, ListOf(joined->phrases));
    }
    if (!status.ok()) return status;
    if (!quiet_) {
      PrintNote(absl::StrCat("  phrases  ", Thousands(joined->phrases.size()),
                             "; the text now has ",
                             Thousands(joined->corpus.report.tokens),
                             " tokens\n"));
    }
    return ExitCode::kDone;
  }

 private:
  absl::StatusOr<JoinedCorpus> ReadAndJoin(const Hooks& hooks) const {
    FIRTH_ASSIGN_OR_RETURN(
        const Corpus corpus,
        ReadCorpus(reading_.corpus, reading_.vocabulary, hooks));
    return JoinPhrases(corpus, phrases_.options, hooks);
  }

  static std::string ListOf(const std::vector<Phrase>& phrases) {
    std::string text;
    for (const Phrase& phrase : phrases) {
      absl::StrAppendFormat(&text, "%s\t%d\t%.6g\n", phrase.text, phrase.count,
                            phrase.score);
    }
    return text;
  }

  ReadingOptions reading_;
  PhraseSettings phrases_;
  std::string output_ = "-";
  std::string list_;
  bool quiet_ = false;
};

}  // namespace

CommandPtr MakeVocab() { return std::make_unique<VocabCommand>(); }

CommandPtr MakePhrases() { return std::make_unique<PhrasesCommand>(); }

}  // namespace firth::tools
