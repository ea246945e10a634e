#include "distributed/agreement.h"

#include <array>
#include <atomic>
#include <chrono>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/thread_ranks.h"

namespace firth {
namespace {

using ::testing::ElementsAre;

TEST(RanksTest, SumsAreThoseOfAllRanksOnEach) {
  std::array<std::vector<uint64_t>, 3> sums;
  RunRanks(3, [&](Ranks& ranks) {
    std::vector<uint64_t> values = {1, static_cast<uint64_t>(ranks.rank())};
    ASSERT_TRUE(ranks.Sum(absl::MakeSpan(values)).ok());
    sums[static_cast<size_t>(ranks.rank())] = values;
  });
  for (const auto& of_rank : sums) EXPECT_THAT(of_rank, ElementsAre(3, 3));
}

TEST(RanksTest, EachRankGetsWhatTheOthersHaveForIt) {
  std::array<std::vector<std::string>, 3> got;
  RunRanks(3, [&](Ranks& ranks) {
    std::vector<std::string> to(3);
    for (size_t r = 0; r < 3; ++r) to[r] = absl::StrCat(ranks.rank(), r);
    const auto from = ranks.Exchange(to);
    ASSERT_TRUE(from.ok());
    got[static_cast<size_t>(ranks.rank())] = *from;
  });
  EXPECT_THAT(got[0], ElementsAre("00", "10", "20"));
  EXPECT_THAT(got[2], ElementsAre("02", "12", "22"));
}

TEST(RanksTest, ARankGetsItsPartFromAllAndAllGetWhatItMakesOfIt) {
  RunRanks(3, [](Ranks& ranks) {
    const std::vector<size_t> counts = {2, 0, 1};
    const auto own = static_cast<float>(ranks.rank());
    std::vector<float> values = {own, own + 10, own + 20};
    std::vector<float> part;
    ASSERT_TRUE(ranks.SendParts(counts, values, &part).ok());
    if (ranks.rank() == 0) {
      EXPECT_THAT(part, ElementsAre(0, 10, 1, 11, 2, 12));
      values[0] = 5;
      values[1] = 6;
    }
    if (ranks.rank() == 1) {
      EXPECT_THAT(part, ElementsAre());
    }
    if (ranks.rank() == 2) {
      EXPECT_THAT(part, ElementsAre(20, 21, 22));
      values[2] = 7;
    }
    ASSERT_TRUE(ranks.GatherParts(counts, absl::MakeSpan(values)).ok());
    EXPECT_THAT(values, ElementsAre(5, 6, 7));
  });
}

TEST(RanksTest, TwoGathersMayBeOnTheirWay) {
  RunRanks(3, [](Ranks& ranks) {
    const std::string own[2] = {absl::StrCat("a", ranks.rank()),
                                absl::StrCat("bcd", ranks.rank())};
    std::string all[2] = {std::string(6, ' '), std::string(12, ' ')};
    for (const size_t i : {0, 1}) {
      ASSERT_TRUE(ranks.BeginGather(own[i], all[i].data()).ok());
    }
    ASSERT_TRUE(ranks.AwaitGather().ok());
    EXPECT_EQ(all[0], "a0a1a2");
    ASSERT_TRUE(ranks.AwaitGather().ok());
    EXPECT_EQ(all[1], "bcd0bcd1bcd2");
  });
}

TEST(RanksTest, AnotherChannelDoesNotMixWithTheFirst) {
  RunRanks(2, [](Ranks& ranks) {
    const auto another = ranks.Another();
    ASSERT_TRUE(another.ok());
    uint64_t first = 1;
    uint64_t second = 10;
    ASSERT_TRUE((*another)->Sum(absl::MakeSpan(&second, 1)).ok());
    ASSERT_TRUE(ranks.Sum(absl::MakeSpan(&first, 1)).ok());
    EXPECT_EQ(first, 2u);
    EXPECT_EQ(second, 20u);
  });
}

TEST(RanksTest, WhoGivesUpEndsTheWaitOfTheOthers) {
  RunRanks(3, [](Ranks& ranks) {
    if (ranks.rank() == 1) return ranks.Abort();
    EXPECT_EQ(Agree(&ranks, absl::OkStatus()).code(),
              absl::StatusCode::kAborted);
  });
}

TEST(AgreementTest, TheErrorOfOneRankIsThatOfAllWithItsName) {
  RunRanks(3, [](Ranks& ranks) {
    const absl::Status agreed =
        Agree(&ranks, ranks.rank() == 1 ? absl::NotFoundError("text: none")
                                        : absl::OkStatus());
    EXPECT_EQ(agreed.code(), absl::StatusCode::kNotFound);
    EXPECT_EQ(agreed.message(), "rank 1 of 3 on a thread: text: none");
  });
}

TEST(AgreementTest, AnErrorOfAllRanksIsToldAsItIs) {
  RunRanks(2, [](Ranks& ranks) {
    EXPECT_EQ(Agree(&ranks, absl::DataLossError("text: cut")).message(),
              "text: cut");
    EXPECT_TRUE(Agree(&ranks, absl::OkStatus()).ok());
  });
}

TEST(AgreementTest, AnErrorIsAgreedOnOnceHoweverFarItGoes) {
  RunRanks(3, [](Ranks& ranks) {
    // One rank leaves before the others agree.
    absl::Status status;
    if (ranks.rank() == 2) {
      status = absl::NotFoundError("text: none");
    } else {
      status = Agree(&ranks, absl::OkStatus());
    }
    EXPECT_EQ(Agree(&ranks, status).message(),
              "rank 2 of 3 on a thread: text: none");
    uint64_t count = 1;  // nobody is a step behind
    ASSERT_TRUE(ranks.Sum(absl::MakeSpan(&count, 1)).ok());
    EXPECT_EQ(count, 3u);
  });
}

TEST(AgreementTest, WhatTheFirstRankDoesForAllFailsWithoutItsName) {
  RunRanks(2, [](Ranks& ranks) {
    const bool is_first = ranks.rank() == 0;
    const absl::Status full = absl::ResourceExhaustedError("out: full");
    EXPECT_EQ(
        AgreeWithFirst(&ranks, is_first ? full : absl::OkStatus()).message(),
        "out: full");
    EXPECT_EQ(
        AgreeWithFirst(&ranks, is_first ? absl::OkStatus() : full).message(),
        "rank 1 of 2 on a thread: out: full");
  });
}

TEST(AgreementTest, WhatDiffersIsToldWithBothSides) {
  RunRanks(3, [](Ranks& ranks) {
    EXPECT_TRUE(CheckSameOnAll(ranks, {{"dim", "100"}, {"init", ""}}).ok());
    const bool differs = ranks.rank() == 2;
    EXPECT_EQ(
        CheckSameOnAll(ranks, {{"init", ""}, {"dim", differs ? "99" : "100"}})
            .message(),
        "dim differs between ranks: it is 100 on rank 0 and 99 on rank 2");
    EXPECT_EQ(
        CheckSameOnAll(ranks, {{"init", differs ? "a" : ""}}).message(),
        "init differs between ranks: it is nothing on rank 0 and a on rank 2");
  });
}

TEST(SharedStopTest, ReachesRanksThatAreBusyWithTheirOwnWork) {
  RunRanks(3, [](Ranks& ranks) {
    std::atomic<bool> own = false;
    const auto stop = SharedStop::Begin(ranks, own);
    ASSERT_TRUE(stop.ok()) << stop.status();
    if (ranks.rank() == 1) own = true;
    // Nobody calls a function of the ranks here.
    const auto deadline =
        std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!*(*stop)->flag() && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_TRUE(*(*stop)->flag());
  });
}

TEST(SharedStopTest, IsNotSetByItself) {
  RunRanks(2, [](Ranks& ranks) {
    const std::atomic<bool> own = false;
    auto stop = SharedStop::Begin(ranks, own);
    ASSERT_TRUE(stop.ok()) << stop.status();
    const std::atomic<bool>& flag = *(*stop)->flag();
    // One rank comes to its end before the other, which goes on working.
    if (ranks.rank() == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
    }
    EXPECT_FALSE(flag);
  });
}

}  // namespace
}  // namespace firth
