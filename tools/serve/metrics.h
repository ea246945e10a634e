// Counts what the service does, for Prometheus.

#ifndef FIRTH_TOOLS_SERVE_METRICS_H_
#define FIRTH_TOOLS_SERVE_METRICS_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"

namespace firth::tools {

class Metrics {
 public:
  // Upper ends of the histogram's buckets, in seconds.
  static constexpr std::array<double, 12> kBuckets = {
      0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30};

  // A request for a route, or none ("other"), was answered. Thread-safe.
  void Count(absl::string_view route, int status, double seconds);
  void SetConnections(size_t connections) { connections_ = connections; }

  // All of it in Prometheus' text format 0.0.4. Thread-safe.
  std::string Text() const;

 private:
  struct Durations {
    std::array<uint64_t, kBuckets.size()> within = {};
    uint64_t count = 0;
    double seconds = 0;
  };

  std::atomic<size_t> connections_ = 0;
  mutable std::mutex mutex_;  // of what follows
  std::map<std::pair<std::string, int>, uint64_t> requests_;
  std::map<std::string, Durations> durations_;
};

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_SERVE_METRICS_H_
