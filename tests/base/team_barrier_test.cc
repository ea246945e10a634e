#include "base/team.h"

#include <atomic>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace firth {
namespace {

// Nobody is a phase ahead, and what was written before is seen after; also with
// more threads than cores, which have to sleep.
TEST(TeamBarrierTest, AllWaitForAll) {
  for (const int team : {1, 2, 8}) {
    constexpr int kPhases = 300;
    TeamBarrier barrier;
    int completed = 0;  // written by the last, read by all
    std::vector<int> reached(static_cast<size_t>(team));
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    threads.reserve(static_cast<size_t>(team));
    for (int t = 0; t < team; ++t) {
      threads.emplace_back([&, t] {
        for (int phase = 0; phase < kPhases; ++phase) {
          reached[static_cast<size_t>(t)] = phase;
          barrier.Wait(team, [&] {
            ++completed;
            for (const int other : reached) wrong += other != phase;
          });
          wrong += completed != phase + 1;
          barrier.Wait(team, [] {});
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0) << team;
    EXPECT_EQ(completed, kPhases);
  }
}

}  // namespace
}  // namespace firth
