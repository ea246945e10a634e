// The log of a training that runs: what was added to it since the last look.

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "serve/field_error.h"
#include "serve/route.h"
#include "serve/schema.h"

namespace firth::tools {
namespace {

// Of one answer; who wants more asks again.
constexpr int64_t kMostLogBytes = int64_t{256} << 10;

// The whole lines of the file from `after` on. A log that was begun anew is
// shorter than `after`, and read from its start.
std::string LinesBehind(std::ifstream* file, int64_t* after) {
  file->seekg(0, std::ios::end);
  if (*after > file->tellg()) *after = 0;
  file->seekg(*after);
  std::string text(static_cast<size_t>(kMostLogBytes), '\0');
  file->read(text.data(), kMostLogBytes);
  text.resize(static_cast<size_t>(file->gcount()));
  const size_t end = text.rfind('\n') + 1;
  // Of a line that no answer holds the pieces are passed over one by one; the
  // last of them is no object, and is left out as such.
  if (end == 0 && text.size() == kMostLogBytes) *after += kMostLogBytes;
  text.resize(end);
  return text;
}

absl::StatusOr<Answer> Log(const ServedFiles& files, const Json& request) {
  // Opening a pipe would block until another program writes to it.
  std::error_code error;
  std::ifstream file;
  if (std::filesystem::is_regular_file(files.log, error)) {
    file.open(files.log, std::ios::binary);
  }
  if (!file.is_open()) {
    return FieldError("",
                      files.log.empty()
                          ? "no training log is served (--log FILE serves one)"
                          : "the training log cannot be read",
                      absl::StatusCode::kNotFound);
  }
  auto after = request["after"].get<int64_t>();
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
  return JsonAnswer({{"next", after + static_cast<int64_t>(text.size())},
                     {"lines", std::move(lines)},
                     {"done", is_done}});
}

}  // namespace

Route LogRoute() {
  return {.method = "GET",
          .path = "/log",
          .summary = "read the log of a training run (firth train --log)",
          .request = ObjectSchema(
              {Optional("after",
                        WholeSchema(0, INT64_MAX,
                                    "number of bytes to skip: the value of "
                                    "\"next\" in the previous answer"),
                        0)}),
          .example = {{"after", 0}},
          .response = ObjectSchema(
              {{"next", WholeSchema(0, INT64_MAX)},
               {"lines",
                ListSchema(
                    FreeObjectSchema(), 0, 0,
                    "the entries of the log, as the training run wrote them")},
               {"done", BooleanSchema(
                            "whether the last entry ends the training run")}}),
          .answer = &Log};
}

}  // namespace firth::tools
