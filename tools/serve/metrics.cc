#include "serve/metrics.h"

#include <unistd.h>

#include <fstream>

#include "absl/strings/str_cat.h"

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
  AddHead("process_resident_memory_bytes", "gauge",
          "Resident memory of the process, including mapped files.", &text);
  absl::StrAppend(&text, "process_resident_memory_bytes ", ResidentBytes(),
                  "\n");
  return text;
}

}  // namespace firth::tools
