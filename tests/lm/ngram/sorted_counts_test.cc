#include "lm/ngram/sorted_counts.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <map>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/temp_files.h"

namespace firth {
namespace {

using testing::HasSubstr;

struct Case {
  const char* name;
  uint64_t counts_in_buffer;
  uint32_t different;  // n-grams
  bool in_file;
};

constexpr Case kCases[] = {
    {"one sort", 1 << 20, 30000, false},
    {"equal n-grams make room", 2000, 900, false},
    {"few runs", 30000, 50000, true},
    {"many runs, of which equal n-grams are in several", 100, 400, true},
};

TEST(SortedCountsTest, AreSortedAndAddedUp) {
  const TempFolder folder;
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    SortedCounts counts(c.counts_in_buffer * sizeof(NgramCount), 1 << 20,
                        folder.path());
    std::map<std::pair<uint64_t, uint64_t>, std::pair<uint32_t, uint32_t>> sums;
    Rng rng(7);
    for (uint32_t i = 0; i < 100000; ++i) {
      const uint64_t number = rng.Below(c.different);
      const auto words = absl::MakeUint128(number % 7, number * 1234567);
      const uint32_t count = rng.Below(5);
      ASSERT_EQ(counts.Add({words, count, 1}), absl::OkStatus());
      auto& sum = sums[{number % 7, number * 1234567}];
      sum.first += count;
      ++sum.second;
    }
    ASSERT_EQ(counts.Finish(), absl::OkStatus());
    EXPECT_EQ(counts.file_bytes() > 0, c.in_file);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
    for (int pass = 0; pass < 2; ++pass) {  // it can be read again
      auto expected = sums.begin();
      const auto check = [&](SortedCounts::Block block) {
        for (const NgramCount& count : block) {
          EXPECT_NE(expected, sums.end());
          EXPECT_EQ(count.high, expected->first.first);
          EXPECT_EQ(count.low, expected->first.second);
          EXPECT_EQ(count.count, expected->second.first);
          EXPECT_EQ(count.occurrences, expected->second.second);
          ++expected;
        }
        return absl::OkStatus();
      };
      ASSERT_EQ(counts.ForEachBlock({}, check), absl::OkStatus());
      EXPECT_EQ(expected, sums.end());
    }
  }
}

TEST(SortedCountsTest, MayBeEmpty) {
  SortedCounts counts(1 << 20, 1 << 20, "");
  ASSERT_EQ(counts.Finish(), absl::OkStatus());
  const auto fail = [](SortedCounts::Block) {
    return absl::InternalError("there is no block");
  };
  EXPECT_EQ(counts.ForEachBlock({}, fail), absl::OkStatus());
}

TEST(SortedCountsTest, AnErrorOfTheVisitorEndsReading) {
  SortedCounts counts(1 << 20, 1 << 20, "");
  ASSERT_EQ(counts.Add({1, 1, 1}), absl::OkStatus());
  ASSERT_EQ(counts.Finish(), absl::OkStatus());
  const absl::Status error = absl::AbortedError("enough");
  EXPECT_EQ(counts.ForEachBlock({}, [&](SortedCounts::Block) { return error; }),
            error);
}

// In a process of its own, since the limit cannot be raised again.
TEST(SortedCountsTest, AFullDiskIsAnError) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit = {1 << 16, 1 << 16};
    setrlimit(RLIMIT_FSIZE, &limit);
    const TempFolder folder;
    SortedCounts counts(0, 1 << 20, folder.path());
    absl::Status status;
    for (uint32_t i = 0; i < 100000 && status.ok(); ++i) {
      status = counts.Add({i, 1, 1});
    }
    const bool as_expected =
        status.code() == absl::StatusCode::kResourceExhausted &&
        std::string(status.message()).find(folder.path()) == 0;
    _exit(as_expected ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST(NgramPackingTest, PacksAndUnpacksWords) {
  for (const auto& [order, words] :
       {std::pair<int, size_t>(1, 4), {3, 5}, {5, 33554432}, {8, 65536}}) {
    const auto packing = NgramPacking::Create(order, words);
    ASSERT_EQ(packing.status(), absl::OkStatus());
    absl::uint128 packed = 0;
    for (int i = 0; i < order; ++i) {
      packed = packing->Append(packed, static_cast<uint32_t>(words - 1 - i));
    }
    for (int i = 0; i < order; ++i) {
      EXPECT_EQ(packing->Word(packed, order - 1 - i), words - 1 - i);
    }
    if (order == 1) continue;
    EXPECT_EQ(packing->Word(packing->WithoutLast(packed), 0),
              words - order + 1);
    EXPECT_EQ(packing->Last(packed, 1), words - order);
  }
}

TEST(NgramPackingTest, RejectsTooManyWordsForTheOrder) {
  const auto packing = NgramPacking::Create(8, 65537);
  EXPECT_EQ(packing.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(packing.status().message(),
              HasSubstr("n-grams of order 8 can have at most 65536 different "
                        "words, found 65537; use a lower order"));
}

}  // namespace
}  // namespace firth
