#include "base/memory_info.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

#include "gtest/gtest.h"

namespace firth {
namespace {

TEST(MemoryInfoTest, IsPlausible) {
  EXPECT_GT(AvailableMemoryBytes(), uint64_t{1} << 20);
  EXPECT_LT(AvailableMemoryBytes(), uint64_t{1} << 50);
  EXPECT_LT(PeakMemoryBytes(), uint64_t{1} << 50);
}

TEST(MemoryInfoTest, PeakGrowsWithUse) {
  const uint64_t target = PeakMemoryBytes() + (32 << 20);
  const std::vector<char> memory(target, 1);
  EXPECT_GE(PeakMemoryBytes(), target) << memory.size();
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__clang__)
// Sanitizers reserve address space beyond any limit.
TEST(MemoryInfoTest, KnowsTheAddressSpaceLimit) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const rlimit limit = {uint64_t{1} << 30, uint64_t{1} << 30};
    setrlimit(RLIMIT_AS, &limit);
    _exit(AvailableMemoryBytes() < uint64_t{1} << 30 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}
#endif

}  // namespace
}  // namespace firth
