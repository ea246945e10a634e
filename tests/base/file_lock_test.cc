#include "base/temporary_files.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/temp_files.h"

namespace firth {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

TEST(FileLockTest, OneAtATimeAndNothingStays) {
  const TempFolder folder;
  const std::string path = folder.File(".lock");
  {
    const auto one = FileLock::Take(path, "saved");
    ASSERT_TRUE(one.ok()) << one.status();
    const auto other = FileLock::Take(path, "saved");
    EXPECT_EQ(other.status().code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(std::string(other.status().message()),
                AllOf(testing::StartsWith("saved: "),
                      HasSubstr("another training run")));
    EXPECT_TRUE(fs::exists(path));
  }
  EXPECT_FALSE(fs::exists(path));
  EXPECT_TRUE(FileLock::Take(path, "saved").ok());
}

TEST(FileLockTest, AProcessThatIsKilledLetsGo) {
  const TempFolder folder;
  const std::string path = folder.File(".lock");
  int taken[2];
  ASSERT_EQ(pipe(taken), 0);
  const pid_t child = fork();
  if (child == 0) {
    const auto lock = FileLock::Take(path, "saved");
    if (write(taken[1], "1", 1) != 1) _exit(1);
    for (;;) pause();
  }
  close(taken[1]);
  char byte;
  ASSERT_EQ(read(taken[0], &byte, 1), 1);
  close(taken[0]);
  EXPECT_FALSE(FileLock::Take(path, "saved").ok());
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(fs::exists(path));
  EXPECT_TRUE(FileLock::Take(path, "saved").ok());
  EXPECT_FALSE(fs::exists(path));
}

TEST(FileLockTest, WhatIsNotEmptyStays) {
  const TempFolder folder;
  const std::string path = folder.Write(".lock", "mine");
  EXPECT_TRUE(FileLock::Take(path, "saved").ok());
  EXPECT_EQ(ReadWholeFile(path), "mine");
}

// Somebody removed the file of a lock that is held, and another came.
TEST(FileLockTest, AnothersFileIsNotRemoved) {
  const TempFolder folder;
  const std::string path = folder.File(".lock");
  auto first = FileLock::Take(path, "saved");
  ASSERT_TRUE(first.ok());
  fs::remove(path);
  const auto second = FileLock::Take(path, "saved");
  ASSERT_TRUE(second.ok());
  first->reset();
  EXPECT_TRUE(fs::exists(path));
}

TEST(FileLockTest, OddThingsAreErrorsOrHarmless) {
  const TempFolder folder;
  EXPECT_THAT(
      std::string(
          FileLock::Take(folder.File("no/.lock"), "saved").status().message()),
      AllOf(HasSubstr("saved: cannot make the lock file"),
            HasSubstr("no/.lock")));
  const std::string link = folder.File("link");
  fs::create_symlink(link, link);
  EXPECT_FALSE(FileLock::Take(link, "saved").ok());
  const std::string pipe = folder.File("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_TRUE(FileLock::Take(pipe, "saved").ok());
  EXPECT_TRUE(fs::exists(pipe));
}

}  // namespace
}  // namespace firth
