// firth info: what a vector file is.

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "command.h"
#include "console.h"
#include "firth/vector_io.h"
#include "human.h"
#include "json.h"

namespace firth::tools {
namespace {

Json ToJson(const std::string& path, const VectorFileInfo& info) {
  return {{"file", path},
          {"format", info.format},
          {"bytes", info.bytes},
          {"words", info.words},
          {"dim", info.dim},
          {"has_counts", info.has_counts},
          {"has_output", info.has_output},
          {"has_subwords", info.has_subwords},
          {"form", info.form},
          {"bits_per_value", info.bits_per_value},
          {"metadata", info.metadata}};
}

std::string ToText(const std::string& path, const VectorFileInfo& info) {
  TextTable table("ll");
  table.AddRow({"file", path});
  table.AddRow({"format", info.format});
  table.AddRow({"size", HumanBytes(info.bytes)});
  table.AddRow({"words", Thousands(info.words)});
  table.AddRow({"dimensions", Thousands(info.dim)});
  if (!info.form.empty()) {
    table.AddRow({"form", info.form});
    table.AddRow(
        {"bits a value", absl::StrFormat("%.2f", info.bits_per_value)});
  }
  table.AddRow({"counts", info.has_counts ? "yes" : "no"});
  table.AddRow({"output table", info.has_output ? "yes" : "no"});
  table.AddRow({"n-grams", info.has_subwords ? "yes" : "no"});
  std::string text = table.ToString();
  if (info.metadata.empty()) return text;
  TextTable metadata("ll");
  for (const auto& [key, value] : info.metadata) {
    // A finalfusion file holds a text of several lines.
    metadata.AddRow({"  " + key, absl::StrReplaceAll(
                                     absl::StripTrailingAsciiWhitespace(value),
                                     {{"\n", "\n    "}})});
  }
  return text + "metadata\n" + metadata.ToString();
}

class InfoCommand : public Command {
 public:
  absl::string_view name() const override { return "info"; }
  absl::string_view summary() const override {
    return "tell what a vector file is";
  }
  absl::string_view synopsis() const override { return "FILE [--json]"; }
  absl::string_view description() const override {
    return "Prints format, size, the form of the vectors where there is a "
           "choice, and what the file holds besides: counts, the output table, "
           "and for a model the options of its training.";
  }

  void Declare(OptionSet* options) override {
    options->Switch("json", &json_, "print one JSON object");
    options->Arguments("FILE", 1, 1, &paths_, {{"FILE", Reads()}});
  }

  absl::Status Check(const OptionSet&) override { return absl::OkStatus(); }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    const absl::StatusOr<VectorFileInfo> info = DescribeVectorFile(paths_[0]);
    if (!info.ok()) return info.status();
    Print(json_ ? OneLine(ToJson(paths_[0], *info)) + "\n"
                : ToText(paths_[0], *info));
    return ExitCode::kDone;
  }

 private:
  bool json_ = false;
  std::vector<std::string> paths_;
};

}  // namespace

std::unique_ptr<Command> MakeInfoCommand() {
  return std::make_unique<InfoCommand>();
}

}  // namespace firth::tools
