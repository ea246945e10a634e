// The table of routes, the parameters of their queries, and the maps and
// counters of the service.

#include "serve/route.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "cli/console.h"

namespace firth::tools {
namespace {

uint64_t ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  uint64_t all = 0;
  uint64_t resident = 0;
  file >> all >> resident;
  return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

void AddHead(absl::string_view name, absl::string_view type,
             absl::string_view help, std::string* text) {
  absl::StrAppend(text, "# HELP ", name, " ", help, "\n# TYPE ", name, " ",
                  type, "\n");
}

// Returns whether the bytes are valid UTF-8 without NUL.
bool IsText(absl::string_view bytes) {
  if (bytes.find('\0') != absl::string_view::npos) return false;
  return IsUtf8(std::string(bytes));
}

absl::StatusOr<std::string> Decode(absl::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded.push_back(text[i] == '+' ? ' ' : text[i]);
      continue;
    }
    const absl::string_view digits = text.substr(i + 1, 2);
    const std::optional<std::string> byte = HexToBytes(digits);
    if (digits.size() != 2 || !byte.has_value()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the query: expected two hexadecimal digits after %, found \"%",
          Visible(digits), "\""));
    }
    decoded += *byte;
    i += 2;
  }
  if (!IsText(decoded)) {
    return absl::InvalidArgumentError("the query: not valid UTF-8 without NUL");
  }
  return decoded;
}

}  // namespace

void Metrics::Count(absl::string_view route, int status, double seconds) {
  const std::string name(route.empty() ? "other" : route);
  const std::lock_guard<std::mutex> lock(mutex_);
  ++requests_[{name, status}];
  Durations& durations = durations_[name];
  ++durations.count;
  durations.seconds += seconds;
  for (size_t i = 0; i < kBuckets.size(); ++i) {
    durations.within[i] += seconds <= kBuckets[i];
  }
}

std::string Metrics::Text() const {
  std::string text;
  const std::lock_guard<std::mutex> lock(mutex_);
  AddHead("firth_http_requests_total", "counter",
          "Requests by route and status; status 0 means that the client "
          "disconnected.",
          &text);
  for (const auto& [of, count] : requests_) {
    absl::StrAppend(&text, "firth_http_requests_total{route=\"", of.first,
                    "\",status=\"", of.second, "\"} ", count, "\n");
  }
  constexpr absl::string_view kDuration = "firth_http_request_duration_seconds";
  AddHead(kDuration, "histogram",
          "Time from the first line of a request to the end of its answer.",
          &text);
  for (const auto& [route, durations] : durations_) {
    const std::string label = absl::StrCat("{route=\"", route, "\"");
    for (size_t i = 0; i < kBuckets.size(); ++i) {
      absl::StrAppend(&text, kDuration, "_bucket", label, ",le=\"", kBuckets[i],
                      "\"} ", durations.within[i], "\n");
    }
    absl::StrAppend(&text, kDuration, "_bucket", label, ",le=\"+Inf\"} ",
                    durations.count, "\n", kDuration, "_sum", label, "} ",
                    durations.seconds, "\n", kDuration, "_count", label, "} ",
                    durations.count, "\n");
  }
  AddHead("firth_http_connections", "gauge", "Open connections.", &text);
  absl::StrAppend(&text, "firth_http_connections ", connections_.load(), "\n");
  AddHead("firth_http_replaced_connections_total", "counter",
          "Connections that waited for their clients and were closed because "
          "there were too many.",
          &text);
  absl::StrAppend(&text, "firth_http_replaced_connections_total ",
                  replaced_connections_.load(), "\n");
  AddHead("firth_reloads_total", "counter",
          "Attempts to load all models again.", &text);
  for (const size_t ok : {0, 1}) {
    absl::StrAppend(&text, "firth_reloads_total{result=\"",
                    ok != 0 ? "ok" : "failed", "\"} ", reloads_[ok].load(),
                    "\n");
  }
  AddHead("process_resident_memory_bytes", "gauge",
          "Resident memory of the process, including mapped files.", &text);
  absl::StrAppend(&text, "process_resident_memory_bytes ", ResidentBytes(),
                  "\n");
  return text;
}

Json ClustersJson(const ServedLayout& layout) {
  Json clusters = Json::array();
  for (const MapCluster& cluster : layout.clusters) {
    clusters.push_back({{"x", cluster.x},
                        {"y", cluster.y},
                        {"level", cluster.level},
                        {"words", cluster.words}});
  }
  return clusters;
}

Json ColumnsJson(const ServedMap& map) {
  Json columns = Json::array();
  for (const LabelColumn& column : map.columns()) {
    Json json = {{"name", column.name},
                 {"type", column.is_number() ? "continuous" : "categorical"}};
    if (column.is_number()) {
      float low = std::numeric_limits<float>::infinity();
      float high = -low;
      for (const float value : column.values) {
        // Comparisons with NaN, which means no value, are false.
        if (value < low) low = value;
        if (value > high) high = value;
      }
      json["minimum"] = NumberJson(low);
      json["maximum"] = NumberJson(high);
    } else {
      json["values"] = column.categories;
    }
    columns.push_back(std::move(json));
  }
  return columns;
}

FieldTable ModelParameter::Fields() {
  FieldsOf<ModelParameter> fields;
  fields.Add("model", &ModelParameter::model,
             "name of the model; may be omitted if only one is served");
  return fields;
}

absl::StatusOr<QueryParameters> ParseQuery(absl::string_view target) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(target, absl::MaxSplits('?', 1));
  QueryParameters parsed;
  for (const absl::string_view pair :
       absl::StrSplit(parts.second, '&', absl::SkipEmpty())) {
    const std::pair<absl::string_view, absl::string_view> sides =
        absl::StrSplit(pair, absl::MaxSplits('=', 1));
    FIRTH_ASSIGN_OR_RETURN(std::string name, Decode(sides.first));
    FIRTH_ASSIGN_OR_RETURN(std::string value, Decode(sides.second));
    for (const auto& [other, unused] : parsed) {
      if (other != name) continue;
      return ErrorAt(name, "this parameter is given more than once");
    }
    parsed.emplace_back(std::move(name), std::move(value));
  }
  return parsed;
}

absl::Status ReadParameters(const QueryParameters& query,
                            const FieldTable& table, void* parameters) {
  FieldEditor fields(table, parameters);
  for (const auto& [name, value] : query) {
    const Field* const field = fields.Find(name);
    if (field == nullptr) {
      return ErrorAt(name, absl::StrCat("there is no such parameter; the "
                                        "parameters are ",
                                        absl::StrJoin(fields.names(), ", ")));
    }
    if (!fields.SetText(name, value)) {
      return ErrorAt(name, absl::StrCat("expected ", field->Expected(),
                                        ", found ", OneLine(Json(value))));
    }
  }
  return absl::OkStatus();
}

const std::vector<Route>& Routes() {
  static const auto* const routes = [] {
    auto* const made = new std::vector<Route>(OwnRoutes());
    std::vector<Route> questions;
    for (const Question& question : Questions()) {
      questions.push_back({.method = "POST",
                           .path = absl::StrCat("/", question.name),
                           .summary = question.summary,
                           .question = &question});
    }
    made->insert(made->begin() + 1, questions.begin(), questions.end());
    for (const Route& route : EmbeddingRoutes()) made->push_back(route);
    return made;
  }();
  return *routes;
}

Response JsonResponse(std::string json) {
  json.push_back('\n');
  return {.body = Share(std::move(json))};
}

}  // namespace firth::tools
