// The table of routes, the parameters of their queries, and the maps and
// counters of the service.

#include "serve/route.h"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>
#include <limits>
#include <numeric>

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

// Returns the order of the map: most frequent first, ties as in the file.
std::vector<size_t> ByCount(const Vocabulary& vocabulary) {
  std::vector<size_t> order(vocabulary.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const absl::Span<const uint64_t> counts = vocabulary.counts();
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return counts[a] > counts[b]; });
  return order;
}

std::array<float, 4> BoundsOf(const std::vector<float>& points) {
  if (points.empty()) return {0, 0, 0, 0};
  constexpr float kMost = std::numeric_limits<float>::max();
  std::array<float, 4> bounds = {kMost, kMost, -kMost, -kMost};
  for (size_t i = 0; i < points.size(); ++i) {
    const size_t axis = i % 2;
    bounds[axis] = std::min(bounds[axis], points[i]);
    bounds[2 + axis] = std::max(bounds[2 + axis], points[i]);
  }
  return bounds;
}

std::string LittleEndian(const std::vector<float>& values) {
  static_assert(std::endian::native == std::endian::little);
  std::string bytes(values.size() * sizeof(float), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

absl::Status TakeWords(const WordVectors& vectors, ServedMap* map) {
  const Vocabulary& vocabulary = vectors.vocabulary();
  std::string text;
  map->points.reserve(2 * vocabulary.size());
  for (const size_t index : ByCount(vocabulary)) {
    const WordId id = ToWordId(index);
    const absl::string_view word = vocabulary.Word(id);
    if (word.find_first_of("\r\n") != absl::string_view::npos) {
      return absl::InvalidArgumentError(
          absl::StrCat("word ", index + 1, " contains a line end"));
    }
    map->words.emplace_back(word);
    map->counts.push_back(vocabulary.Count(id));
    for (const float value : vectors.CopyVector(id)) {
      map->points.push_back(value);
    }
    absl::StrAppend(&text, word, "\n");
  }
  map->bounds = BoundsOf(map->points);
  map->points_bytes = Share(LittleEndian(map->points));
  map->words_text = Share(std::move(text));
  return absl::OkStatus();
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

absl::StatusOr<ServedMap> ToServedMap(const WordMap& made) {
  ServedMap map;
  map.method = made.method;
  map.clusters = made.clusters;
  FIRTH_RETURN_IF_ERROR(TakeWords(made.points, &map));
  return map;
}

Json ClustersJson(const ServedMap& map) {
  Json clusters = Json::array();
  for (const MapCluster& cluster : map.clusters) {
    clusters.push_back({{"x", cluster.x},
                        {"y", cluster.y},
                        {"level", cluster.level},
                        {"words", cluster.words}});
  }
  return clusters;
}

std::vector<size_t> WordsWithin(const ServedMap& map,
                                const std::array<double, 4>& bounds,
                                size_t limit) {
  std::vector<size_t> found;
  for (size_t i = 0; i < map.words.size() && found.size() < limit; ++i) {
    const double x = map.points[2 * i];
    const double y = map.points[2 * i + 1];
    if (x >= bounds[0] && x <= bounds[2] && y >= bounds[1] && y <= bounds[3]) {
      found.push_back(i);
    }
  }
  return found;
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
    return made;
  }();
  return *routes;
}

Response JsonResponse(std::string json) {
  json.push_back('\n');
  return {.body = Share(std::move(json))};
}

}  // namespace firth::tools
