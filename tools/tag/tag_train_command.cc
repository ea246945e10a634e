// firth tag train: trains a tagger on tagged sentences.

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/console.h"
#include "cli/human.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "cli/progress_printer.h"
#include "command.h"
#include "firth/fields.h"
#include "firth/status_macros.h"
#include "firth/tagger.h"
#include "firth/text_file.h"
#include "tag/tagging.h"
#include "train/checkpoint_options.h"

namespace firth::tools {
namespace {

// The options of "tag train" that depend on the kind of tagger.
struct TagTraining {
  std::variant<TaggerOptions, HmmOptions> model;

  static FieldTable Fields() {
    FieldsOf<TagTraining> fields;
    fields.Section("Model");
    fields.Variant("model", &TagTraining::model,
                   "choose the kind of tagger: network (a BiLSTM) or hmm (a "
                   "hidden Markov model of tags and words)",
                   Field().Shape().Everyday());
    return fields;
  }
};

std::string EpochLine(const TaggerReport& report, bool is_hmm) {
  const TaggerEpoch& epoch = report.epochs.back();
  std::string line =
      is_hmm ? absl::StrFormat("  iteration %d  log likelihood %.6f per token",
                               report.epochs.size() - 1, -epoch.loss)
             : absl::StrFormat("  epoch    %2d  loss %.4f",
                               report.epochs.size(), epoch.loss);
  if (epoch.dev.tokens > 0) {
    absl::StrAppend(&line, "  dev accuracy ", ShareText(epoch.dev.accuracy()));
    if (epoch.dev.has_spans) {
      absl::StrAppend(&line, "  F1 ", ShareText(epoch.dev.spans.f1()));
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

constexpr CommandText kTagTrainText = {
    "tag train", "train a tagger on tagged sentences",
    "--input FILE... --output MODEL [OPTION...]",
    "Trains a BiLSTM with a softmax or a CRF as output layer. The input for "
    "each token combines one or more of these: its static vector, the layers "
    "of a contextualizer, and its spelling (--case-dim, --char-cnn). MODEL "
    "refers to the files of --vectors and --contextualizer but does not "
    "contain them; \"firth tag pack\" combines all in one file. With --dev, "
    "the weights of the best epoch are kept, judged by the F1 of spans if tags "
    "are of the form B-NP, otherwise by accuracy.\n\n"
    "  firth tag train --input train.txt --dev dev.txt --head crf \\\n"
    "    --vectors vectors.bin --case-dim 8 --char-cnn -o names.safetensors\n\n"
    "--model hmm trains a hidden Markov model instead, which needs no other "
    "files, and takes a second per million tokens.\n\n"
    "  firth tag train --model hmm --input train.txt -o tagger.safetensors\n\n"
    "Ctrl-C ends training early and writes the best weights so far. With "
    "--checkpoint, training can be resumed, with exactly the same result."};

class TagTrainCommand : public CommandWith<kTagTrainText> {
 public:
  void Declare(OptionSet* options) override {
    options
        ->Paths("input", "FILE", &inputs_, Reads(),
                "path to tagged sentences; - reads standard input")
        .Everyday();
    options
        ->Paths("dev", "FILE", &dev_, Reads(),
                "path to tagged sentences on which the tagger is evaluated "
                "after each epoch")
        .Everyday();
    form_.Declare(/*plain_text=*/false, options);
    options->Fields(&fields_, {"model"});
    options->Section("Features");
    DeclareTaggerInputs(&features_, options);
    for (const char* const name : {"vectors", "contextualizer"}) {
      options->At(name).GoesWith({"model"}, {"network"});
    }
    std::vector<std::string> others = fields_.names();
    others.erase(others.begin());  // "model"
    options->Fields(&fields_, others);
    options
        ->Paths("unlabeled", "FILE", &unlabeled_, Reads(),
                "path to texts without tags, one sentence per line, on which "
                "the model is trained as well")
        .GoesWith({"model"}, {"hmm"});
    options->At("iterations").GoesWith({"unlabeled"});
    for (const std::string& name : fields_.names()) {
      if (fields_.Find(name)->section == "Features") {
        options->At(name).GoesWith({"contextualizer"});
      }
    }
    options->At("cache").GoesWith({"contextualizer"});
    options->At("units").GoesWith({"layers"});
    options->At("patience").GoesWith({"dev"});
    options->Section("Output");
    options
        ->Path("output", "MODEL", &output_, Writes(),
               "path to the model file to write")
        .Everyday();
    options->Path("report", "FILE", &report_, Writes(),
                  "path to a JSON report with options, scores and times");
    options->Switch("quiet", &quiet_, "print only warnings and errors")
        .As(FieldRole::kWork);
    checkpoints_.Declare(options);
    for (const char* const name : {"checkpoint", "resume"}) {
      options->At(name).GoesWith({"model"}, {"network"});
    }
    options->Arguments("FILE", 0, SIZE_MAX, &inputs_, {});
  }

  absl::Status Complete(OptionSet* options) override {
    return checkpoints_.TakeSaved(options, &inputs_);
  }

  absl::Status Check(const OptionSet& options) override {
    const TaggerOptions* const network = this->network();
    if (inputs_.empty()) {
      return absl::InvalidArgumentError(
          "give the tagged sentences with --input FILE");
    }
    if (output_.empty()) {
      return absl::InvalidArgumentError(
          "give the model file with --output MODEL");
    }
    if (network == nullptr) {
      return std::get<HmmOptions>(training_.model).Validate();
    }
    if (features_.vectors.empty() && features_.contextualizer.empty() &&
        network->case_dim == 0 && !network->use_characters) {
      return absl::InvalidArgumentError(
          "give --vectors FILE, --contextualizer MODEL, --char-cnn or --model "
          "hmm");
    }
    if (network->mix_top_only && options.Given("mix-l2")) {
      return absl::InvalidArgumentError(
          "--mix-l2 requires a mix of layers, so it cannot be combined with "
          "--top-layer");
    }
    FIRTH_RETURN_IF_ERROR(network->Validate());
    return checkpoints_.Finish(options, inputs_);
  }

  absl::StatusOr<ExitCode> Run(const OptionSet& options) override {
    FIRTH_RETURN_IF_ERROR(checkpoints_.Reserve());
    const InterruptGuard interrupt;
    absl::StatusOr<std::vector<TaggedSentence>> train =
        Read(inputs_, interrupt);
    absl::StatusOr<std::vector<TaggedSentence>> dev =
        dev_.empty() ? std::vector<TaggedSentence>() : Read(dev_, interrupt);
    absl::StatusOr<std::vector<TaggedSentence>> unlabeled =
        ReadUnlabeled(interrupt);
    for (const auto* const read : {&train, &dev, &unlabeled}) {
      if (!read->ok()) return EndWithNothing(read->status(), interrupt.flag());
    }
    return Train(options, {*train, *dev, *unlabeled}, interrupt);
  }

 private:
  // Texts that were read.
  struct Texts {
    const std::vector<TaggedSentence>& train;
    const std::vector<TaggedSentence>& dev;
    const std::vector<TaggedSentence>& unlabeled;
  };

  // Returns null if the tagger is not a network.
  const TaggerOptions* network() const {
    return std::get_if<TaggerOptions>(&training_.model);
  }

  absl::StatusOr<std::vector<TaggedSentence>> ReadUnlabeled(
      const InterruptGuard& interrupt) const {
    if (unlabeled_.empty()) return std::vector<TaggedSentence>();
    TaggedTextOptions text;
    text.inputs = unlabeled_;
    text.form = TextForm::kText;
    return ReadTaggedText(text, interrupt.flag());
  }

  absl::StatusOr<std::vector<TaggedSentence>> Read(
      const std::vector<std::string>& paths,
      const InterruptGuard& interrupt) const {
    PassedOverLines passed_over;
    auto read =
        ReadTaggedText(form_.Of(paths, true), interrupt.flag(), &passed_over);
    if (!quiet_) PrintPassedOver(passed_over);
    return read;
  }

  absl::StatusOr<Tagger> TrainModel(const Texts& texts,
                                    const TaggerHooks& hooks,
                                    TaggerReport* report) const {
    if (const TaggerOptions* const options = network()) {
      return Tagger::Train(texts.train, texts.dev, features_, *options, hooks,
                           report, checkpoints_.checkpointing());
    }
    return Tagger::TrainHmm(texts.train, texts.dev, texts.unlabeled,
                            std::get<HmmOptions>(training_.model), hooks,
                            report);
  }

  absl::StatusOr<ExitCode> Train(const OptionSet& options, const Texts& texts,
                                 const InterruptGuard& interrupt) const {
    const bool is_hmm = network() == nullptr;
    ProgressPrinter progress(quiet_,
                             is_hmm ? 1 : static_cast<int>(network()->epochs));
    TaggerHooks hooks{{&progress, interrupt.flag()}, {}};
    hooks.on_epoch = [&](const TaggerReport& report) {
      progress.Clear();
      if (!quiet_) PrintNote(EpochLine(report, is_hmm));
    };
    TaggerReport report;
    absl::StatusOr<Tagger> tagger = TrainModel(texts, hooks, &report);
    progress.Clear();
    if (absl::IsCancelled(tagger.status())) {
      return EndWithNothing(tagger.status(), interrupt.flag());
    }
    if (!tagger.ok()) return tagger.status();
    if (report.interrupted) {
      checkpoints_.PrintInterrupted(
          report.best_epoch > 0
              ? absl::StrCat("the weights of epoch ", report.best_epoch)
              : "what has been learned so far");
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
    return {{"program", "firth"},
            {"version", FIRTH_VERSION},
            {"interrupted", report.interrupted},
            {"options", options.UsedValues()},
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
        : network() == nullptr
            ? absl::StrCat(", from iteration ", report.best_epoch - 1)
            : absl::StrCat(", from epoch ", report.best_epoch),
        "\n"));
  }

  std::vector<std::string> inputs_;
  std::vector<std::string> dev_;
  std::vector<std::string> unlabeled_;
  TaggedForm form_;
  TaggerInputs features_;
  TagTraining training_;
  FieldEditor fields_{&training_};
  std::string output_;
  CheckpointOptions checkpoints_{"tag train"};
  std::string report_;
  bool quiet_ = false;
};

}  // namespace

CommandPtr MakeTagTrain() { return std::make_unique<TagTrainCommand>(); }

}  // namespace firth::tools
