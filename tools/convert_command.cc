// firth convert: from one vector format to another.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "command.h"
#include "console.h"
#include "firth/vector_io.h"
#include "human.h"
#include "vector_files.h"

namespace firth::tools {
namespace {

bool HoldsEverything(absl::string_view format) {
  for (const VectorFormatInfo& info : VectorFormats()) {
    if (info.name == format) return info.holds_everything;
  }
  return false;
}

// What of `file` only the native format can hold.
std::string Extras(const VectorFile& file) {
  std::vector<std::string> extras;
  if (file.vectors.vocabulary().total_count() > 0) extras.push_back("counts");
  if (!file.output.empty()) extras.push_back("the output table");
  if (!file.output_bias.empty()) extras.push_back("the output bias");
  if (!file.metadata.empty()) {
    extras.push_back(
        absl::StrCat("metadata (", Thousands(file.metadata.size()),
                     file.metadata.size() == 1 ? " entry" : " entries", ")"));
  }
  return absl::StrJoin(extras, ", ");
}

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
    status = SaveVectorFile(*file, paths_[1], to_);
    if (!status.ok()) return status;
    const std::string extras = Extras(*file);
    if (!extras.empty() && !HoldsEverything(to_)) {
      Say(absl::StrCat(to_, " cannot hold all that ", paths_[0],
                       " has; left out: ", extras));
    }
    Say(absl::StrCat("wrote ", paths_[1], ": ",
                     Counted(file->vectors.size(), "word"), " of ",
                     Counted(file->vectors.dim(), "dimension"), ", ", to_));
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
  std::vector<std::string> paths_;
};

}  // namespace

std::unique_ptr<Command> MakeConvertCommand() {
  return std::make_unique<ConvertCommand>();
}

}  // namespace firth::tools
