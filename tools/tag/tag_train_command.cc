// firth tag train: tagged sentences in, a tagger out.

#include <memory>
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
#include "command.h"
#include "firth/tagger.h"
#include "firth/text_file.h"
#include "tag/tagging.h"
#include "train/checkpoint_options.h"

namespace firth::tools {
namespace {

std::string EpochLine(const TaggerReport& report) {
  const TaggerEpoch& epoch = report.epochs.back();
  std::string line = absl::StrFormat("  epoch    %2d  loss %.4f",
                                     report.epochs.size(), epoch.loss);
  if (epoch.dev.tokens > 0) {
    absl::StrAppend(&line, "  dev accuracy ", ScoreText(epoch.dev.accuracy()));
    if (epoch.dev.has_spans) {
      absl::StrAppend(&line, "  F1 ", ScoreText(epoch.dev.spans.f1()));
    }
    if (report.best_epoch == report.epochs.size()) line += "  best so far";
  }
  return absl::StrCat(line, "  ", HumanSeconds(epoch.seconds), "\n");
}

Json EpochsJson(const TaggerReport& report) {
  Json epochs = Json::array();
  for (const TaggerEpoch& epoch : report.epochs) {
    Json entry = {{"loss", epoch.loss}, {"seconds", epoch.seconds}};
    if (epoch.dev.tokens > 0) entry["dev"] = ScoresJson(epoch.dev);
    epochs.push_back(std::move(entry));
  }
  return epochs;
}

class TagTrainCommand : public Command {
 public:
  absl::string_view name() const override { return "tag train"; }
  absl::string_view summary() const override {
    return "train a tagger on tagged sentences";
  }
  absl::string_view synopsis() const override {
    return "--input FILE... --output MODEL [OPTION...]";
  }
  absl::string_view description() const override {
    return "Learns to tag tokens from sentences that have tags, from static "
           "vectors, from the layers of a contextualizer, or from both: a "
           "BiLSTM reads them, and a softmax or a CRF chooses tags. With --dev "
           "the weights of the epoch are kept that tags those sentences best, "
           "by the F1 of spans if tags are like B-NP, else by accuracy.\n\n"
           "MODEL refers to the files of --vectors and --contextualizer and "
           "does not hold them: keep them where they are, or beside MODEL.\n\n"
           "  firth tag train --input train.txt --dev dev.txt --head crf \\\n"
           "    --vectors vectors.safetensors --output chunks.safetensors\n\n"
           "Ctrl-C writes the best weights so far; with --checkpoint the "
           "training can then go on, and ends with the same model, bit for "
           "bit, as without the interruption.";
  }

  void Declare(OptionSet* options) override {
    options
        ->Paths("input", "FILE", &inputs_, Reads(),
                "tagged sentences to learn from; - is standard input")
        .Everyday()
        .letter = 'i';
    options
        ->Paths("dev", "FILE", &dev_, Reads(),
                "tagged sentences to measure each epoch on")
        .Everyday();
    form_.Declare(/*plain_text=*/false, options);
    options->Section("Features");
    DeclareTaggerInputs(&features_, options);
    options->Switch("mix-output", &options_.mix_at_output,
                    "mix the contextual layers behind the BiLSTM, too");
    options->Switch("mix-layer-norm", &options_.mix_layer_norm,
                    "normalise each layer's vectors before they are mixed");
    options->Switch("top-layer", &options_.mix_top_only,
                    "use the last contextual layer instead of a mix");
    options->Real("mix-l2", &options_.mix_l2, 0, 1e9,
                  "penalty on the squares of a mix's weights before their "
                  "softmax");
    DeclareNetwork(options);
    options->Section("Output");
    options
        ->Path("output", "MODEL", &output_, Writes(), "the model file to write")
        .Everyday()
        .letter = 'o';
    options->Path("report", "FILE", &report_, Writes(),
                  "write options, scores and times here, as JSON");
    options->Switch("quiet", &quiet_, "print nothing but warnings and errors")
        .letter = 'q';
    checkpoints_.Declare(options);
    options->Arguments("FILE", 0, SIZE_MAX, &inputs_, {});
  }

  absl::Status Complete(OptionSet* options) override {
    return checkpoints_.TakeSaved(options, &inputs_);
  }

  absl::Status Check(const OptionSet& options) override {
    if (inputs_.empty()) {
      return absl::InvalidArgumentError("missing --input FILE");
    }
    if (output_.empty()) {
      return absl::InvalidArgumentError("missing --output MODEL");
    }
    if (features_.vectors.empty() && features_.contextualizer.empty()) {
      return absl::InvalidArgumentError(
          "missing --vectors FILE or --contextualizer MODEL");
    }
    for (const char* name :
         {"mix-output", "mix-layer-norm", "top-layer", "mix-l2"}) {
      if (features_.contextualizer.empty() && options.Given(name)) {
        return absl::InvalidArgumentError(
            absl::StrCat("--", name, " goes with --contextualizer MODEL"));
      }
    }
    if (dev_.empty() && options.Given("patience")) {
      return absl::InvalidArgumentError("--patience goes with --dev FILE");
    }
    absl::Status status = form_.Check(options);
    if (status.ok()) status = options_.Validate();
    if (status.ok()) status = checkpoints_.Finish(options, inputs_);
    return status;
  }

  absl::StatusOr<ExitCode> Run(const OptionSet& options) override {
    const absl::Status reserved = checkpoints_.Reserve();
    if (!reserved.ok()) return reserved;
    const InterruptGuard interrupt;
    absl::StatusOr<std::vector<TaggedSentence>> train =
        Read(inputs_, interrupt);
    absl::StatusOr<std::vector<TaggedSentence>> dev =
        dev_.empty() ? std::vector<TaggedSentence>() : Read(dev_, interrupt);
    if (interrupt.Interrupted()) {
      Say("interrupted while reading; nothing was written");
      return ExitCode::kInterrupted;
    }
    if (!train.ok()) return train.status();
    if (!dev.ok()) return dev.status();
    return Train(options, *train, *dev, interrupt);
  }

