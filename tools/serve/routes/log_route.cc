// The log of a training run in progress: the lines since the last request.

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "absl/strings/str_split.h"
#include "serve/route.h"

namespace firth::tools {
namespace {

struct LogParameters {
  static FieldTable Fields();

  uint64_t after = 0;
};

FieldTable LogParameters::Fields() {
  FieldsOf<LogParameters> fields;
  fields
      .Add("after", &LogParameters::after,
           "number of bytes to skip: the value of \"next\" in the previous "
           "answer")
      .Range(0, 0x1p62);
  return fields;
}

// Maximum size of one answer; clients request the rest separately.
constexpr int64_t kMostLogBytes = int64_t{256} << 10;

// Returns the complete lines after the first `*after` bytes. If the log is
// shorter, it was started again, and is read from its beginning.
std::string LinesBehind(std::ifstream* file, int64_t* after) {
  file->seekg(0, std::ios::end);
  if (*after > file->tellg()) *after = 0;
  file->seekg(*after);
  std::string text(static_cast<size_t>(kMostLogBytes), '\0');
  file->read(text.data(), kMostLogBytes);
  text.resize(static_cast<size_t>(file->gcount()));
  const size_t end = text.rfind('\n') + 1;
  // A line that is longer than an answer is skipped piece by piece. Its last
  // piece is not a JSON object, so it is left out too.
  if (end == 0 && text.size() == kMostLogBytes) *after += kMostLogBytes;
  text.resize(end);
  return text;
}

absl::StatusOr<Response> Log(const ServedFiles& files,
                             const LogParameters& parameters) {
  // Opening a pipe would block until another program writes to it.
  std::error_code error;
  std::ifstream file;
  if (std::filesystem::is_regular_file(files.log, error)) {
    file.open(files.log, std::ios::binary);
  }
  if (!file.is_open()) {
    return absl::NotFoundError(
        files.log.empty() ? "no training log is served (--log FILE serves one)"
                          : "the training log cannot be read");
  }
  auto after = static_cast<int64_t>(parameters.after);
  const std::string text = LinesBehind(&file, &after);
  Json lines = Json::array();
  bool is_done = false;
  for (const absl::string_view line :
       absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    Json json = ParseJson(line);
    if (!json.is_object()) continue;
    is_done = json.contains("done");
    lines.push_back(std::move(json));
  }
  return JsonResponse(
      OneLine({{"next", after + static_cast<int64_t>(text.size())},
               {"lines", std::move(lines)},
               {"done", is_done}}));
}

}  // namespace

Route LogRoute() {
  return GetRoute(
      {.path = "/log",
       .summary = "read the log of a training run (firth train --log)",
       .example = "?after=0",
       .schema = R"({"type":"object","properties":{
         "next":{"type":"integer"},
         "lines":{"type":"array","items":{"type":"object"},"description":
           "the entries of the log, as the training run wrote them"},
         "done":{"type":"boolean","description":
           "whether the last entry ends the training run"}}})"},
      &Log);
}

}  // namespace firth::tools
