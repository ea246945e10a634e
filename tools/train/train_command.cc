// firth train: trains word vectors on a text.

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <variant>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cli/console.h"
#include "cli/human.h"
#include "cli/interrupt.h"
#include "cli/progress_printer.h"
#include "cli/vector_files.h"
#include "command.h"
#include "firth/instruction_set.h"
#include "firth/phrases.h"
#include "firth/ranks.h"
#include "firth/run_log.h"
#include "firth/status_macros.h"
#include "firth/text_file.h"
#include "firth/train.h"
#include "firth/vector_io.h"
#include "firth/vector_training.h"
#include "train/checkpoint_options.h"
#include "train/reading_options.h"
#include "train/training_options.h"

namespace firth::tools {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

constexpr CommandText kTrainText = {
    "train", "train word vectors on text",
    "--input FILE... --output FILE [OPTION...]",
    "Reads the text once, keeps the words that occur often enough, and trains "
    "a vector for each. Words are separated by white space; "
    "--split-punctuation also separates words from punctuation.\n\n"
    "  firth train --input corpus.txt --output model.safetensors\n"
    "  zcat *.gz | firth train --input - --output model.safetensors\n\n"
    "Ctrl-C ends training early and writes the vectors so far; a second Ctrl-C "
    "ends the program at once. The output file is replaced only on success. "
    "Use --checkpoint for a long training run, so that it can be resumed:\n\n"
    "  firth train --input corpus.txt -o model.safetensors \\\n"
    "    --checkpoint saved\n"
    "  firth train --resume saved\n\n"
    "--update trains an existing model on new text. Each word moves only in "
    "proportion to the fraction of its occurrences that are in the new "
    "text:\n\n"
    "  firth train --update old.safetensors --input new.txt \\\n"
    "    --output new.safetensors\n\n"
    "mpirun distributes a training run over several machines; see "
    "--distributed and docs/guides/several-machines.md."};

class TrainCommand : public CommandWith<kTrainText> {
 public:
  void Declare(OptionSet* options) override;
  absl::Status Complete(OptionSet* options) override;
  absl::Status Check(const OptionSet& options) override;
  absl::StatusOr<ExitCode> Run(const OptionSet& options) override;
  bool IsFirst() const override {
    return ranks_ == nullptr || ranks_->rank() == 0;
  }
  absl::Status ErrorOfAll(const absl::Status& own) override;

 private:
  // Checks the options for several processes, and connects the processes.
  absl::Status CheckDistributed();
  absl::Status Join();
  bool distributed() const {
    return !std::holds_alternative<NotDistributed>(
        training_.options().distributed);
  }
  absl::Status CheckSameOptions(const OptionSet& options) const;
  absl::Status MissingOutput() const;
  absl::Status CheckPhrases(const OptionSet& options);
  absl::Status SayLoss() const;
  absl::Status CheckWords(const Corpus& corpus) const;
  // Returns all options for the library. The files of checkpoints and of
  // validation must have been read.
  VectorTraining Whole() const;
  // Returns null without --log.
  absl::StatusOr<std::unique_ptr<RunLog>> OpenLog(ProgressSink* next) const;
  absl::StatusOr<Corpus> Read(const Hooks& hooks) const;
  absl::StatusOr<Corpus> ReadPhrases(const Hooks& hooks) const;
  void SayResult(const TrainingFacts& facts, const WordVectors& vectors,
                 const std::string& lost) const;
  Json UsedOptions(const OptionSet& options) const;
  // Writes all files, the model first. Returns the names of parts that the
  // format cannot hold.
  absl::StatusOr<std::string> Write(const OptionSet& options,
                                    TrainedVectors* trained) const;

