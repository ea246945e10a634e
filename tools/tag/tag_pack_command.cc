// firth tag pack: a tagger and what it needs in one file.

#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/console.h"
#include "cli/human.h"
#include "command.h"
#include "firth/tagger.h"
#include "tag/tagging.h"

namespace firth::tools {
namespace {

constexpr CommandText kTagPackText = {
    "tag pack", "combine a tagger and its vectors in one file",
    "TAGGER --output FILE [OPTION...]",
    "Writes one file with TAGGER and the vectors and contextualizer that it "
    "was trained with. \"firth tag apply\" and \"firth tag eval\" then need no "
    "other files, and give the same tags. The file is as large as all three "
    "together; to make it small, quantize the vectors before training.\n\n"
    "  firth tag pack chunks.safetensors --vectors vectors.bin \\\n"
    "    --output whole.safetensors\n"
    "  firth tag apply whole.safetensors <text.txt"};

class TagPackCommand : public Command {
 public:
  TagPackCommand() : Command(kTagPackText) {}

  void Declare(OptionSet* options) override {
    options->Section("Inputs of the tagger");
    DeclareTaggerInputs(&inputs_, options);
    options->Section("Output");
    options
        ->Path("output", "FILE", &output_, Writes(),
               "path to the file to write")
        .Everyday();
    options->Switch("quiet", &quiet_, "print only warnings and errors");
    options->Arguments("TAGGER", 1, 1, &arguments_, {{"TAGGER", Reads()}});
  }

  absl::Status Check(const OptionSet&) override {
    if (!output_.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(
        "give the output file with --output FILE");
  }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    const absl::Status packed = PackTagger(arguments_[0], inputs_, output_);
    if (!packed.ok()) return packed;
    if (quiet_) return ExitCode::kDone;
    std::error_code error;
    const uintmax_t bytes = std::filesystem::file_size(output_, error);
    PrintNote(absl::StrCat("  wrote    ", output_,
                           error ? "" : ": " + HumanBytes(bytes), "\n"));
    return ExitCode::kDone;
  }

 private:
  TaggerInputs inputs_;
  std::string output_;
  bool quiet_ = false;
  std::vector<std::string> arguments_;
};

}  // namespace

CommandPtr MakeTagPack() { return std::make_unique<TagPackCommand>(); }

}  // namespace firth::tools
