// firth sentences train: trains sentence vectors on paragraphs, pairs and
// teachers.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cli/console.h"
#include "cli/human.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "cli/progress_printer.h"
#include "cli/vector_files.h"
#include "command.h"
#include "firth/sentence_training.h"
#include "firth/status_macros.h"
#include "firth/text_file.h"
#include "train/checkpoint_options.h"

namespace firth::tools {
namespace {

constexpr CommandText kSentencesTrainText = {
    "sentences train", "train vectors of sentences",
    "--input FILE... --output MODEL [OPTION...]",
    "Trains vectors of words whose sum is a good vector of a text, so that "
    "texts of similar content have similar vectors. Two spans of one line of "
    "--input (a paragraph or a document) are a pair. So are the two texts of a "
    "line of --pairs, and any two texts of a line of --paraphrases. A step "
    "moves the vectors of pairs together and those of all other texts of the "
    "batch apart. With --vectors, training starts from word vectors, and words "
    "that they lack are built from their n-grams, if the model has them.\n\n"
    "  firth train --input corpus.txt --preset best --output "
    "words.safetensors\n"
    "  firth sentences train --input corpus.txt --vectors words.safetensors "
    "\\\n"
    "    --output sentences.safetensors\n"
    "  firth sentence-vectors sentences.safetensors <lines.txt\n\n"
    "The output is a vector file like any other. A name that ends with / is a "
    "model2vec folder, which sentence-transformers opens. Ctrl-C ends training "
    "early and writes the vectors so far. With --checkpoint, training can be "
    "resumed, and produces exactly the same model as an uninterrupted run."};

class SentencesTrainCommand : public CommandWith<kSentencesTrainText> {
 public:
  void Declare(OptionSet* options) override {
    options
        ->Paths("input", "FILE", &inputs_.texts, Reads(),
                "path to paragraphs or documents, one per line; - reads "
                "standard input")
        .Everyday();
    options
        ->Paths("pairs", "FILE", &inputs_.pairs, Reads(),
                "path to pairs of texts: two texts per line that belong "
                "together, and optionally a third that does not belong to the "
                "first, separated by tabs or as JSON objects with \"anchor\", "
                "\"positive\" and \"negative\"")
        .Everyday();
    options
        ->Paths("paraphrases", "FILE", &inputs_.paraphrases, Reads(),
                "path to lines of two or more texts of the same meaning, "
                "separated by tabs")
        .Everyday();
    options->Path(
        "teacher", "FILE", &inputs_.teacher_vectors, Reads(),
        "path to a .npy file with the vectors of another model, which "
        "are imitated: one row for each line of --teacher-texts");
    options->Path("teacher-texts", "FILE", &inputs_.teacher_texts, Reads(),
                  "path to the texts of --teacher, one per line");
    options
        ->Path("vectors", "MODEL", &vectors_, Reads(),
               "path to vectors in any format from which the rows of words and "
               "n-grams start, or to a model2vec folder, whose tokenizer then "
               "divides texts; without it, rows start at random")
        .Everyday();
    options->Fields(&fields_);
    options->Section("Output");
    options
        ->Path("output", "MODEL", &output_, WritesVectors(&format_),
               "path to the model to write")
        .Everyday();
    options->Path("report", "FILE", &report_, Writes(),
                  "path to a JSON report with options, losses and times");
    options->Switch("quiet", &quiet_, "print only warnings and errors")
        .As(FieldRole::kWork);
    checkpoints_.Declare(options);
    options->Arguments("FILE", 0, SIZE_MAX, &inputs_.texts, {});
  }

  absl::Status Complete(OptionSet* options) override {
    return checkpoints_.TakeSaved(options, &inputs_.texts);
  }

  absl::Status Check(const OptionSet& options) override {
    if (inputs_.teacher_texts.empty() != inputs_.teacher_vectors.empty()) {
      return absl::InvalidArgumentError(
          "--teacher and --teacher-texts must be given together");
    }
    if (inputs_.texts.empty() && inputs_.pairs.empty() &&
        inputs_.paraphrases.empty() && inputs_.teacher_texts.empty()) {
      return absl::InvalidArgumentError(
          "give texts with --input FILE, --pairs FILE, --paraphrases FILE or "
          "--teacher-texts FILE");
    }
    if (output_.empty()) {
      return absl::InvalidArgumentError(
          "give the model to write with --output MODEL");
    }
    if (vectors_.empty() && ReadsPipe()) {
      return absl::InvalidArgumentError(
          "without --vectors, the texts are read twice, so they cannot come "
          "from standard input or a pipe; write them to a file");
    }
    if (!vectors_.empty()) {
      for (const char* option : {"min-count", "dim"}) {
        if (!options.Given(option)) continue;
        return absl::InvalidArgumentError(absl::StrCat(
            "--", option,
            " cannot be combined with --vectors, which determine it"));
      }
    }
    FIRTH_RETURN_IF_ERROR(options_.Validate());
    FIRTH_ASSIGN_OR_RETURN(format_, ChooseTextFormat(output_));
    return checkpoints_.Finish(options, inputs_.texts);
  }

