// firth lm import: an original ELMo becomes a model file.

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/console.h"
#include "command.h"
#include "firth/contextualizer.h"

namespace firth::tools {
namespace {

class LmImportCommand : public Command {
 public:
  absl::string_view name() const override { return "lm import"; }
  absl::string_view summary() const override {
    return "make a language model of the weights of an original ELMo";
  }
  absl::string_view synopsis() const override {
    return "--options FILE --weights FILE --output MODEL";
  }
  absl::string_view description() const override {
    return "Reads the options.json and the HDF5 file of a model with a "
           "character CNN, as bilm-tf wrote and AllenNLP published them. The "
           "model embeds; it cannot predict words, since these files do not "
           "have what that takes.\n\n"
           "  firth lm import --options options.json --weights weights.hdf5 "
           "-o m.safetensors\n"
           "  firth embed m.safetensors --input text.txt";
  }

  void Declare(OptionSet* options) override {
    options->Path("options", "FILE", &options_, Reads(), "options.json");
    options->Path("weights", "FILE", &weights_, Reads(), "the weights, HDF5");
    options->Path("output", "FILE", &output_, Writes(), "the model to write");
  }

  absl::Status Check(const OptionSet&) override {
    for (const auto& [name, path] : {std::pair("--options", &options_),
                                     {"--weights", &weights_},
                                     {"--output", &output_}}) {
      if (!path->empty()) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("missing ", name, " FILE"));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    const absl::Status status = ImportElmo(options_, weights_, output_);
    if (!status.ok()) return status;
    const absl::StatusOr<Contextualizer> model = Contextualizer::Load(output_);
    if (!model.ok()) return model.status();
    PrintMessage(absl::StrCat("wrote ", output_, ": ", model->num_layers(),
                              " layers of ", model->dim(), " dimensions"));
    return ExitCode::kDone;
  }

 private:
  std::string options_;
  std::string weights_;
  std::string output_;
};

}  // namespace

std::unique_ptr<Command> MakeLmImportCommand() {
  return std::make_unique<LmImportCommand>();
}

}  // namespace firth::tools
