#include "query/transport.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "base/rng.h"
#include "gtest/gtest.h"

namespace firth {
namespace {

// The cheapest of all ways: each unit is a person, each wanted unit a seat.
double CheapestAssignment(const std::vector<uint64_t>& supplies,
                          const std::vector<uint64_t>& demands,
                          const std::vector<double>& costs) {
  std::vector<size_t> persons, seats;
  for (size_t i = 0; i < supplies.size(); ++i) {
    persons.insert(persons.end(), supplies[i], i);
  }
  for (size_t j = 0; j < demands.size(); ++j) {
    seats.insert(seats.end(), demands[j], j);
  }
  double best = std::numeric_limits<double>::infinity();
  do {
    double cost = 0;
    for (size_t unit = 0; unit < seats.size(); ++unit) {
      cost += costs[persons[unit] * demands.size() + seats[unit]];
    }
    best = std::min(best, cost);
  } while (std::next_permutation(seats.begin(), seats.end()));
  return best;
}

// `units` in `parts` parts, of which some may have none.
std::vector<uint64_t> RandomParts(uint64_t units, size_t parts, Rng* rng) {
  std::vector<uint64_t> amounts(parts);
  for (uint64_t unit = 0; unit < units; ++unit) {
    ++amounts[rng->Below(static_cast<uint32_t>(parts))];
  }
  return amounts;
}

TEST(TransportTest, IsTheCheapestOfAllWays) {
  Rng rng(17);
  for (int trial = 0; trial < 300; ++trial) {
    const size_t n = 1 + rng.Below(4), m = 1 + rng.Below(4);
    const uint64_t units = 1 + rng.Below(8);
    const std::vector<uint64_t> supplies = RandomParts(units, n, &rng);
    const std::vector<uint64_t> demands = RandomParts(units, m, &rng);
    std::vector<double> costs(n * m);
    for (double& cost : costs) {
      // Ties and zeros, too.
      cost = trial % 2 == 0 ? rng.NextFloat() : rng.Below(3);
    }
    EXPECT_NEAR(TransportCost(supplies, demands, costs),
                CheapestAssignment(supplies, demands, costs), 1e-6)
        << trial;
  }
}

// On a line, the cheapest way moves each unit over each gap that it must cross:
// the sum of the differences of the cumulative amounts.
TEST(TransportTest, OfPlacesOnALineIsTheAreaBetweenTheSums) {
  Rng rng(5);
  constexpr size_t kPlaces = 120;
  const std::vector<uint64_t> supplies = RandomParts(5000, kPlaces, &rng);
  const std::vector<uint64_t> demands = RandomParts(5000, kPlaces, &rng);
  std::vector<double> costs;
  for (size_t i = 0; i < kPlaces; ++i) {
    for (size_t j = 0; j < kPlaces; ++j) {
      costs.push_back(static_cast<double>(i > j ? i - j : j - i));
    }
  }
  int64_t ahead = 0, area = 0;
  for (size_t i = 0; i < kPlaces; ++i) {
    ahead += static_cast<int64_t>(supplies[i] - demands[i]);
    area += std::abs(ahead);
  }
  EXPECT_NEAR(TransportCost(supplies, demands, costs),
              static_cast<double>(area), 1e-6);
}

TEST(TransportTest, OfNothingCostsNothing) {
  EXPECT_EQ(TransportCost({}, {}, {}), 0);
  EXPECT_EQ(TransportCost({0, 0}, {0}, {1, 1}), 0);
}

}  // namespace
}  // namespace firth
