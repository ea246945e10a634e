// firth phrases: text in, text out with phrases joined.

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/console.h"
#include "cli/human.h"
#include "cli/interrupt.h"
#include "cli/progress_printer.h"
#include "command.h"
#include "firth/corpus.h"
#include "firth/phrases.h"
#include "firth/status_macros.h"
#include "firth/text_file.h"
#include "train/phrase_options.h"
#include "train/reading_options.h"

namespace firth::tools {
namespace {

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

class PhrasesCommand : public Command {
 public:
  PhrasesCommand() : Command(kPhrasesText) {}

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

CommandPtr MakePhrases() { return std::make_unique<PhrasesCommand>(); }

}  // namespace firth::tools
