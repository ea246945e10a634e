// firth convert: from one vector format to another.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "command.h"
#include "firth/vector_io.h"
#include "vector_files.h"

namespace firth::tools {
namespace {

class ConvertCommand : public Command {
 public:
  absl::string_view name() const override { return "convert"; }
  absl::string_view summary() const override {
    return "rewrite a vector file in another format";
  }
  absl::string_view synopsis() const override { return "IN OUT [OPTION...]"; }
  absl::string_view description() const override { return description_; }

  void Declare(OptionSet* options) override {
    DeclareFormat(options, "from", &from_,
                  "format of IN; without it the content tells");
    DeclareFormat(options, "to", &to_,
                  "format of OUT; without it the extension tells");
    options->Choice<DuplicateWords>("duplicates", &load_.duplicates,
                                    {{"error", DuplicateWords::kError},
                                     {"first", DuplicateWords::kKeepFirst}},
                                    "a word that IN has twice: stop, or keep "
                                    "its first vector");
    DeclareLossy(options, &lossy_);
    options->Arguments("IN and OUT", 2, 2, &paths_);
  }

  absl::Status Check(const OptionSet&) override {
    absl::StatusOr<std::string> format = ChooseVectorFormat(paths_[1], to_);
    if (!format.ok()) return format.status();
    to_ = *std::move(format);
    load_.format = from_;
    return absl::OkStatus();
  }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    absl::Status status = CheckWritable(paths_[1]);
    if (!status.ok()) return status;
    const absl::StatusOr<VectorFile> file = LoadVectorFile(paths_[0], load_);
    if (!file.ok()) return file.status();
    status = CheckLoss(*file, paths_[0], to_, lossy_);
    if (!status.ok()) return status;
    status = SaveVectorFile(*file, paths_[1], to_);
    if (!status.ok()) return status;
    SayWritten(*file, paths_[1], to_);
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

std::unique_ptr<Command> MakeConvertCommand() {
  return std::make_unique<ConvertCommand>();
}

}  // namespace firth::tools
