// Work on all cores tells the same error whatever the number of threads.

#include <atomic>

#include "absl/strings/str_cat.h"
#include "c/call.h"
#include "gtest/gtest.h"

namespace firth::c {
namespace {

TEST(InParallelTest, TheErrorIsThatOfTheLeastThatFailed) {
  for (int round = 0; round < 20; ++round) {
    const absl::Status status =
        InParallel(1000, {}, [](size_t i) -> absl::Status {
          if (i % 100 != 37) return absl::OkStatus();
          return absl::InvalidArgumentError(absl::StrCat("number ", i));
        });
    EXPECT_EQ(status, absl::InvalidArgumentError("number 37"));
  }
}

TEST(InParallelTest, WorksForEachNumber) {
  std::atomic<size_t> sum = 0;
  EXPECT_EQ(InParallel(1000, {},
                       [&](size_t i) {
                         sum += i;
                         return absl::OkStatus();
                       }),
            absl::OkStatus());
  EXPECT_EQ(sum, 999 * 1000 / 2);
}

TEST(InParallelTest, WhatIsStoppedIsCancelled) {
  const std::atomic<bool> stop = true;
  const absl::Status status = InParallel(10, {.stop = &stop}, [](size_t) {
    return absl::InternalError("must not be asked");
  });
  EXPECT_TRUE(absl::IsCancelled(status)) << status;
}

}  // namespace
}  // namespace firth::c
