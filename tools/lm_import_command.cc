// firth lm import: an original ELMo becomes a model file.

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "command.h"
#include "console.h"
#include "file_roles.h"
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
    options->Path("options", "FILE", &options_, "options.json");
    options->Path("weights", "FILE", &weights_, "the weights, HDF5");
    options->Path("output", "FILE", &output_, "the model to write").letter =
        'o';
  }

  absl::Status Check(const OptionSet&) override {
    for (const auto& [name, path] : Files()) {
      if (path.empty()) {
        return absl::InvalidArgumentError(
            absl::StrCat("missing ", name, " FILE"));
      }
    }
    return CheckDifferentFiles({Files()[0], Files()[1]}, {Files()[2]});
  }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    absl::Status status = CheckAllWritable({Files()[2]});
    if (status.ok()) status = ImportElmo(options_, weights_, output_);
    if (!status.ok()) return status;
    const absl::StatusOr<Contextualizer> model = Contextualizer::Load(output_);
    if (!model.ok()) return model.status();
    Say(absl::StrCat("wrote ", output_, ": ", model->num_layers(),
                     " layers of ", model->dim(), " dimensions"));
    return ExitCode::kDone;
  }

 private:
  std::vector<FileRole> Files() const {
    return {{"--options", options_},
            {"--weights", weights_},
            {"--output", output_}};
  }

  std::string options_;
  std::string weights_;
  std::string output_;
};

}  // namespace

std::unique_ptr<Command> MakeLmImportCommand() {
  return std::make_unique<LmImportCommand>();
}

}  // namespace firth::tools
