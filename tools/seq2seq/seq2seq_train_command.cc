// firth seq2seq train: trains a model that reads a text and writes another.

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/console.h"
#include "cli/human.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "cli/progress_printer.h"
#include "cli/vector_files.h"
#include "command.h"
#include "firth/seq2seq.h"
#include "firth/status_macros.h"
#include "firth/text_file.h"
#include "seq2seq/pairs.h"
#include "train/checkpoint_options.h"

namespace firth::tools {
namespace {

const char* MetricName(Seq2SeqMetric metric) {
  switch (metric) {
    case Seq2SeqMetric::kBleu:
      return "BLEU";
    case Seq2SeqMetric::kChrf:
      return "chrF";
    case Seq2SeqMetric::kExact:
      return "exact %";
    case Seq2SeqMetric::kLoss:
      break;
  }
  return "loss";
}

constexpr CommandText kSeq2SeqTrainText = {
    "seq2seq train", "train a model that reads a text and writes another",
    "--input FILE... --output MODEL [OPTION...]",
    "Trains an encoder and a decoder on pairs of texts: sentences and their "
    "translations, lemmas and inflected forms, words and their pronunciation. "
    "A pair is a line of --input with the source and the target, separated by "
    "a tab. Alternatively, line N of --target is the target of line N of "
    "--input. By default, the encoder is a bidirectional LSTM, and the decoder "
    "an LSTM with attention.\n\n"
    "  firth seq2seq train --input train.de --target train.en \\\n"
    "    --dev val.de --dev-target val.en --min-count 2 \\\n"
    "    --output translator.safetensors\n"
    "  firth seq2seq train --input forms.tsv --tokens characters \\\n"
    "    --label-column 3 --output inflector.safetensors\n"
    "  firth seq2seq train --input text.txt --denoise --output t5.safetensors\n"
    "\nWith --dev, the weights of the best epoch are kept. Ctrl-C ends "
    "training early and writes the best weights so far. With --checkpoint, "
    "training can be resumed, and produces exactly the same model as an "
    "uninterrupted run."};

class Seq2SeqTrainCommand : public CommandWith<kSeq2SeqTrainText> {
 public:
  void Declare(OptionSet* options) override {
    options
        ->Paths("input", "FILE", &inputs_, Reads(),
                "path to the sources, one per line, or to pairs separated by "
                "tabs; - reads standard input")
        .Everyday();
    options
        ->Paths("target", "FILE", &targets_, Reads(),
                "path to the targets, one file for each file of --input")
        .Everyday();
    options
        ->Paths("dev", "FILE", &dev_, Reads(),
                "path to pairs on which the model is evaluated after each "
                "epoch")
        .Everyday();
    options
        ->Paths("dev-target", "FILE", &dev_targets_, Reads(),
                "path to the targets of --dev")
        .GoesWith({"dev"});
    columns_.Declare(/*with_targets=*/true, options);
    options->Section("Vectors to start with");
    options->Path("source-vectors", "FILE", &source_vectors_, Reads(),
                  "path to a vector file in any format; its vectors are the "
                  "initial ones of the source's words");
    options->Path("target-vectors", "FILE", &target_vectors_, Reads(),
                  "path to a vector file with the initial vectors of the "
                  "target's words");
    options->Fields(&fields_);
    options->At("patience").GoesWith({"dev"});
    options->At("metric").GoesWith({"dev"});
    options->Section("Output");
    options
        ->Path("output", "MODEL", &output_, Writes(),
               "path to the model file to write")
        .Everyday();
    options->Path("report", "FILE", &report_, Writes(),
                  "path to a JSON report with options, losses and times");
    options->Switch("quiet", &quiet_, "print only warnings and errors")
        .As(FieldRole::kWork);
    checkpoints_.Declare(options);
    options->Arguments("FILE", 0, SIZE_MAX, &inputs_, {});
  }

  absl::Status Complete(OptionSet* options) override {
    return checkpoints_.TakeSaved(options, &inputs_);
  }

  absl::Status Check(const OptionSet& options) override {
    if (options_.denoise && options.Given("target-column")) {
      return absl::InvalidArgumentError(
          "--target-column cannot be combined with --denoise, which makes the "
          "targets itself");
    }
    if (inputs_.empty()) {
      return absl::InvalidArgumentError("give the pairs with --input FILE");
    }
    if (output_.empty()) {
      return absl::InvalidArgumentError(
          "give the model file with --output MODEL");
    }
    if (options_.denoise && !(targets_.empty() && dev_targets_.empty())) {
      return absl::InvalidArgumentError(
          absl::StrCat("--denoise makes the targets itself, so it cannot be "
                       "combined with ",
                       targets_.empty() ? "--dev-target" : "--target"));
    }
    if (options_.denoise && options_.metric != Seq2SeqMetric::kLoss) {
      return absl::InvalidArgumentError(
          "--metric must be loss with --denoise, whose pairs have no targets");
    }
    FIRTH_RETURN_IF_ERROR(options_.Validate());
    return checkpoints_.Finish(options, inputs_);
  }

  absl::StatusOr<ExitCode> Run(const OptionSet& options) override {
    FIRTH_RETURN_IF_ERROR(checkpoints_.Reserve());
    const InterruptGuard interrupt;
    const auto train = Read(inputs_, targets_, interrupt);
    if (!train.ok()) return EndWithNothing(train.status(), interrupt.flag());
    absl::StatusOr<std::vector<TextPair>> dev = std::vector<TextPair>();
    if (!dev_.empty()) dev = Read(dev_, dev_targets_, interrupt);
    if (!dev.ok()) return EndWithNothing(dev.status(), interrupt.flag());
    std::optional<WordVectors> source_vectors, target_vectors;
    if (!source_vectors_.empty()) {
      FIRTH_ASSIGN_OR_RETURN(source_vectors, LoadVectors(source_vectors_));
      options_.source_vectors = &*source_vectors;
    }
    if (!target_vectors_.empty()) {
      FIRTH_ASSIGN_OR_RETURN(target_vectors, LoadVectors(target_vectors_));
      options_.target_vectors = &*target_vectors;
    }
    return Train(options, *train, *dev, interrupt);
  }

