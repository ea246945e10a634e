// firth export: vectors for other tools.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/console.h"
#include "cli/human.h"
#include "cli/used_files.h"
#include "cli/vector_files.h"
#include "command.h"
#include "firth/export_vectors.h"
#include "firth/status_macros.h"

namespace firth::tools {
namespace {

class ExportCommand : public Command {
 public:
  ExportCommand() {
    text_ = {"export", "export vectors to tables, databases and TensorBoard",
             "VECTORS --to FILE [OPTION...]", description_};
  }

  void Declare(OptionSet* options) override {
    options->Path("to", "FILE", &to_, NoFile(),
                  "path to the file or folder to write");
    // A folder need not be there.
    options->AlsoUses("--to", Writes(), [this]() -> std::string {
      return FolderFiles().empty() ? to_ : "";
    });
    std::vector<std::pair<std::string, std::string>> names;
    for (const ExportFormatInfo& format : ExportFormats()) {
      names.emplace_back(format.name, format.name);
    }
    options->Choice("format", &format_, std::move(names),
                    "set the format; by default the extension determines it");
    options->Switch("lossy", &lossy_,
                    "drop words that the format cannot store");
    options->Arguments("VECTORS", 1, 1, &paths_, {{"VECTORS", Reads()}});
  }

  absl::Status Check(const OptionSet&) override {
    if (to_.empty())
      return absl::InvalidArgumentError(
          "give the file to write with --to FILE");
    FIRTH_ASSIGN_OR_RETURN(format_, ChooseExportFormat(to_, format_));
    std::vector<UsedFile> files = {{"VECTORS", paths_[0], Reads()}};
    for (const absl::string_view file : FolderFiles()) {
      files.push_back({"--to", absl::StrCat(to_, "/", file), Writes()});
    }
    return CheckNoneIsReadAndWritten(files);
  }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    FIRTH_ASSIGN_OR_RETURN(const WordVectors vectors,
                           LoadVectorsToAsk(paths_[0]));
    const absl::StatusOr<ExportReport> exported =
        ExportVectors(vectors, to_, format_, lossy_);
    if (absl::IsUnimplemented(exported.status())) {
      return absl::UnimplementedError(
          absl::StrCat(exported.status().message(),
                       "; --lossy writes the file without them"));
    }
    FIRTH_RETURN_IF_ERROR(exported.status());
    const ExportReport& report = *exported;
    if (report.left_out > 0) {
      PrintMessage(absl::StrCat("warning: ", format_, " cannot hold ",
                                Counted(report.left_out, "word"), " of ",
                                paths_[0], "; they are left out"));
    }
    if (vectors.subwords() != nullptr) {
      PrintMessage(absl::StrCat(
          to_, " contains words and their vectors but not the n-grams of ",
          paths_[0], ", which ", format_, " cannot hold"));
    }
    PrintMessage(
        absl::StrCat("wrote ", to_, ": ", Counted(report.words, "word"), " of ",
                     Counted(vectors.dim(), "dimension"), ", ", format_));
    return ExitCode::kDone;
  }

 private:
  // Empty where no folder is written.
  absl::Span<const absl::string_view> FolderFiles() const {
    for (const ExportFormatInfo& format : ExportFormats()) {
      if (format.name == format_) return format.files;
    }
    return {};
  }

  static std::string Description() {
    std::string text =
        "Writes words, counts and vectors in a format for another tool:\n\n";
    for (const ExportFormatInfo& format : ExportFormats()) {
      absl::StrAppend(&text, "  ", format.name,
                      format.extension.empty()
                          ? ""
                          : absl::StrCat(" (", format.extension, ")"),
                      ": ", format.summary, "\n");
    }
    return absl::StrCat(
        text,
        "\n"
        "  firth export model.safetensors --to words.csv\n"
        "  firth export model.safetensors --to logs --format projector\n"
        "  firth export model.safetensors --to words.sqlite.sql\n\n"
        "Firth does not read these formats. \"firth convert\" writes formats "
        "that it can read.");
  }

  std::string description_ = Description();
  std::string to_;
  std::string format_;
  bool lossy_ = false;
  std::vector<std::string> paths_;
};

}  // namespace

CommandPtr MakeExport() { return std::make_unique<ExportCommand>(); }

}  // namespace firth::tools
