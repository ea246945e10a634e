// firth convert: from one vector format to another.

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/vector_files.h"
#include "command.h"
#include "firth/status_macros.h"
#include "firth/vector_io.h"

namespace firth::tools {
namespace {

class ConvertCommand : public Command {
 public:
  ConvertCommand() {
    text_ = {"convert", "convert a vector file to another format",
             "IN OUT [OPTION...]", description_};
  }

  void Declare(OptionSet* options) override {
    DeclareFormat(
        options, "from", &from_,
        "set the format of IN; by default it is detected from the content");
    DeclareFormat(
        options, "to", &to_,
        "set the format of OUT; by default the extension determines it");
    options->Choice<DuplicateWords>(
        "duplicates", &load_.duplicates,
        {{"error", DuplicateWords::kError},
         {"first", DuplicateWords::kKeepFirst}},
        "choose what to do if IN contains a word twice: fail (error), or keep "
        "its first vector (first)");
    DeclareLossy(options, &lossy_);
    options->Arguments("IN and OUT", 2, 2, &paths_,
                       {{"IN", Reads()}, {"OUT", WritesVectors(&to_)}});
  }

  absl::Status Check(const OptionSet&) override {
    FIRTH_ASSIGN_OR_RETURN(to_, ChooseVectorFormat(paths_[1], to_));
    load_.format = from_;
    return absl::OkStatus();
  }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    FIRTH_RETURN_IF_ERROR(
        Rewrite({paths_[0], paths_[1], to_, lossy_}, load_,
                [](VectorFile*) { return absl::OkStatus(); }));
    return ExitCode::kDone;
  }

 private:
  static std::string Description() {
    std::string text = "Reads any of these formats and writes any of them:\n\n";
    std::vector<std::string> lines;
    for (const VectorFormatInfo& format : VectorFormats()) {
      lines.push_back(absl::StrCat("  ", format.name, " (",
                                   absl::StrJoin(format.extensions, " "),
                                   "): ", format.summary));
    }
    return absl::StrCat(text, absl::StrJoin(lines, "\n"));
  }

  std::string description_ = Description();
  LoadOptions load_;
  std::string from_;
  std::string to_;
  bool lossy_ = false;
  std::vector<std::string> paths_;
};

}  // namespace

CommandPtr MakeConvert() { return std::make_unique<ConvertCommand>(); }

}  // namespace firth::tools
