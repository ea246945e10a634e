#include "query/hnsw_graph.h"

#include <atomic>
#include <cstring>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/threads.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

class HnswGraphTest : public testing::Test {
 protected:
  HnswGraphTest() : rows_(RandomVectors(200, 8, 3)) {
    const ScopedThreads one(1);
    links_ = HnswGraph::Build(rows_, {})->Links();
  }

  absl::Status Read(const std::string& links) const {
    return HnswGraph::FromLinks(rows_, {}, links).status();
  }

  CenteredRows rows_;
  std::string links_;
};

TEST_F(HnswGraphTest, LinksComeBackTheSame) {
  const auto graph = HnswGraph::FromLinks(rows_, {}, links_);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->Links(), links_);
}

TEST_F(HnswGraphTest, ThreadsBuildAGraphOfAllRows) {
  const ScopedThreads three(3);
  const auto graph = HnswGraph::Build(rows_, {});
  ASSERT_TRUE(graph.ok());
  const std::vector<float> unit = {1, 0, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(graph->Search(unit, 200).size(), 200u);
}

TEST_F(HnswGraphTest, OneThreadOfManyBuildsTheSameGraph) {
  const ScopedThreads three(3);
  EXPECT_EQ(HnswGraph::Build(rows_, {}, {}, 1)->Links(), links_);
}

TEST_F(HnswGraphTest, WhoeverStopsTheBuildingGetsNoGraph) {
  const std::atomic<bool> stop = true;
  for (const int threads : {1, 3}) {
    EXPECT_TRUE(absl::IsCancelled(
        HnswGraph::Build(rows_, {}, {nullptr, &stop}, threads).status()));
  }
}

// Whatever number is wrong, reading ends with a Status or with a graph that can
// be searched: no link leads out of it.
TEST_F(HnswGraphTest, AWrongNumberAnywhereDoesNoHarm) {
  const std::vector<float> unit = {1, 0, 0, 0, 0, 0, 0, 0};
  size_t refused = 0;
  for (size_t at = 0; at + 4 <= links_.size(); at += 4) {
    if (at > 2000 && at % 300 != 0) continue;
    for (const uint32_t value : {0u, 1u, 199u, 200u, 0xffffffffu}) {
      std::string wrong = links_;
      std::memcpy(wrong.data() + at, &value, sizeof(value));
      const auto graph = HnswGraph::FromLinks(rows_, {}, wrong);
      if (graph.ok()) {
        EXPECT_LE(graph->Search(unit, 20).size(), 20u);
      } else {
        EXPECT_EQ(graph.status().code(), absl::StatusCode::kDataLoss);
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 500u);
}

TEST_F(HnswGraphTest, ACutOrLongerOneIsRefused) {
  for (size_t size = 0; size < links_.size(); size += 97) {
    EXPECT_THAT(Read(links_.substr(0, size)).message(),
                testing::HasSubstr("found the end"));
  }
  EXPECT_THAT(Read(links_ + "1234").message(), testing::HasSubstr("more"));
}

}  // namespace
}  // namespace firth