  ReadingOptions reading_;
  std::string preset_;
  StartFiles start_;
  PhraseSettings phrases_;
  int phrase_passes_ = 0;
  TrainingOptions training_;
  ValidationOptions validation_;
  CheckpointOptions checkpoints_{"train"};
  std::string output_;
  std::string format_;
  std::string save_vocab_;
  std::string report_;
  std::string log_;
  std::string instruction_set_;
  bool quiet_ = false;
  std::unique_ptr<Ranks> ranks_;  // Null for a single process.
  std::optional<NoMemoryEndsRanks> no_memory_ends_ranks_;
  bool has_joined_ = false;  // Whether Join() was called.
};

void TrainCommand::Declare(OptionSet* options) {
  reading_.DeclareInput(options);
  reading_.DeclareVocabulary(options);
  options->Path(
      "vocab", "FILE", &reading_.given_vocabulary, Reads(),
      "path to a vocabulary file with one word per line; its words are used "
      "instead of those that --min-count and --max-vocab would select");
  options->Path("save-vocab", "FILE", &save_vocab_, Writes(),
                "path to a vocabulary file to write, with one word and its "
                "count per line");
  options->Section("Phrases");
  options->Integer("phrases", &phrase_passes_, 0, 10,
                   "number of passes that join words into phrases, such as "
                   "new_york; 0 means none");
  phrases_.DeclareForTraining(options);
  options->Section("Preset");
  DeclarePreset(options, &preset_);
  training_.Declare(options);
  options
      ->Text("instruction-set", "NAME", &instruction_set_,
             "set the instruction set: avx3 (AVX-512), avx2, sse4, scalar or "
             "neon, if this machine has it. Use it to get identical files on "
             "machines with different processors")
      .default_text = "the best available";
  reading_.DeclareThreads(options);
  start_.Declare(options);
  validation_.Declare(options);
  checkpoints_.Declare(options);
  options->Section("Output");
  options
      ->Path("output", "FILE", &output_, WritesVectors(&format_),
             "path to the vector file to write")
      .Everyday();
  DeclareFormat(
      options, "format", &format_,
      "set the format of the output; by default the extension determines it");
  options->Path("report", "FILE", &report_, Writes(),
                "path to a JSON report with options, counts, times and losses");
  options->Path(
      "log", "FILE", &log_, Writes(),
      "path to a log file for \"firth plot\". About once per second, training "
      "appends one line, a JSON object with the words trained, the loss, the "
      "learning rate and the speed. With --resume, the log is continued");
  options->Switch("quiet", &quiet_, "print only warnings and errors")
      .As(FieldRole::kWork);
  options->Arguments("FILE", 0, SIZE_MAX, &reading_.corpus.inputs, {});
}

absl::Status TrainCommand::Complete(OptionSet* options) {
  FIRTH_RETURN_IF_ERROR(
      checkpoints_.TakeSaved(options, &reading_.corpus.inputs));
  FIRTH_RETURN_IF_ERROR(start_.TakeModelOptions(options));
  FIRTH_RETURN_IF_ERROR(ApplyPreset(preset_, *options));
  training_.Complete(*options);
  return absl::OkStatus();
}

absl::Status TrainCommand::Check(const OptionSet& options) {
  if (reading_.corpus.inputs.empty()) {
    return absl::InvalidArgumentError("give the text with --input FILE");
  }
  if (output_.empty()) return MissingOutput();
  FIRTH_ASSIGN_OR_RETURN(format_, ChooseVectorFormat(output_, format_));
  absl::Status status;
  if (!instruction_set_.empty()) status = UseInstructionSet(instruction_set_);
  if (!status.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--instruction-set: ", status.message()));
  }
  FIRTH_RETURN_IF_ERROR(start_.Check(options, training_));
  FIRTH_RETURN_IF_ERROR(reading_.Check(options));
  FIRTH_RETURN_IF_ERROR(CheckPhrases(options));
  FIRTH_RETURN_IF_ERROR(training_.Finish(options, reading_.corpus.threads));
  FIRTH_RETURN_IF_ERROR(checkpoints_.Finish(options, reading_.corpus.inputs));
  return CheckDistributed();
}

absl::Status TrainCommand::CheckDistributed() {
  if (distributed()) {
    FIRTH_RETURN_IF_ERROR(Join());
    return CheckShared(training_.options(), start_.options().freeze,
                       ranks_->size());
  }
  if (RanksStarted() > 1) {
    return absl::InvalidArgumentError(
        absl::StrCat(RanksStarted(),
                     " processes were started together; give --distributed, "
                     "the way in which they share the training run"));
  }
  return absl::OkStatus();
}

absl::Status TrainCommand::Join() {
  has_joined_ = true;
  FIRTH_ASSIGN_OR_RETURN(ranks_, At("--distributed", JoinRanks()));
  no_memory_ends_ranks_.emplace(*ranks_);
  quiet_ = quiet_ || !IsFirst();
  return absl::OkStatus();
}

// Joins the other processes, which have the same error or wait in Run().
absl::Status TrainCommand::ErrorOfAll(const absl::Status& own) {
  if (!has_joined_ && RanksStarted() > 1) Join().IgnoreError();
  return AgreeWithFirst(ranks_.get(), own);
}

// Checks, before reading, that all processes have the same options where they
// affect the result. Otherwise processes could wait for each other forever.
absl::Status TrainCommand::CheckSameOptions(const OptionSet& options) const {
  if (ranks_ == nullptr) return absl::OkStatus();
  // These options decide how ranks communicate, so they must agree although
  // they have the role kWork.
  constexpr absl::string_view kSharedWork[] = {"distributed", "replica-send",
                                               "column-batch"};
  const Json values = options.UsedValues();
  NamedTexts texts;
  for (const Option* option : options.All()) {
    const bool is_output = option->use.kind == FileUse::Kind::kWritten;
    const bool is_own_work = option->role == FieldRole::kWork &&
                             !absl::c_linear_search(kSharedWork, option->name);
    if (is_own_work || is_output) continue;
    const auto value = values.find(option->name);
    texts.emplace_back(absl::StrCat("--", option->name),
                       value != values.end() ? OneLine(*value) : "");
  }
  return CheckSameOnAll(*ranks_, texts);
}

// Both arguments of "firth train c5.txt v.bin" are texts.
absl::Status TrainCommand::MissingOutput() const {
  const std::vector<std::string>& inputs = reading_.corpus.inputs;
  std::error_code error;
  const bool named = inputs.size() > 1 &&
                     ChooseVectorFormat(inputs.back(), "").ok() &&
                     !std::filesystem::exists(inputs.back(), error);
  if (!named)
    return absl::InvalidArgumentError(
        "give the output file with --output FILE");
  return absl::InvalidArgumentError(
      absl::StrCat("give the output file with --output FILE; did you mean: "
                   "firth train --input ",
                   absl::StrJoin(inputs.begin(), inputs.end() - 1, " "),
                   " --output ", inputs.back()));
}

absl::Status TrainCommand::CheckPhrases(const OptionSet& options) {
  if (phrase_passes_ > 0 && options.Given("vocab")) {
    return absl::InvalidArgumentError(
        "--phrases cannot be combined with --vocab, which does not contain the "
        "phrases");
  }
  if (phrase_passes_ > 0 && validation_.has_text()) {
    return absl::InvalidArgumentError(
        "--phrases cannot be combined with --valid, whose words are not "
        "joined");
  }
  phrases_.Finish(reading_.corpus);
  phrases_.options.passes = std::max(phrase_passes_, 1);
  const absl::Status status = phrases_.options.Validate();
  if (status.ok()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--phrase-", status.message()));
}

// Prints, before training, what the file will not contain.
absl::Status TrainCommand::SayLoss() const {
  const SubwordOptions& subwords = training_.options().subwords;
  FIRTH_ASSIGN_OR_RETURN(const bool held, HoldsSubwords(format_, subwords));
  FIRTH_ASSIGN_OR_RETURN(const bool holds_words, HoldsWords(format_, subwords));
  if (!holds_words) {
    if (!held) {
      return absl::InvalidArgumentError(
          absl::StrCat(output_, ": ", format_,
                       " can hold only the n-grams of --subword-index floret"));
    }
    PrintMessage(absl::StrCat(
        "warning: ", format_,
        " cannot hold words in addition to these n-grams, so ", output_,
        " will contain only n-grams; safetensors holds both"));
    return absl::OkStatus();
  }
  if (std::holds_alternative<NoSubwords>(subwords) || held) {
    return absl::OkStatus();
  }
  PrintMessage(absl::StrCat(
      "warning: ", format_, " cannot hold these n-grams, so ", output_,
      " will have no vectors for unknown words; safetensors "
      "holds them"));
  return absl::OkStatus();
}

// Checks, before training, that all words can be written.
absl::Status TrainCommand::CheckWords(const Corpus& corpus) const {
  for (const Vocabulary& words : {corpus.vocabulary, start_.KeptWords()}) {
    FIRTH_RETURN_IF_ERROR(firth::CheckWords(words, training_.options().subwords,
                                            output_, format_));
    if (save_vocab_.empty()) continue;
    FIRTH_RETURN_IF_ERROR(CheckVocabularyWords(words, save_vocab_));
  }
  return absl::OkStatus();
}

absl::StatusOr<Corpus> TrainCommand::ReadPhrases(const Hooks& hooks) const {
  FIRTH_ASSIGN_OR_RETURN(const Corpus all,
                         ReadCorpus(reading_.corpus, {.min_count = 1}, hooks));
  FIRTH_ASSIGN_OR_RETURN(const JoinedCorpus joined,
                         JoinPhrases(all, phrases_.options, hooks));
  if (!quiet_) {
    PrintNote(
        absl::StrCat("  phrases  ", Thousands(joined.phrases.size()), "\n"));
  }
  return KeepWords(joined.corpus, reading_.vocabulary);
}

VectorTraining TrainCommand::Whole() const {
  VectorTraining whole;
  whole.corpus = reading_.corpus;
  whole.vocabulary = reading_.vocabulary;
  whole.given_vocabulary = reading_.given_vocabulary;
  whole.preset = preset_;
  whole.training = training_.options();
  whole.start = start_.options();
  return whole;
}

absl::StatusOr<Corpus> TrainCommand::Read(const Hooks& hooks) const {
  if (phrase_passes_ > 0) return ReadPhrases(hooks);
  return ReadTrainingText(Whole(), start_.start().update, hooks);
}

void TrainCommand::SayResult(const TrainingFacts& facts,
                             const WordVectors& vectors,
                             const std::string& lost) const {
  if (quiet_) return;
  const TrainReport& training = facts.training;
  PrintNote(start_.Account(training.initial));
  std::string trained = absl::StrCat(
      "  trained  ", Counted(training.words - training.resumed_words, "word"),
      training.resumed_words > 0
          ? absl::StrCat(" more than the ", Thousands(training.resumed_words),
                         " before")
          : "",
      " in ", HumanSeconds(training.seconds), " (",
      Thousands(static_cast<uint64_t>(training.words_per_second)), " words/s)");
  if (!training.epochs.empty()) {
    absl::StrAppendFormat(&trained, ", loss %.4f", training.epochs.back().loss);
  }
  if (training.best_epoch > 0) {
    absl::StrAppend(&trained, ", best after epoch ", training.best_epoch);
  }
  PrintNote(trained + "\n");
  if (training.ranks > 1) {
    PrintNote(absl::StrFormat("  ranks    %d; communication took %s (%.1f%%)\n",
                              training.ranks,
                              HumanSeconds(training.communication_seconds),
                              100 * training.communication_seconds /
                                  std::max(training.seconds, 1e-9)));
    if (training.rate_of_ranks != 1) {
      PrintNote(
          absl::StrFormat("  rate     %.3g times --learning-rate, since "
                          "replicas that move a row in the\n           same "
                          "way learn less from it than one process would\n",
                          training.rate_of_ranks));
    }
  }
  if (facts.has_normalization && !training.epochs.empty()) {
    PrintNote(absl::StrCat(
        "  nce      ", NormalizationLine(training.epochs.back().normalization),
        "\n"));
  }
  PrintNote(absl::StrCat("  wrote    ", output_, ": ",
                         SizeOfWritten(vectors, format_), ", ", format_, "\n"));
  if (!lost.empty()) {
    PrintNote(absl::StrCat("  lacks    ", lost,
                           "; a .safetensors model contains everything\n"));
  }
}

// Warns about texts without sentences, such as one word per line.
void WarnIfNothingWasLearnt(const TrainReport& training) {
  const auto has_learnt = [](const EpochReport& epoch) {
    return epoch.examples > 0;
  };
  if (training.epochs.empty() ||
      std::any_of(training.epochs.begin(), training.epochs.end(), has_learnt)) {
    return;
  }
  PrintMessage(
      "warning: nothing was learned, since no line (a line is a sentence) has "
      "two words left, or --sample dropped all of them");
}

Json TrainCommand::UsedOptions(const OptionSet& options) const {
  Json used = options.UsedValues();
  if (used.contains("views")) used.erase("window");
  used.erase("instruction-set");
  if (!options.Given("max-word-bytes")) used.erase("max-word-bytes");
  used["patience"] = options.Find("patience")->value();  // Even if it is 0.
  used["threads"] = training_.options().threads;
  used["dim"] = training_.options().dim;
  used["format"] = format_;
  return used;
}

absl::StatusOr<std::string> TrainCommand::Write(const OptionSet& options,
                                                TrainedVectors* trained) const {
  const Clock::time_point start = Clock::now();
  TrainingFacts& facts = trained->facts;
  VectorFile& file = trained->file;
  facts.options = OneLine(UsedOptions(options));
  file.metadata = ModelMetadata(facts);
  const bool threads_matter = !training_.options().deterministic;
  for (const std::string& name : options.NamesNotInModels()) {
    if (name != "threads" || !threads_matter) file.metadata.erase(name);
  }
  FIRTH_ASSIGN_OR_RETURN(std::string lost, NamesOfLost(file, format_));
  FIRTH_RETURN_IF_ERROR(SaveVectorFile(file, output_, format_));
  if (!save_vocab_.empty()) {
    FIRTH_RETURN_IF_ERROR(
        SaveVocabulary(file.vectors.vocabulary(), save_vocab_));
  }
  facts.write_seconds = SecondsSince(start);
  if (!report_.empty()) {
    FIRTH_RETURN_IF_ERROR(
        WriteTextFile(report_, Indented(Json::parse(ReportJson(facts)))));
  }
  return lost;
}

absl::StatusOr<std::unique_ptr<RunLog>> TrainCommand::OpenLog(
    ProgressSink* next) const {
  if (log_.empty() || !IsFirst()) return nullptr;
  return RunLog::Open(log_, checkpoints_.checkpointing().resume, next);
}

absl::StatusOr<ExitCode> TrainCommand::Run(const OptionSet& options) {
  absl::Status status;
  if (IsFirst()) status = checkpoints_.Reserve();
  if (status.ok() && IsFirst()) status = SayLoss();
  FIRTH_RETURN_IF_ERROR(AgreeWithFirst(ranks_.get(), status));
  FIRTH_RETURN_IF_ERROR(CheckSameOptions(options));
  FIRTH_RETURN_IF_ERROR(Agree(ranks_.get(), start_.Load(options, &training_)));
  const InterruptGuard interrupt;
  ProgressPrinter progress(quiet_, training_.total_epochs());
  absl::StatusOr<std::unique_ptr<RunLog>> log = OpenLog(&progress);
  FIRTH_RETURN_IF_ERROR(AgreeWithFirst(ranks_.get(), log.status()));
  std::unique_ptr<SharedStop> shared_stop;
  const std::atomic<bool>* stop = interrupt.flag();
  if (ranks_ != nullptr) {
    FIRTH_ASSIGN_OR_RETURN(shared_stop, SharedStop::Begin(*ranks_, *stop));
    stop = shared_stop->flag();
    if (!quiet_) {
      PrintNote(absl::StrCat(
          "  ranks    ", ranks_->size(),
          "; to stop all and keep what was learned, run: kill -INT ", getpid(),
          " on ", ranks_->Machine(), "\n"));
    }
  }
  const Hooks hooks{
      *log != nullptr ? static_cast<ProgressSink*>(log->get()) : &progress,
      stop, ranks_.get()};

  absl::StatusOr<Corpus> corpus = Read(hooks);
  progress.Clear();
  status = Agree(ranks_.get(), corpus.status());
  if (!status.ok()) {
    if (!IsFirst()) return status;
    return EndWithNothing(status, hooks.stop);
  }
  if (!quiet_) PrintNote(Account(corpus->report));
  if (*log != nullptr) {
    (*log)->SetTotal(corpus->report.words_kept *
                     static_cast<uint64_t>(training_.total_epochs()));
  }
  FIRTH_RETURN_IF_ERROR(Agree(ranks_.get(), CheckWords(*corpus)));
  // Each process reads the whole held-out text.
  status = Agree(ranks_.get(), validation_.Read(reading_.corpus, *corpus,
                                                {hooks.progress, hooks.stop}));
  progress.Clear();
  if (!status.ok()) return status;
  if (!quiet_) validation_.SayFolding(corpus->vocabulary);

  absl::StatusOr<TrainedVectors> trained = TrainVectors(
      *corpus, Whole(), start_.start(), checkpoints_.checkpointing(),
      validation_.validation(), hooks);
  progress.Clear();
  FIRTH_RETURN_IF_ERROR(Agree(ranks_.get(), trained.status()));
  if (trained->facts.training.interrupted && IsFirst()) {
    checkpoints_.PrintInterrupted(
        "what has been learned so far",
        ranks_ != nullptr ? absl::StrCat("mpirun -n ", ranks_->size(), " ")
                          : "");
  }
  absl::StatusOr<std::string> lost = std::string();
  if (IsFirst()) lost = Write(options, &*trained);
  FIRTH_RETURN_IF_ERROR(AgreeWithFirst(ranks_.get(), lost.status()));
  if (*log != nullptr) (*log)->Finish(ReportJson(trained->facts));
  SayResult(trained->facts, trained->file.vectors, *lost);
  if (IsFirst()) WarnIfNothingWasLearnt(trained->facts.training);
  return hooks.StopRequested() ? ExitCode::kInterrupted : ExitCode::kDone;
}

}  // namespace

CommandPtr MakeTrain() { return std::make_unique<TrainCommand>(); }

}  // namespace firth::tools
