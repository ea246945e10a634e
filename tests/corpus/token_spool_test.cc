#include "corpus/token_stream.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <numeric>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/temp_files.h"

namespace firth {
namespace {

using testing::HasSubstr;

std::vector<uint32_t> Numbers(uint32_t from, size_t count) {
  std::vector<uint32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), from);
  return numbers;
}

struct Case {
  const char* name;
  uint64_t memory_bytes;
  bool in_file;
};

constexpr Case kCases[] = {
    {"in memory", uint64_t{1} << 30, false},
    {"just in memory", uint64_t{4} * 300000, false},
    {"moved to a file", uint64_t{4} * 299999, true},
    {"in a file from the start", 0, true},
};

TEST(TokenSpoolTest, GivesBackWhatWasAppended) {
  const TempFolder folder;
  for (const Case& c : kCases) {
    TokenSpool spool(c.memory_bytes, folder.path());
    for (uint32_t i = 0; i < 300; ++i) {
      ASSERT_TRUE(spool.Append(Numbers(i * 1000, 1000)).ok()) << c.name;
    }
    ASSERT_TRUE(spool.Append({}).ok());
    EXPECT_EQ(spool.size(), 300000u) << c.name;
    EXPECT_EQ(spool.file_bytes(), c.in_file ? 1200000u : 0u) << c.name;
    // No name in the folder: nothing can be left behind.
    EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << c.name;
    const auto ids = spool.Map();
    ASSERT_TRUE(ids.ok()) << c.name;
    EXPECT_TRUE(
        std::equal(ids->begin(), ids->end(), Numbers(0, 300000).begin()))
        << c.name;
  }
}

TEST(TokenSpoolTest, ItsStreamOutlivesIt) {
  const TempFolder folder;
  for (const Case& c : kCases) {
    std::shared_ptr<const TokenStream> stream;
    {
      TokenSpool spool(c.memory_bytes, folder.path());
      ASSERT_TRUE(spool.Append(Numbers(0, 300000)).ok());
      const auto ids = spool.Map();
      ASSERT_TRUE(ids.ok());
      (*ids)[1] = 77;
      const auto finished = spool.TakeStream(5000, 4000);
      ASSERT_TRUE(finished.ok()) << finished.status();
      stream = *finished;
    }
    EXPECT_EQ(stream->num_words(), 4000u);
    ASSERT_EQ(stream->tokens().size(), 5000u);
    EXPECT_EQ(stream->tokens()[1], 77u);
    EXPECT_EQ(stream->tokens()[4999], 4999u);
  }
}

TEST(TokenSpoolTest, NamesAMissingFolder) {
  TokenSpool spool(0, "/no/such/folder");
  const absl::Status status = spool.Append(Numbers(0, 10));
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(status.message(), HasSubstr("/no/such/folder: "));
}

// In a child, whose files may not grow beyond 100,000 bytes.
TEST(TokenSpoolTest, AFullDiskIsAnError) {
  const TempFolder folder;
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {100000, 100000};
    setrlimit(RLIMIT_FSIZE, &limit);
    TokenSpool spool(0, folder.path());
    absl::Status status;
    for (int i = 0; i < 100 && status.ok(); ++i) {
      status = spool.Append(Numbers(0, 1000));
    }
    _exit(status.code() == absl::StatusCode::kResourceExhausted ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

}  // namespace
}  // namespace firth
