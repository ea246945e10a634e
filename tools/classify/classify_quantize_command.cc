// firth classify quantize: a classifier in, a smaller one out.

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "classify/classifying.h"
#include "cli/console.h"
#include "cli/interrupt.h"
#include "cli/percent_sink.h"
#include "command.h"
#include "firth/classifier.h"
#include "train/checkpoint_options.h"

namespace firth::tools {
namespace {

class ClassifyQuantizeCommand : public Command {
 public:
  absl::string_view name() const override { return "classify quantize"; }
  absl::string_view summary() const override {
    return "reduce the size of a classifier";
  }
  absl::string_view synopsis() const override {
    return "MODEL --max-size SIZE --output SMALL [OPTION...]";
  }
  absl::string_view description() const override {
    return "Removes the least important n-grams of MODEL and rounds values "
           "until the file has SIZE. With the texts that MODEL was trained on "
           "(--input), the remaining weights are trained again, which costs "
           "less accuracy.\n"
           "\n"
           "  firth classify quantize m.safetensors --max-size 1M \\\n"
           "    --input train.txt --output small.safetensors\n"
           "\n"
           "Quantization is a separate step so that one training run can give "
           "models of several sizes, and so that other people's models can be "
           "reduced.";
  }

  void Declare(OptionSet* options) override {
    options
        ->Bytes("max-size", &options_.max_bytes, 1, UINT64_MAX,
                "maximum size of the file in bytes, such as 500K or 2M")
        .Everyday()
        .default_text = "1M";
    options->Section("Training again");
    text_.Declare("the texts that MODEL was trained on, to train again",
                  options);
    options->Section("Output");
    options->Path("output", "SMALL", &output_, Writes(), "model file to write")
        .Everyday();
    options->Switch("quiet", &quiet_, "print nothing but warnings and errors");
    options->Section("Work");
    DeclareContextualizer(&contextualizer_, options);
    options->Arguments("MODEL", 1, 1, &arguments_, {{"MODEL", Reads()}});
  }

  absl::Status Check(const OptionSet&) override {
    if (output_.empty()) {
      return absl::InvalidArgumentError("missing --output SMALL");
    }
    return CheckWrittenAsOwn(output_,
                             "a .bin file of fastText can hold neither rounded "
                             "values nor a selection of n-grams");
  }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    const InterruptGuard interrupt;
    const absl::StatusOr<Classifier> classifier =
        Classifier::Load(arguments_[0], contextualizer_);
    if (!classifier.ok()) return classifier.status();
    const absl::StatusOr<std::vector<LabelledText>> texts =
        text_.inputs()->empty() ? std::vector<LabelledText>()
                                : text_.Read(interrupt.flag());
    if (!texts.ok())
      return EndWithNothing(texts.status(), interrupt.Interrupted());
    PercentSink progress;
    const absl::StatusOr<Classifier> small =
        QuantizeClassifier(*classifier, *texts, options_,
                           {quiet_ ? nullptr : &progress, interrupt.flag()});
    if (!small.ok())
      return EndWithNothing(small.status(), interrupt.Interrupted());
    const absl::Status status = small->Save(output_);
    if (!status.ok()) return status;
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

std::unique_ptr<Command> MakeClassifyQuantizeCommand() {
  return std::make_unique<ClassifyQuantizeCommand>();
}

}  // namespace firth::tools