  absl::StatusOr<ExitCode> Run(const OptionSet& options) override {
    FIRTH_RETURN_IF_ERROR(checkpoints_.Reserve());
    const InterruptGuard interrupt;
    std::optional<VectorFile> start;
    if (!vectors_.empty()) {
      if (HoldsDocuments(vectors_)) {
        return absl::InvalidArgumentError(absl::StrCat(
            vectors_,
            ": expected vectors of words, found a model of documents, whose "
            "words are tags; \"firth documents infer\" computes vectors of "
            "texts"));
      }
      FIRTH_ASSIGN_OR_RETURN(start, LoadAndWarn(vectors_));
    }
    ProgressPrinter progress(quiet_, static_cast<int>(options_.epochs));
    SentenceHooks hooks{{&progress, interrupt.flag()}, {}};
    hooks.on_epoch = [&](const SentenceReport& report) {
      progress.Clear();
      if (!quiet_) PrintNote(EpochLine(report));
    };
    SentenceReport report;
    absl::StatusOr<VectorFile> model =
        TrainSentences(inputs_, options_, start.has_value() ? &*start : nullptr,
                       hooks, &report, checkpoints_.checkpointing());
    progress.Clear();
    if (absl::IsCancelled(model.status())) {
      return EndWithNothing(model.status(), interrupt.flag());
    }
    if (!model.ok()) return model.status();
    if (report.interrupted) {
      checkpoints_.PrintInterrupted(
          report.best_epoch > 0
              ? absl::StrCat("the vectors of epoch ", report.best_epoch)
              : "what has been learned so far");
    }
    FIRTH_ASSIGN_OR_RETURN(const std::string lost,
                           NamesOfLost(*model, format_));
    FIRTH_RETURN_IF_ERROR(SaveVectorFile(*model, output_, format_));
    if (!report_.empty()) {
      FIRTH_RETURN_IF_ERROR(
          WriteTextFile(report_, Indented(ReportJson(options, report))));
    }
    if (!quiet_) PrintNote(Summary(*model, report));
    if (!quiet_ && !lost.empty()) {
      PrintNote(absl::StrCat("  lacks    ", lost,
                             "; a .safetensors model contains everything\n"));
    }
    return interrupt.Interrupted() ? ExitCode::kInterrupted : ExitCode::kDone;
  }

 private:
  bool ReadsPipe() const {
    const auto is_pipe = [](const std::string& path) {
      std::error_code error;
      return path == "-" || std::filesystem::is_fifo(path, error);
    };
    return absl::c_any_of(inputs_.texts, is_pipe) ||
           absl::c_any_of(inputs_.pairs, is_pipe) ||
           absl::c_any_of(inputs_.paraphrases, is_pipe) ||
           is_pipe(inputs_.teacher_texts);
  }

  static std::string EpochLine(const SentenceReport& report) {
    const SentenceEpoch& epoch = report.epochs.back();
    std::string line = absl::StrFormat("  epoch    %2d  loss %.4f",
                                       report.epochs.size(), epoch.loss);
    if (report.held_out > 0) {
      absl::StrAppendFormat(&line, "  held out %.4f", epoch.held_out_loss);
      if (report.best_epoch == report.epochs.size()) line += "  best so far";
    }
    return absl::StrCat(line, "  ", HumanSeconds(epoch.seconds), "\n");
  }

  static std::string Examples(const SentenceReport& report) {
    std::vector<std::string> parts;
    const auto add = [&](uint64_t count, const char* noun) {
      if (count > 0) parts.push_back(Counted(count, noun));
    };
    add(report.texts, "text");
    add(report.pairs, "pair");
    add(report.paraphrases, "paraphrase line");
    add(report.teacher_texts, "teacher text");
    return absl::StrJoin(parts, ", ");
  }

  std::string Summary(const VectorFile& model,
                      const SentenceReport& report) const {
    const uint64_t words = report.words + report.unknown;
    return absl::StrCat(
        "  trained  on ", Examples(report), " of ", Counted(words, "word"),
        report.unknown == 0
            ? ""
            : absl::StrFormat(" (%.1f%% unknown)",
                              100.0 * static_cast<double>(report.unknown) /
                                  static_cast<double>(words)),
        "\n  wrote    ", output_, ": ", SizeOfWritten(model.vectors, format_),
        "\n");
  }

  static Json ReportJson(const OptionSet& options,
                         const SentenceReport& report) {
    Json epochs = Json::array();
    for (const SentenceEpoch& epoch : report.epochs) {
      Json entry = {{"loss", epoch.loss}, {"seconds", epoch.seconds}};
      if (report.held_out > 0) entry["held_out_loss"] = epoch.held_out_loss;
      epochs.push_back(std::move(entry));
    }
    return {{"program", "firth"},
            {"version", FIRTH_VERSION},
            {"interrupted", report.interrupted},
            {"options", options.UsedValues()},
            {"texts", report.texts},
            {"pairs", report.pairs},
            {"paraphrases", report.paraphrases},
            {"teacher_texts", report.teacher_texts},
            {"words", report.words},
            {"unknown_words", report.unknown},
            {"held_out", report.held_out},
            {"rows", report.rows},
            {"zero_vectors", report.zeros},
            {"best_epoch", report.best_epoch},
            {"epochs", std::move(epochs)}};
  }

  SentenceInputs inputs_;
  SentenceTrainingOptions options_;
  FieldEditor fields_{&options_};
  std::string vectors_;
  std::string output_;
  std::string format_;
  CheckpointOptions checkpoints_{"sentences train"};
  std::string report_;
  bool quiet_ = false;
};

}  // namespace

CommandPtr MakeSentencesTrain() {
  return std::make_unique<SentencesTrainCommand>();
}

}  // namespace firth::tools
