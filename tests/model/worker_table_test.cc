#include "model/worker_table.h"

#include "gtest/gtest.h"

namespace firth {
namespace {

TEST(WorkerTableTest, WithoutHotRowsAllAreShared) {
  SharedMatrix table(AlignedMatrix(100, 20));
  WorkerTable view(table, 0);
  for (const size_t row : {0u, 1u, 99u}) {
    EXPECT_EQ(view.Row(row).UnsafeData(), table.Row(row).UnsafeData());
  }
}

TEST(WorkerTableTest, TheLastRowsHaveCopies) {
  SharedMatrix table(AlignedMatrix(100, 20));
  WorkerTable view(table, 25);
  ASSERT_EQ(view.num_hot(), 25u);
  EXPECT_EQ(view.Row(74).UnsafeData(), table.Row(74).UnsafeData());
  EXPECT_EQ(view.Row(75).UnsafeData(), view.Own(0));
  EXPECT_EQ(view.Row(99).UnsafeData(), view.Own(24));
  EXPECT_EQ(view.Shared(24).UnsafeData(), table.Row(99).UnsafeData());
}

}  // namespace
}  // namespace firth
