#include "base/parallel_exceptions.h"

#include <atomic>
#include <new>

#include "gtest/gtest.h"

namespace firth {
namespace {

TEST(ParallelExceptionsTest, WhatThreadsThrowIsThrownBehindTheRegion) {
  ParallelExceptions exceptions;
  std::atomic<int> done = 0;
#pragma omp parallel for num_threads(4)
  for (int i = 0; i < 100; ++i) {
    exceptions.Catch([&] {
      if (i % 10 == 3) throw std::bad_alloc();
      ++done;
    });
  }
  EXPECT_EQ(done, 90);
  EXPECT_THROW(exceptions.Rethrow(), std::bad_alloc);
}

TEST(ParallelExceptionsTest, WithoutAnyNothingIsThrown) {
  ParallelExceptions exceptions;
  exceptions.Catch([] {});
  EXPECT_NO_THROW(exceptions.Rethrow());
}

}  // namespace
}  // namespace firth
