// firth demo: generates a corpus, trains on it and asks questions, in a few
// seconds.

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/console.h"
#include "cli/human.h"
#include "cli/interrupt.h"
#include "cli/progress_printer.h"
#include "cli/vector_files.h"
#include "command.h"
#include "demo/demo_corpus.h"
#include "demo/demo_data.h"
#include "demo/demo_senses.h"
#include "firth/ask.h"
#include "firth/opened.h"
#include "firth/query.h"
#include "firth/status_macros.h"
#include "firth/train.h"
#include "firth/vector_io.h"
#include "query/evaluation_table.h"
#include "train/reading_options.h"

namespace firth::tools {
namespace {

constexpr size_t kShownNeighbors = 5;
constexpr absl::string_view kShownWords[] = {"japan", "queen", "eating"};
constexpr absl::string_view kShownAnalogy[] = {"france", "paris", "japan"};

// The corpus has few words, so small vectors are enough, and no word is so
// frequent that subsampling it would help.
TrainOptions DemoTraining() {
  TrainOptions options;
  options.dim = 64;
  options.sample = 1e-3;
  options.epochs = 3;
  options.deterministic = true;  // The output is the same each time.
  return options;
}

// Returns advice on what to do next, with the name by which the program was
// called. `model` is the file that was written, or empty.
std::string WhatNext(const std::string& model) {
  const std::string& firth = ProgramName();
  std::string text;
  if (!model.empty()) {
    absl::StrAppend(&text, "\nTo explore the vectors in the browser:\n\n  ",
                    firth, " explore ", model, "\n");
  }
  absl::StrAppend(&text, "\nNow with your own text:\n\n  ", firth,
                  " train --input YOUR.txt --output model.safetensors\n  ",
                  firth, " nn model.safetensors WORD\n");
  if (absl::StrContains(firth, '/')) {
    absl::StrAppend(&text,
                    "\nTo call it \"firth\" from everywhere:\n\n"
                    "  make install PREFIX=~/.local    "
                    "# to ~/.local/bin; without PREFIX to /usr/local\n");
  }
  return text;
}

// The form of the corpus to print instead of training on it.
enum class Printed { kNothing, kCorpus, kTagged };

constexpr CommandText kDemoText = {
    "demo", "train on a built-in corpus and show the results", "[OPTION...]",
    "Generates a corpus from a small grammar: countries with capitals, "
    "nationalities and currencies, male and female words, singular and plural, "
    "verb forms and degrees of adjectives. Trains vectors on it for a few "
    "seconds, then solves analogies that follow from the grammar. Finally a "
    "small language model distinguishes two senses of a word. The demo needs "
    "no files and no network.\n\n"
    "  firth demo --print corpus >corpus.txt\n"
    "  firth demo --print tagged --words 100000 --seed 2 >tagged.txt"};

class DemoCommand : public Command {
 public:
  DemoCommand() : Command(kDemoText) {}

  void Declare(OptionSet* options) override;
  absl::Status Check(const OptionSet& options) override;
  absl::StatusOr<ExitCode> Run(const OptionSet& options) override;

 private:
  absl::StatusOr<Corpus> Read(const std::string& text, const Hooks& hooks);
  absl::Status ShowNeighbors(const NearestNeighbors& neighbors) const;
  absl::Status ShowAnalogy(const NearestNeighbors& neighbors) const;
  absl::Status ShowQuestions(const WordVectors& vectors) const;
  absl::Status Save(const TrainedModel& model) const;
  // Prints neighbors, analogies and word senses.
  absl::Status Show(const TrainedModel& model, const std::string& text,
                    const std::atomic<bool>* stop) const;

