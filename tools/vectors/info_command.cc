// firth info: describes a file.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "cli/console.h"
#include "cli/human.h"
#include "cli/json.h"
#include "command.h"
#include "firth/file_info.h"
#include "firth/status_macros.h"

namespace firth::tools {
namespace {

Json ToJson(const FileFact& fact) {
  return std::visit([](const auto& value) { return Json(value); }, fact.value);
}

Json ToJson(const std::string& path, const FileInfo& info) {
  Json json = {{"file", path}, {"kind", info.kind}, {"bytes", info.bytes}};
  if (info.path != path) json["newest"] = info.path;
  for (const FileFact& fact : info.facts) json[fact.name] = ToJson(fact);
  if (!info.options.empty()) {
    json["options"] = ParseJson(info.options);
  }
  json["metadata"] = info.metadata;
  return json;
}

// Returns the name of a fact in the output.
std::string LabelOf(const FileFact& fact) {
  constexpr std::pair<absl::string_view, const char*> kLabels[] = {
      {"dim", "dimensions"},
      {"word_dim", "dimensions of layer 0"},
      {"has_output", "output table"},
      {"has_subwords", "n-grams"},
      {"bits_per_value", "bits per value"},
      {"unpacked_bytes", "unpacked"},
      {"num_tags", "number of tags"},
      {"share_done", "done"},
      {"has_best", "best epoch kept"}};
  for (const auto& [name, label] : kLabels) {
    if (fact.name == name) return label;
  }
  return absl::StrReplaceAll(absl::StripPrefix(fact.name, "has_"),
                             {{"_", " "}});
}

// Returns "" if the value is not known.
std::string ValueText(const FileFact& fact) {
  if (const auto* flag = std::get_if<bool>(&fact.value)) {
    return *flag ? "yes" : "no";
  }
  if (const auto* count = std::get_if<uint64_t>(&fact.value)) {
    return absl::EndsWith(fact.name, "bytes") ? HumanBytes(*count)
                                              : Thousands(*count);
  }
  if (const auto* number = std::get_if<double>(&fact.value)) {
    if (fact.name == "share_done") {
      return absl::StrFormat("%.1f%%", 100 * *number);
    }
    if (fact.name == "bits_per_value") {
      return *number > 0 ? absl::StrFormat("%.2f", *number) : "";
    }
    return absl::StrFormat("%.6g", *number);
  }
  return std::get<std::string>(fact.value);
}

// Adds the values of an object; nested names are separated by dots.
void AddRows(const std::string& prefix, const Json& json, TextTable* table) {
  for (const auto& [key, value] : json.items()) {
    if (value.is_object()) {
      AddRows(absl::StrCat(prefix, key, "."), value, table);
    } else {
      table->AddRow({prefix + key, value.is_string() ? value.get<std::string>()
                                                     : OneLine(value)});
    }
  }
}

// Returns the first part of a long text, such as the labels of a map.
std::string Beginning(absl::string_view text) {
  constexpr size_t kMostBytes = 1000;
  if (text.size() <= kMostBytes) return std::string(text);
  size_t end = kMostBytes;
  while (end > 0 && (text[end] & 0xc0) == 0x80) --end;  // Whole characters.
  return absl::StrCat(text.substr(0, end), "... (",
                      Counted(text.size(), "byte"), "; --json shows all)");
}

std::string ToText(const std::string& path, const FileInfo& info) {
  TextTable table("ll");
  table.AddRow({"file", path});
  if (info.path != path) table.AddRow({"newest", info.path});
  table.AddRow({"kind", info.kind});
  table.AddRow({"size", HumanBytes(info.bytes)});
  for (const FileFact& fact : info.facts) {
    const std::string value = ValueText(fact);
    if (!value.empty()) table.AddRow({LabelOf(fact), value});
  }
  std::string text = table.ToString();
  TextTable options("ll");
  if (!info.options.empty()) {
    AddRows("  ", ParseJson(info.options), &options);
    absl::StrAppend(&text, "options\n", options.ToString());
  }
  if (info.metadata.empty()) return text;
  TextTable metadata("ll");
  for (const auto& [key, value] : info.metadata) {
    // Texts of finalfusion files may have several lines.
    metadata.AddRow(
        {"  " + key, absl::StrReplaceAll(
                         absl::StripTrailingAsciiWhitespace(Beginning(value)),
                         {{"\n", "\n    "}})});
  }
  return text + "metadata\n" + metadata.ToString();
}

constexpr CommandText kInfoText = {
    "info", "describe a file", "FILE [--json]",
    "Describes any file that Firth writes: vectors, plain or compressed, "
    "language models, taggers, classifiers, checkpoints, HNSW indexes, "
    "contextual vectors, and lists of words and phrases. For a folder of "
    "checkpoints, describes the newest complete one. Prints the kind of file, "
    "its sizes and contents, the progress of a checkpoint, and the options "
    "that it was made with.\n\n"
    "  firth info vectors.safetensors\n"
    "  firth info saved/ --json"};

class InfoCommand : public CommandWith<kInfoText> {
 public:
  void Declare(OptionSet* options) override {
    options->Switch("json", &json_, "print one JSON object");
    options->Arguments("FILE", 1, 1, &paths_, {{"FILE", Reads()}});
  }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    FIRTH_ASSIGN_OR_RETURN(const FileInfo info, DescribeFile(paths_[0]));
    for (const std::string& warning : info.warnings) {
      PrintMessage(absl::StrCat("warning: ", warning));
    }
    Print(json_ ? JsonLine(ToJson(paths_[0], info)) : ToText(paths_[0], info));
    return ExitCode::kDone;
  }

 private:
  bool json_ = false;
  std::vector<std::string> paths_;
};

}  // namespace

CommandPtr MakeInfo() { return std::make_unique<InfoCommand>(); }

}  // namespace firth::tools
