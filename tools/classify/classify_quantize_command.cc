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
    return "make a classifier small";
  }
  absl::string_view synopsis() const override {
    return "MODEL --max-size SIZE --output SMALL [OPTION...]";
  }
  absl::string_view description() const override {
    return "Leaves out the n-grams of MODEL that say least and rounds values "
           "until the file has SIZE. With the texts that MODEL was trained on "
           "(--input), what is learnt of the labels is trained again over what "
           "is left, which costs less accuracy.\n\n"
           "  firth classify quantize m.safetensors --max-size 1M \\\n"
           "    --input train.txt --output small.safetensors\n\n"
           "It stands by itself so that one training gives models of several "
           "sizes, and one that somebody else has trained can be made small.";
  }

  void Declare(OptionSet* options) override {
    options
        ->Bytes("max-size", &options_.max_bytes, 1, UINT64_MAX,
                "of the file, in bytes: 500K, 2M")
        .Everyday()
        .default_text = "1M";
    options->Section("Training again");
    text_.Declare("the texts that it was trained on, to train again", options);
    options->Section("Output");
    options
        ->Path("output", "SMALL", &output_, Writes(), "the model file to write")
        .Everyday();
    options->Switch("quiet", &quiet_, "print nothing but warnings and errors");
    options->Section("Work");
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
