#include "base/shared_matrix.h"

#include "gtest/gtest.h"

namespace firth {
namespace {

TEST(WorkerTableTest, WithoutHotRowsAllAreShared) {
  SharedMatrix table(PaddedMatrix(100, 20));
  WorkerTable view(table, 0, 0);
  for (const size_t row : {0u, 1u, 99u}) {
    EXPECT_EQ(view.Row(row).UnsafeData(), table.Row(row).UnsafeData());
  }
}

TEST(WorkerTableTest, HotRowsHaveCopies) {
  SharedMatrix table(PaddedMatrix(100, 20));
  for (const size_t first : {0u, 30u, 75u}) {
    WorkerTable view(table, first, 25);
    ASSERT_EQ(view.num_hot(), 25u);
    for (size_t row = 0; row < 100; ++row) {
      const bool hot = row >= first && row < first + 25;
      EXPECT_EQ(view.Row(row).UnsafeData(),
                hot ? view.Own(row - first) : table.Row(row).UnsafeData());
    }
    EXPECT_EQ(view.Shared(24).UnsafeData(), table.Row(first + 24).UnsafeData());
  }
}

TEST(WorkerTableTest, KnowsWhichRowsAreHottest) {
  SharedMatrix table(PaddedMatrix(100, 20));
  EXPECT_EQ(WorkerTable(table, 30, 25).NthHottest(3), 3u);
  const WorkerTable tree(table, 75, 25, WorkerTable::Hottest::kLast);
  EXPECT_EQ(tree.NthHottest(0), 24u);
  EXPECT_EQ(tree.NthHottest(24), 0u);
}

}  // namespace
}  // namespace firth
