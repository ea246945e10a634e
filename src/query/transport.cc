// The transportation problem by shortest augmenting paths (Tomizawa 1971;
// Edmonds and Karp 1972), as in the Hungarian method for assignments.
//
// Goods leave one source after another. A path leads from a source to a sink
// with unmet demand. It may run backwards over pairs that are already used,
// which reduces their flow. Each source and sink has a price such that the
// reduced cost of a pair, its cost minus both prices, is never below 0, and is
// 0 for pairs with flow. Dijkstra's algorithm therefore finds the cheapest
// path, and the flow so far is always the cheapest way to transport that
// amount.

#include "query/transport.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "absl/algorithm/container.h"
#include "base/check.h"

namespace firth {
namespace {

constexpr double kUnreached = std::numeric_limits<double>::infinity();
constexpr size_t kNone = static_cast<size_t>(-1);

class Transport {
 public:
  Transport(absl::Span<const uint64_t> supplies,
            absl::Span<const uint64_t> demands, absl::Span<const double> costs)
      : costs_(costs),
        supplies_(supplies.begin(), supplies.end()),
        demands_(demands.begin(), demands.end()),
        flow_(costs.size()),
        source_prices_(supplies.size()),
        sink_prices_(demands.size()) {}

  double Solve() {
    for (size_t source = 0; source < supplies_.size(); ++source) {
      while (supplies_[source] > 0) Augment(source, FindSink(source));
    }
    double cost = 0;
    for (size_t i = 0; i < flow_.size(); ++i) {
      cost += static_cast<double>(flow_[i]) * costs_[i];
    }
    return cost;
  }

 private:
  size_t Pair(size_t source, size_t sink) const {
    return source * demands_.size() + sink;
  }

  // Returns the nearest sink with unmet demand, and changes the prices so that
  // the path there costs nothing.
  size_t FindSink(size_t start) {
    sink_distances_.assign(demands_.size(), kUnreached);
    sink_done_.assign(demands_.size(), false);
    before_sink_.assign(demands_.size(), kNone);
    before_source_.assign(supplies_.size(), kNone);
    source_distances_.assign(supplies_.size(), kUnreached);
    Reach(start, 0);
    for (;;) {
      const size_t sink = NearestOpenSink();
      sink_done_[sink] = true;
      if (demands_[sink] > 0) {
        MovePrices(sink_distances_[sink]);
        return sink;
      }
      for (size_t source = 0; source < supplies_.size(); ++source) {
        const bool open = source_distances_[source] == kUnreached;
        if (!open || flow_[Pair(source, sink)] == 0) continue;
        before_source_[source] = sink;
        Reach(source, sink_distances_[sink]);
      }
    }
  }

  // Extends the path to `source`. Sinks may be nearer from there.
  void Reach(size_t source, double distance) {
    source_distances_[source] = distance;
    for (size_t sink = 0; sink < demands_.size(); ++sink) {
      if (sink_done_[sink]) continue;
      // Rounding may give slightly less than 0.
      const double reduced =
          std::max(0.0, costs_[Pair(source, sink)] - source_prices_[source] -
                            sink_prices_[sink]);
      if (distance + reduced < sink_distances_[sink]) {
        sink_distances_[sink] = distance + reduced;
        before_sink_[sink] = source;
      }
    }
  }

  size_t NearestOpenSink() const {
    size_t nearest = kNone;
    for (size_t sink = 0; sink < demands_.size(); ++sink) {
      if (sink_done_[sink]) continue;
      if (nearest == kNone ||
          sink_distances_[sink] < sink_distances_[nearest]) {
        nearest = sink;
      }
    }
    FIRTH_CHECK(nearest != kNone);
    return nearest;
  }

  void MovePrices(double distance) {
    for (size_t source = 0; source < supplies_.size(); ++source) {
      if (source_distances_[source] == kUnreached) continue;
      source_prices_[source] += distance - source_distances_[source];
    }
    for (size_t sink = 0; sink < demands_.size(); ++sink) {
      if (sink_done_[sink])
        sink_prices_[sink] -= distance - sink_distances_[sink];
    }
  }

  // Transports as much as the path to `last` allows.
  void Augment(size_t start, size_t last) {
    uint64_t goods = std::min(supplies_[start], demands_[last]);
    for (size_t source = before_sink_[last]; source != start;
         source = before_sink_[before_source_[source]]) {
      goods = std::min(goods, flow_[Pair(source, before_source_[source])]);
    }
    for (size_t sink = last;;) {
      const size_t source = before_sink_[sink];
      flow_[Pair(source, sink)] += goods;
      if (source == start) break;
      sink = before_source_[source];
      flow_[Pair(source, sink)] -= goods;
    }
    supplies_[start] -= goods;
    demands_[last] -= goods;
  }

  absl::Span<const double> costs_;
  std::vector<uint64_t> supplies_, demands_;  // remaining amounts
  std::vector<uint64_t> flow_;                // [sources, sinks]
  std::vector<double> source_prices_, sink_prices_;
  // State of the search for the current path.
  std::vector<double> source_distances_, sink_distances_;
  std::vector<bool> sink_done_;
  std::vector<size_t> before_sink_, before_source_;
};

}  // namespace

double TransportCost(absl::Span<const uint64_t> supplies,
                     absl::Span<const uint64_t> demands,
                     absl::Span<const double> costs) {
  FIRTH_CHECK(costs.size() == supplies.size() * demands.size());
  FIRTH_CHECK(absl::c_accumulate(supplies, uint64_t{0}) ==
              absl::c_accumulate(demands, uint64_t{0}));
  return Transport(supplies, demands, costs).Solve();
}

}  // namespace firth
