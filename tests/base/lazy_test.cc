#include "base/lazy.h"

#include <atomic>
#include <latch>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace firth {
namespace {

TEST(LazyTest, ThreadsThatAskAtOnceShareOneValue) {
  constexpr size_t kThreads = 4;
  for (int round = 0; round < 100; ++round) {
    const Lazy<std::string> lazy;
    std::atomic<int> made = 0;
    std::latch start(kThreads);
    std::vector<const std::string*> found(kThreads);
    std::vector<std::thread> threads;
    for (const std::string*& own : found) {
      threads.emplace_back([&] {
        start.arrive_and_wait();
        own = &lazy.Get([&made] {
          ++made;
          return std::string("value");
        });
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(made, 1);
    for (const std::string* own : found) EXPECT_EQ(own, found[0]);
    EXPECT_EQ(*found[0], "value");
  }
}

TEST(LazyTest, TriesAgainAfterAnException) {
  const Lazy<int> lazy;
  EXPECT_THROW(lazy.Get([]() -> int { throw std::bad_alloc(); }),
               std::bad_alloc);
  EXPECT_EQ(lazy.Get([] { return 7; }), 7);
  EXPECT_EQ(lazy.Get([] { return 8; }), 7);
}

}  // namespace
}  // namespace firth
