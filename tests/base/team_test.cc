#include "base/team.h"

#include <atomic>
#include <new>
#include <numeric>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace firth {
namespace {

using testing::Each;

TEST(TeamTest, WithoutATeamThereIsOneRange) {
  int calls = 0;
  ForRanges(1000, 1, 1, [&](size_t begin, size_t end) {
    ++calls;
    EXPECT_EQ(begin, 0u);
    EXPECT_EQ(end, 1000u);
  });
  EXPECT_EQ(calls, 1);
  ForRanges(0, 1, 1, [&](size_t, size_t) { ++calls; });
  EXPECT_EQ(calls, 1);
}

TEST(TeamTest, RangesMakeUpTheWhole) {
  for (const int threads : {1, 2, 3, 5}) {
    for (const size_t count : {0, 1, 7, 32, 33, 1000}) {
      std::vector<int> visits(count);
      RunTeam(threads, [&] {
        ForRanges(count, 8, 1, [&](size_t begin, size_t end) {
          EXPECT_EQ(begin % 8, 0u);
          EXPECT_LT(begin, end);
          for (size_t i = begin; i < end; ++i) ++visits[i];
        });
      });
      EXPECT_THAT(visits, Each(1)) << threads << " threads, " << count;
    }
  }
}

TEST(TeamTest, RangesAreNotSmallerThanWorthAThread) {
  RunTeam(4, [&] {
    ForRanges(100, 1, 40,
              [&](size_t begin, size_t end) { EXPECT_GE(end - begin, 40u); });
  });
}

TEST(TeamTest, TasksShareTheTeam) {
  std::vector<size_t> shares(2);
  std::atomic<int> visits = 0;
  RunTeam(4, [&] {
    EXPECT_EQ(team_place.share, 4u);
    // A team inside of a team is the same one.
    RunTeam(9, [&] { EXPECT_EQ(team_place.share, 4u); });
    ForTasks(2, [&](size_t i) {
      shares[i] = team_place.share;
      ForRanges(100, 1, 1, [&](size_t begin, size_t end) {
        visits += static_cast<int>(end - begin);
        EXPECT_EQ(team_place.share, 1u);
      });
    });
  });
  EXPECT_THAT(shares, Each(2u));
  EXPECT_EQ(visits, 200);
  EXPECT_EQ(team_place.share, 1u);
}

TEST(TeamTest, WhatARangeThrowsComesOut) {
  EXPECT_THROW(RunTeam(3,
                       [&] {
                         ForRanges(100, 1, 1, [&](size_t begin, size_t) {
                           if (begin > 0) throw std::bad_alloc();
                         });
                       }),
               std::bad_alloc);
  EXPECT_EQ(team_place.share, 1u);
}

}  // namespace
}  // namespace firth
