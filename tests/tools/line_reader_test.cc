#include "tools/cli/line_reader.h"

#include <sys/stat.h>

#include <cstdlib>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/temp_files.h"

namespace firth::tools {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::string Numbers(int begin, int end) {
  std::string lines;
  for (int i = begin; i < end; ++i) lines += std::to_string(i) + "\n";
  return lines;
}

TEST(LineHistoryTest, KeepsTheLastThousandLines) {
  const TempFolder folder;
  const std::string path = folder.Write("history", Numbers(0, 999));
  {
    LineHistory history(path);
    for (const char* line : {"999", "1000", "1001"}) history.Add(line);
    EXPECT_THAT(history.Lines(), SizeIs(1000));
    EXPECT_EQ(history.Lines().front(), "2");
  }
  EXPECT_EQ(ReadWholeFile(path), Numbers(2, 1002));
}

TEST(LineHistoryTest, SessionsAtTheSameTimeKeepEachOthersLines) {
  const TempFolder folder;
  const std::string path = folder.File("a/b/history");
  {
    LineHistory first(path), second(path);
    first.Add("one");
    second.Add("two");
    first.Add("three");
  }
  EXPECT_THAT(LineHistory(path).Lines(), ElementsAre("one", "two", "three"));
}

TEST(LineHistoryTest, OnlyItsOwnerReadsIt) {
  const TempFolder folder;
  const std::string path = folder.File("state/history");
  const auto mode = [](const std::string& of) {
    struct stat found {};
    EXPECT_EQ(stat(of.c_str(), &found), 0) << of;
    return found.st_mode & 0777;
  };
  LineHistory(path).Add("line");
  EXPECT_EQ(mode(path), 0600u);
  EXPECT_EQ(mode(folder.File("state")), 0700u);
  chmod(path.c_str(), 0644);
  LineHistory(path).Add("line");
  EXPECT_EQ(mode(path), 0600u);
}

TEST(LineHistoryTest, WhatIsNoFileIsLeftAlone) {
  const TempFolder folder;
  const std::string pipe = folder.File("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0644), 0);
  for (const std::string& path :
       {pipe, folder.path(), std::string("/dev/full"), std::string()}) {
    LineHistory history(path);
    history.Add("line");
    EXPECT_THAT(history.Lines(), IsEmpty()) << path;
  }
}

TEST(LineHistoryTest, LiesWhereTheSpecificationSays) {
  const std::string home = std::getenv("HOME") ? std::getenv("HOME") : "";
  setenv("HOME", "/home/x", 1);
  setenv("XDG_STATE_HOME", "/state", 1);
  EXPECT_EQ(HistoryPath(), "/state/firth/history");
  // Paths that are not absolute are ignored.
  for (const char* state : {"", "state"}) {
    setenv("XDG_STATE_HOME", state, 1);
    EXPECT_EQ(HistoryPath(), "/home/x/.local/state/firth/history");
  }
  unsetenv("XDG_STATE_HOME");
  unsetenv("HOME");
  EXPECT_EQ(HistoryPath(), "");
  if (!home.empty()) setenv("HOME", home.c_str(), 1);
}

TEST(CompletionListTest, FillsLinesAndCountsTheRest) {
  const Completions found{5, "", {"abcd", "\u65e5\u672c", "e"}};
  EXPECT_EQ(CompletionList(found, 10), "abcd  \u65e5\u672c\ne\n... 2 more\n");
  EXPECT_EQ(CompletionList(found, 80), "abcd  \u65e5\u672c  e  ... 2 more\n");
  EXPECT_EQ(CompletionList({1, "", {"longer than that"}}, 3),
            "longer than that\n");
}

}  // namespace
}  // namespace firth::tools