 private:
  absl::StatusOr<std::vector<TextPair>> Read(
      const std::vector<std::string>& inputs,
      const std::vector<std::string>& targets,
      const InterruptGuard& interrupt) const {
    ParallelTextOptions text = columns_.Of(inputs, targets, options_.tokens);
    text.with_targets = !options_.denoise;
    LeftOutPairs left_out;
    auto pairs = ReadParallelText(text, interrupt.flag(), &left_out);
    if (!quiet_) PrintLeftOut(left_out);
    return pairs;
  }

  absl::StatusOr<ExitCode> Train(const OptionSet& options,
                                 const std::vector<TextPair>& train,
                                 const std::vector<TextPair>& dev,
                                 const InterruptGuard& interrupt) const {
    ProgressPrinter progress(quiet_, static_cast<int>(options_.epochs));
    Seq2SeqHooks hooks{{&progress, interrupt.flag()}, {}};
    hooks.on_epoch = [&](const Seq2SeqReport& report) {
      progress.Clear();
      if (!quiet_) PrintNote(EpochLine(report));
    };
    Seq2SeqReport report;
    absl::StatusOr<Seq2Seq> model = Seq2Seq::Train(
        train, dev, options_, hooks, &report, checkpoints_.checkpointing());
    progress.Clear();
    if (absl::IsCancelled(model.status())) {
      return EndWithNothing(model.status(), interrupt.flag());
    }
    if (!model.ok()) return model.status();
    if (report.interrupted) {
      checkpoints_.PrintInterrupted(
          report.best_epoch > 0
              ? absl::StrCat("the weights of epoch ", report.best_epoch)
              : "what has been learned so far");
    }
    FIRTH_RETURN_IF_ERROR(model->Save(output_));
    if (!report_.empty()) {
      FIRTH_RETURN_IF_ERROR(
          WriteTextFile(report_, Indented(ReportJson(options, report))));
    }
    if (!quiet_) SayResult(report);
    return interrupt.Interrupted() ? ExitCode::kInterrupted : ExitCode::kDone;
  }

  std::string EpochLine(const Seq2SeqReport& report) const {
    const Seq2SeqEpoch& epoch = report.epochs.back();
    std::string line = absl::StrFormat("  epoch    %2d  loss %.4f",
                                       report.epochs.size(), epoch.loss);
    if (epoch.dev_loss > 0) {
      absl::StrAppendFormat(&line, "  dev loss %.4f", epoch.dev_loss);
      if (epoch.has_scores) {
        absl::StrAppendFormat(&line, "  %s %.2f", MetricName(options_.metric),
                              epoch.score);
      }
      if (report.best_epoch == report.epochs.size()) line += "  best so far";
    }
    return absl::StrCat(line, "  ", HumanSeconds(epoch.seconds), "\n");
  }

  Json ReportJson(const OptionSet& options, const Seq2SeqReport& report) const {
    Json epochs = Json::array();
    for (const Seq2SeqEpoch& epoch : report.epochs) {
      Json entry = {{"loss", epoch.loss}, {"seconds", epoch.seconds}};
      if (epoch.dev_loss > 0) entry["dev_loss"] = epoch.dev_loss;
      if (epoch.has_scores) entry["score"] = epoch.score;
      epochs.push_back(std::move(entry));
    }
    return {{"program", "firth"},
            {"version", FIRTH_VERSION},
            {"interrupted", report.interrupted},
            {"options", options.UsedValues()},
            {"pairs", report.pairs},
            {"source_tokens", report.source_tokens},
            {"target_tokens", report.target_tokens},
            {"source_words", report.source_words},
            {"target_words", report.target_words},
            {"source_vectors", report.source_vectors},
            {"target_vectors", report.target_vectors},
            {"parameters", report.parameters},
            {"best_epoch", report.best_epoch},
            {"epochs", std::move(epochs)}};
  }

  // Returns how many words a file of vectors has, if one was given.
  static std::string Found(const std::string& vectors, uint64_t found) {
    return vectors.empty() ? "" : absl::StrCat(" (", found, " with a vector)");
  }

  void SayResult(const Seq2SeqReport& report) const {
    PrintNote(
        absl::StrCat("  trained  on ", Counted(report.pairs, "pair"), " with ",
                     Counted(report.source_tokens, "token"), " and ",
                     Counted(report.target_tokens, "token"), "\n  wrote    ",
                     output_, ": ", Counted(report.source_words, "source word"),
                     Found(source_vectors_, report.source_vectors), ", ",
                     Counted(report.target_words, "target word"),
                     Found(target_vectors_, report.target_vectors), ", ",
                     Counted(report.parameters, "parameter"),
                     report.best_epoch == 0
                         ? ""
                         : absl::StrCat(", from epoch ", report.best_epoch),
                     "\n"));
  }

  std::vector<std::string> inputs_, targets_, dev_, dev_targets_;
  PairColumns columns_;
  std::string source_vectors_, target_vectors_;
  Seq2SeqOptions options_;
  FieldEditor fields_{&options_};
  std::string output_;
  CheckpointOptions checkpoints_{"seq2seq train"};
  std::string report_;
  bool quiet_ = false;
};

}  // namespace

CommandPtr MakeSeq2SeqTrain() {
  return std::make_unique<Seq2SeqTrainCommand>();
}

}  // namespace firth::tools
