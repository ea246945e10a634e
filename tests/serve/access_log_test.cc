// The access log where nobody reads it.

#include "tools/serve/access_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/run_program.h"
#include "support/temp_files.h"
#include "tools/cli/json.h"

namespace firth::tools {
namespace {

// What there is to read of a pipe that does not wait.
std::string Drain(int fd) {
  std::string text;
  char piece[4096];
  for (ssize_t n; (n = read(fd, piece, sizeof(piece))) > 0;) {
    text.append(piece, static_cast<size_t>(n));
  }
  return text;
}

TEST(AccessLogTest, DropsAndCountsLinesThatAFullPipeDoesNotTake) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
  // Opened anew it waits, as standard error would.
  auto log = AccessLog::Open(absl::StrCat("/proc/self/fd/", ends[1]));
  ASSERT_TRUE(log.ok()) << log.status();
  const std::string fill(4096, '.');
  while (write(ends[1], fill.data(), fill.size()) > 0) continue;
  Served served;
  served.path = "/lost";
  log->Write(served);
  log->Write(served);
  EXPECT_THAT(Drain(ends[0]), testing::Not(testing::HasSubstr("/lost")));
  served.path = "/kept";
  log->Write(served);
  EXPECT_THAT(
      Drain(ends[0]),
      testing::AllOf(testing::HasSubstr(" /kept 0 0 0.0 ms\n"),
                     testing::EndsWith("(2 earlier lines were lost)\n")));
  close(ends[0]);
  close(ends[1]);
}

TEST(AccessLogTest, ContinuesInANewFileAfterTheOldOneIsRenamed) {
  const TempFolder folder;
  const std::string path = folder.File("log");
  auto log = AccessLog::Open(path);
  ASSERT_TRUE(log.ok()) << log.status();
  Served served;
  served.path = "/before";
  log->Write(served);
  std::filesystem::rename(path, folder.File("old"));
  ASSERT_TRUE(log->Reopen().ok());
  served.path = "/after";
  log->Write(served);
  EXPECT_THAT(ReadWholeFile(folder.File("old")),
              testing::HasSubstr(" /before "));
  EXPECT_THAT(ReadWholeFile(path),
              testing::AllOf(testing::HasSubstr(" /after "),
                             testing::Not(testing::HasSubstr("/before"))));
  // A file that cannot be opened leaves the log where it is.
  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  EXPECT_THAT(log->Reopen().message(), testing::HasSubstr("cannot append"));
  EXPECT_TRUE(AccessLog::Open("off")->Reopen().ok());
}

TEST(AccessLogTest, HasTheFormsThatOtherProgramsRead) {
  const TempFolder folder;
  Served served;
  served.client = "192.0.2.1";
  served.method = "POST";
  served.path = "/api/v1/\"x\"";
  served.status = 200;
  served.bytes = 12;
  served.seconds = 0.25;
  const auto line = [&](AccessLogForm form) {
    const std::string path = folder.File(absl::StrCat(static_cast<int>(form)));
    auto log = AccessLog::Open(path, form);
    EXPECT_TRUE(log.ok()) << log.status();
    log->Write(served);
    return ReadWholeFile(path);
  };
  EXPECT_THAT(line(AccessLogForm::kCommon),
              testing::MatchesRegex(
                  "192\\.0\\.2\\.1 - - \\[[0-9]+/[A-Z][a-z]+/[0-9]+:[0-9:]+ "
                  "\\+0000\\] \"POST /api/v1/%22x%22 HTTP/1.1\" 200 12\n"));
  const Json json = Json::parse(line(AccessLogForm::kJson));
  EXPECT_EQ(json["client"], "192.0.2.1");
  EXPECT_EQ(json["path"], served.path);
  EXPECT_EQ(json["status"], 200);
  EXPECT_EQ(json["bytes"], 12);
  EXPECT_EQ(json["seconds"], 0.25);
}

}  // namespace
}  // namespace firth::tools
