// firth lm import: weights of others become a model file.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/console.h"
#include "cli/progress_printer.h"
#include "command.h"
#include "firth/contextualizer.h"
#include "firth/status_macros.h"

namespace firth::tools {
namespace {

constexpr CommandText kLmImportText = {
    "lm import", "convert a BERT, GPT-2 or ELMo model for use with Firth",
    "(FOLDER | --options FILE --weights FILE) --output MODEL",
    "Reads a folder in which Hugging Face libraries saved a BERT or GPT-2 "
    "model: config.json, model.safetensors (or several files with "
    "model.safetensors.index.json), vocab.txt (BERT) or vocab.json and "
    "merges.txt (GPT-2), and tokenizer_config.json if there is one. The "
    "converted model splits words into the same pieces as the original, and "
    "every command that reads a language model accepts it. A folder that has "
    "only pickles (pytorch_model.bin) is rejected; load it with the original "
    "library and save it with safe_serialization=True.\n\n"
    "With --options and --weights, reads the options.json and the HDF5 file of "
    "an ELMo model with a character CNN instead, in the form in which bilm-tf "
    "and AllenNLP published them. Such a model computes contextual vectors but "
    "cannot predict words, since these files lack the output layer.\n\n"
    "  firth lm import bert-base-cased --output bert.safetensors\n"
    "  firth lm import --options options.json --weights weights.hdf5 -o "
    "m.safetensors\n"
    "  firth embed bert.safetensors --input text.txt"};

class LmImportCommand : public Command {
 public:
  LmImportCommand() : Command(kLmImportText) {}

  void Declare(OptionSet* options) override {
    options->Path("options", "FILE", &options_, Reads(),
                  "path to the options.json file of an ELMo model");
    options->Path("weights", "FILE", &weights_, Reads(),
                  "path to the HDF5 file with the weights of an ELMo model");
    options->Path("output", "FILE", &output_, Writes(),
                  "path to the model file to write");
    options->Arguments("FOLDER", 0, 1, &folder_, {{"FOLDER", Reads()}});
  }

  absl::Status Check(const OptionSet&) override {
    if (!folder_.empty() && !(options_.empty() && weights_.empty())) {
      return absl::InvalidArgumentError(
          "--options and --weights import an ELMo model and cannot be combined "
          "with FOLDER");
    }
    if (folder_.empty() && options_.empty() && weights_.empty()) {
      return absl::InvalidArgumentError(
          "give FOLDER, or --options FILE and --weights FILE");
    }
    for (const auto& [name, path] : {std::pair("--options", &options_),
                                     {"--weights", &weights_},
                                     {"--output", &output_}}) {
      const bool of_elmo = path != &output_;
      if (!path->empty() || (of_elmo && !folder_.empty())) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("missing ", name, " FILE"));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    ProgressPrinter progress(/*quiet=*/false, 1);
    FIRTH_RETURN_IF_ERROR(
        folder_.empty()
            ? ImportElmo(options_, weights_, output_)
            : ImportPretrained(folder_[0], output_, {&progress, nullptr}));
    FIRTH_ASSIGN_OR_RETURN(const Contextualizer model,
                           Contextualizer::Load(output_));
    PrintMessage(absl::StrCat("wrote ", output_, ": ", model.num_layers(),
                              " layers of ", model.dim(), " dimensions"));
    return ExitCode::kDone;
  }

 private:
  std::vector<std::string> folder_;
  std::string options_;
  std::string weights_;
  std::string output_;
};

}  // namespace

CommandPtr MakeLmImport() { return std::make_unique<LmImportCommand>(); }

}  // namespace firth::tools