 private:
  void DeclareNetwork(OptionSet* options) {
    options->Section("Network");
    options->Integer("layers", &options_.lstm_layers, 0, 100,
                     "layers of the BiLSTM; 0: none, a linear model");
    options
        ->Integer("units", &options_.units, 1, 65536,
                  "of a layer and direction")
        .Everyday();
    options
        ->Choice<bool>("head", &options_.crf,
                       {{"softmax", false}, {"crf", true}},
                       "how tags are chosen: each for itself, or all of a "
                       "sentence together, which suits spans")
        .Everyday();
    options->Real("dropout", &options_.dropout, 0, 0.99,
                  "share of the BiLSTM's inputs and outputs left out while "
                  "training");
    options->Section("Training");
    options->Integer("epochs", &options_.epochs, 1, 10000, "at most")
        .Everyday();
    options->Integer("patience", &options_.patience, 0, 10000,
                     "stop after so many epochs without a better score on "
                     "--dev; 0: never");
    options->Integer("batch", &options_.batch, 1, 65536, "sentences a step");
    options->Real("learning-rate", &options_.learning_rate, 0, 1e9,
                  "of Adam; falls to a tenth over all epochs");
    options->Real("clip", &options_.clip, 0, 1e9,
                  "greatest norm of all gradients; 0: any");
    options
        ->Integer("seed", &options_.seed, 0, UINT64_MAX,
                  "the same seed gives the same model")
        .range.clear();
    options->Integer("threads", &options_.threads, 0, 65536,
                     "2 use one for each direction; 0: as cores are there");
    options->Bytes("cache", &options_.cache_bytes,
                   "contextual vectors kept in memory; those beyond are made "
                   "anew each epoch");
  }

  absl::StatusOr<std::vector<TaggedSentence>> Read(
      const std::vector<std::string>& paths,
      const InterruptGuard& interrupt) const {
    return ReadTaggedText(form_.Of(paths, true), interrupt.flag());
  }

  absl::StatusOr<ExitCode> Train(const OptionSet& options,
                                 const std::vector<TaggedSentence>& train,
                                 const std::vector<TaggedSentence>& dev,
                                 const InterruptGuard& interrupt) const {
    ProgressPrinter progress(quiet_, static_cast<int>(options_.epochs));
    TaggerHooks hooks{{&progress, interrupt.flag()}, {}};
    hooks.on_epoch = [&](const TaggerReport& report) {
      progress.Clear();
      if (!quiet_) PrintNote(EpochLine(report));
    };
    TaggerReport report;
    absl::StatusOr<Tagger> tagger =
        Tagger::Train(train, dev, features_, options_, hooks, &report,
                      checkpoints_.checkpointing());
    progress.Clear();
    if (!tagger.ok()) return tagger.status();
    if (report.interrupted) {
      Say(absl::StrCat(
          "interrupted; writing ",
          report.best_epoch > 0
              ? absl::StrCat("the weights of epoch ", report.best_epoch)
              : "what has been learnt so far",
          checkpoints_.HowToGoOn()));
    }
    absl::Status status = tagger->Save(output_);
    if (status.ok() && !report_.empty()) {
      status = WriteTextFile(report_,
                             Indented(ReportJson(options, *tagger, report)));
    }
    if (!status.ok()) return status;
    if (!quiet_) SayResult(*tagger, report);
    return interrupt.Interrupted() ? ExitCode::kInterrupted : ExitCode::kDone;
  }

  static Json ReportJson(const OptionSet& options, const Tagger& tagger,
                         const TaggerReport& report) {
    Json used = options.Values();
    used.erase("help");
    return {{"program", "firth"},
            {"version", FIRTH_VERSION},
            {"interrupted", report.interrupted},
            {"options", std::move(used)},
            {"train_sentences", report.train_sentences},
            {"train_tokens", report.train_tokens},
            {"tokens_with_vectors", report.tokens_with_vectors},
            {"tags", tagger.tags().size()},
            {"parameters", report.parameters},
            {"best_epoch", report.best_epoch},
            {"mixes", MixesJson(tagger.mixes())},
            {"epochs", EpochsJson(report)}};
  }

  void SayResult(const Tagger& tagger, const TaggerReport& report) const {
    PrintNote(absl::StrCat(
        "  trained  on ", Counted(report.train_tokens, "token"), " in ",
        Counted(report.train_sentences, "sentence"),
        features_.vectors.empty()
            ? ""
            : absl::StrCat(
                  ", ",
                  Percent(report.tokens_with_vectors, report.train_tokens),
                  " with static vectors"),
        "\n"));
    for (const MixWeights& mix : tagger.mixes()) {
      PrintNote(absl::StrCat("  mix      ", MixText(mix), "\n"));
    }
    PrintNote(absl::StrCat(
        "  wrote    ", output_, ": ", Counted(tagger.tags().size(), "tag"),
        ", ", Counted(report.parameters, "parameter"),
        report.best_epoch == 0 ? ""
                               : absl::StrCat(", of epoch ", report.best_epoch),
        "\n"));
  }

  std::vector<std::string> inputs_;
  std::vector<std::string> dev_;
  TaggedForm form_;
  TaggerInputs features_;
  TaggerOptions options_;
  std::string output_;
  CheckpointOptions checkpoints_{"tag train"};
  std::string report_;
  bool quiet_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeTagTrainCommand() {
  return std::make_unique<TagTrainCommand>();
}

}  // namespace firth::tools
