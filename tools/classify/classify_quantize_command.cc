// firth classify quantize: a classifier in, a smaller one out.

#include <memory>
#include <string>
#include <vector>

#include "classify/classifying.h"
#include "cli/console.h"
#include "cli/interrupt.h"
#include "cli/percent_sink.h"
#include "command.h"
#include "firth/classifier.h"
#include "firth/status_macros.h"
#include "train/checkpoint_options.h"

namespace firth::tools {
namespace {

constexpr CommandText kClassifyQuantizeText = {
    "classify quantize", "reduce the size of a classifier",
    "MODEL --max-size SIZE --output SMALL [OPTION...]",
    "Removes the n-grams of MODEL that contribute least, and quantizes the "
    "weights until the file has at most SIZE bytes. If the training texts are "
    "given by --input, the remaining weights are trained again, which keeps "
    "more of the accuracy.\n\n"
    "  firth classify quantize m.safetensors --max-size 1M \\\n"
    "    --input train.txt --output small.safetensors\n\n"
    "The same model can be reduced to several sizes. The training texts are "
    "optional, so this also works for a model that someone else has trained."};

class ClassifyQuantizeCommand : public Command {
 public:
  ClassifyQuantizeCommand() : Command(kClassifyQuantizeText) {}

  void Declare(OptionSet* options) override {
    options
        ->Bytes("max-size", &options_.max_bytes, 1, UINT64_MAX,
                "maximum size of the file, in bytes, such as 500K or 2M")
        .Everyday()
        .default_text = "1M";
    options->Section("Retraining");
    text_.Declare(
        "path to the training texts of MODEL, for retraining after "
        "quantization",
        options);
    options->Section("Output");
    options
        ->Path("output", "SMALL", &output_, Writes(),
               "path to the model file to write")
        .Everyday();
    options->Switch("quiet", &quiet_, "print only warnings and errors");
    options->Section("Running");
    DeclareContextualizer(&contextualizer_, options);
    options->Arguments("MODEL", 1, 1, &arguments_, {{"MODEL", Reads()}});
  }

  absl::Status Check(const OptionSet&) override {
    if (output_.empty()) {
      return absl::InvalidArgumentError(
          "give the file of the small model with --output SMALL");
    }
    return CheckWrittenAsOwn(output_,
                             "a fastText .bin file holds neither quantized "
                             "values nor a subset of the n-grams");
  }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    const InterruptGuard interrupt;
    FIRTH_ASSIGN_OR_RETURN(const Classifier classifier,
                           Classifier::Load(arguments_[0], contextualizer_));
    const absl::StatusOr<std::vector<LabelledText>> texts =
        text_.inputs()->empty() ? std::vector<LabelledText>()
                                : text_.Read(interrupt.flag());
    if (!texts.ok()) return EndWithNothing(texts.status(), interrupt.flag());
    PercentSink progress;
    const absl::StatusOr<Classifier> small =
        QuantizeClassifier(classifier, *texts, options_,
                           {quiet_ ? nullptr : &progress, interrupt.flag()});
    if (!small.ok()) return EndWithNothing(small.status(), interrupt.flag());
    FIRTH_RETURN_IF_ERROR(small->Save(output_));
    if (!quiet_) PrintNote(WroteLine(output_, *small));
    return ExitCode::kDone;
  }

 private:
  QuantizeClassifierOptions options_;
  LabelledInput text_;
  std::string output_;
  bool quiet_ = false;
  std::string contextualizer_;
  std::vector<std::string> arguments_;
};

}  // namespace

CommandPtr MakeClassifyQuantize() {
  return std::make_unique<ClassifyQuantizeCommand>();
}

}  // namespace firth::tools