  TrainOptions training_ = DemoTraining();
  uint64_t words_ = 3000000;
  std::string output_;
  std::string format_;
  Printed printed_ = Printed::kNothing;
};

void DemoCommand::Declare(OptionSet* options) {
  options->Integer("words", &words_, 100000, 1000000000,
                   "number of words in the corpus");
  options->Integer("seed", &training_.seed, 0, UINT64_MAX,
                   "set the random seed for the corpus and for training");
  options
      ->Integer("threads", &training_.threads, 0, kMostThreads,
                "number of threads")
      .default_text = "0, which means all cores";
  options
      ->Choice("print", &printed_,
               {{"corpus", Printed::kCorpus}, {"tagged", Printed::kTagged}},
               "print the corpus instead of training on it: corpus prints "
               "plain text; tagged prints word/tag, where the tag is the "
               "word's role in the grammar")
      .default_text = "";
  options->Path(
      "output", "FILE", &output_, WritesVectors(&format_),
      "path to a vector file to write; its extension determines the format");
}

absl::Status DemoCommand::Check(const OptionSet&) {
  if (output_.empty()) return absl::OkStatus();
  if (printed_ != Printed::kNothing) {
    return absl::InvalidArgumentError(
        "--output cannot be combined with --print, which trains nothing");
  }
  FIRTH_ASSIGN_OR_RETURN(format_, ChooseVectorFormat(output_, ""));
  return absl::OkStatus();
}

absl::StatusOr<Corpus> DemoCommand::Read(const std::string& text,
                                         const Hooks& hooks) {
  CorpusOptions options;
  options.text = text;
  options.threads = training_.threads;
  absl::StatusOr<Corpus> corpus =
      ReadCorpus(options, VocabularyOptions(), hooks);
  if (corpus.ok()) {
    Print(absl::StrCat("Generated and read a corpus:\n",
                       Account(corpus->report), "\n"));
  }
  return corpus;
}

absl::Status DemoCommand::ShowNeighbors(
    const NearestNeighbors& neighbors) const {
  const Vocabulary& vocabulary = neighbors.vectors().vocabulary();
  Print("The nearest neighbors of a few words, with their cosines:\n\n");
  for (const absl::string_view shown : kShownWords) {
    FIRTH_ASSIGN_OR_RETURN(const WordId word, FindWord(vocabulary, shown));
    TextTable table("ls");
    for (const Neighbor& neighbor : neighbors.FindWord(word, kShownNeighbors)) {
      table.AddRow({absl::StrCat("  ", vocabulary.Word(neighbor.word)),
                    absl::StrFormat("%.4f", neighbor.score)});
    }
    PrintStyled(absl::StrCat(shown, "\n", table.ToString()));
  }
  return absl::OkStatus();
}

absl::Status DemoCommand::ShowAnalogy(const NearestNeighbors& neighbors) const {
  const Vocabulary& vocabulary = neighbors.vectors().vocabulary();
  std::vector<WordId> words;
  for (const absl::string_view shown : kShownAnalogy) {
    FIRTH_ASSIGN_OR_RETURN(words.emplace_back(), FindWord(vocabulary, shown));
  }
  const std::vector<Neighbor> best = neighbors.SolveAnalogy(
      words[0], words[1], words[2], 1, AnalogyMethod::kAdd);
  Print(absl::StrFormat("\n%s is to %s as %s is to: %s\n\n", kShownAnalogy[0],
                        kShownAnalogy[1], kShownAnalogy[2],
                        vocabulary.Word(best[0].word)));
  return absl::OkStatus();
}

absl::Status DemoCommand::ShowQuestions(const WordVectors& vectors) const {
  FIRTH_ASSIGN_OR_RETURN(const std::string questions,
                         GenerateDemoQuestions(kDemoGrammar));
  OpenedModels models;
  FIRTH_RETURN_IF_ERROR(
      models.Add({"demo", std::make_shared<OpenedVectors>(vectors)}));
  const Json request = {
      {"requests", Json::array({{{"questions", questions}}})}};
  FIRTH_ASSIGN_OR_RETURN(
      const std::string answers,
      AskJson(*FindQuestion("eval"), models, OneLine(request), NoLimits()));
  Json file = Json::parse(answers)["answers"][0]["analogies"][0];
  file["file"] = "All analogies of the grammar, by section:\n";
  Print(AnalogyTable(file));
  return absl::OkStatus();
}

absl::Status DemoCommand::Save(const TrainedModel& model) const {
  if (output_.empty()) return absl::OkStatus();
  FIRTH_RETURN_IF_ERROR(SaveVectorFile(
      {model.vectors, model.output, model.output_bias, {}}, output_, format_));
  PrintMessage(absl::StrCat("wrote ", output_));
  return absl::OkStatus();
}

absl::Status DemoCommand::Show(const TrainedModel& model,
                               const std::string& text,
                               const std::atomic<bool>* stop) const {
  const NearestNeighbors neighbors(model.vectors);
  FIRTH_RETURN_IF_ERROR(ShowNeighbors(neighbors));
  FIRTH_RETURN_IF_ERROR(ShowAnalogy(neighbors));
  FIRTH_RETURN_IF_ERROR(ShowQuestions(model.vectors));
  FIRTH_RETURN_IF_ERROR(
      ShowSenses(text, model.vectors, training_.seed, training_.threads, stop));
  Print(WhatNext(output_));
  return absl::OkStatus();
}

absl::StatusOr<ExitCode> DemoCommand::Run(const OptionSet&) {
  FIRTH_ASSIGN_OR_RETURN(
      const std::string text,
      GenerateDemoCorpus(kDemoGrammar, words_, training_.seed,
                         printed_ == Printed::kTagged));
  if (printed_ != Printed::kNothing) {
    Print(text);
    return ExitCode::kDone;
  }
  const InterruptGuard interrupt;
  ProgressPrinter progress(/*quiet=*/false, training_.epochs);
  const Hooks hooks{&progress, interrupt.flag()};
  const absl::StatusOr<Corpus> corpus = Read(text, hooks);
  if (!corpus.ok() && interrupt.Interrupted()) return ExitCode::kInterrupted;
  if (!corpus.ok()) return corpus.status();

  const absl::StatusOr<TrainedModel> model = Train(*corpus, training_, hooks);
  progress.Clear();
  if (!model.ok()) return model.status();
  if (model->report.interrupted) return ExitCode::kInterrupted;
  Print(absl::StrFormat(
      "Trained %s in %s, %s words/s.\n\n",
      Counted(model->vectors.size(), "word vector"),
      HumanSeconds(model->report.seconds),
      Thousands(static_cast<uint64_t>(model->report.words_per_second))));
  absl::Status status = Save(*model);
  if (status.ok()) status = Show(*model, text, hooks.stop);
  if (absl::IsCancelled(status)) return ExitCode::kInterrupted;
  if (!status.ok()) return status;
  return ExitCode::kDone;
}

}  // namespace

CommandPtr MakeDemo() { return std::make_unique<DemoCommand>(); }

}  // namespace firth::tools
