#include "base/output_file.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>

#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/temp_files.h"

namespace firth {
namespace {

using testing::HasSubstr;

size_t FilesIn(const TempFolder& folder) {
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    static_cast<void>(entry);
    ++files;
  }
  return files;
}

mode_t ModeOf(const std::string& path) {
  struct stat info;
  EXPECT_EQ(stat(path.c_str(), &info), 0);
  return info.st_mode & 0777;
}

TEST(OutputFileTest, AppearsWholeAtCommit) {
  const TempFolder folder;
  const std::string path = folder.File("out");
  auto file = OutputFile::Create(path);
  ASSERT_TRUE(file.ok()) << file.status();
  ASSERT_TRUE(file->Write("some ").ok());
  const std::string large(3 << 20, 'x');
  ASSERT_TRUE(file->Write(large).ok());
  ASSERT_TRUE(file->Write("end").ok());
  EXPECT_EQ(file->position(), large.size() + 8);
  EXPECT_FALSE(std::filesystem::exists(path));
  ASSERT_TRUE(file->Commit().ok());
  EXPECT_EQ(ReadWholeFile(path), "some " + large + "end");
  EXPECT_EQ(FilesIn(folder), 1u);
}

// Standard output is this file for as long as the object lives.
class RedirectedOutput {
 public:
  explicit RedirectedOutput(int fd) : saved_(dup(STDOUT_FILENO)) {
    fflush(stdout);
    dup2(fd, STDOUT_FILENO);
  }
  ~RedirectedOutput() {
    dup2(saved_, STDOUT_FILENO);
    close(saved_);
  }

 private:
  int saved_;
};

absl::Status WriteToStandardOutput(absl::string_view text) {
  FIRTH_ASSIGN_OR_RETURN(OutputFile file, OutputFile::Create("/dev/stdout"));
  FIRTH_RETURN_IF_ERROR(file.Write(text));
  return file.Commit();
}

TEST(OutputFileTest, StandardOutputMayBeAPipe) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  absl::Status status;
  {
    const RedirectedOutput redirected(ends[1]);
    status = WriteToStandardOutput("text");
  }
  EXPECT_TRUE(status.ok()) << status;
  close(ends[1]);
  char text[8];
  EXPECT_EQ(read(ends[0], text, sizeof(text)), 4);
  EXPECT_EQ(absl::string_view(text, 4), "text");
  close(ends[0]);
}

TEST(OutputFileTest, StandardOutputIsWrittenWhereTheShellHasItOpen) {
  const TempFolder folder;
  const std::string path = folder.Write("out", "");
  const int fd = open(path.c_str(), O_WRONLY);
  ASSERT_GE(fd, 0);
  {
    const RedirectedOutput redirected(fd);
    EXPECT_EQ(write(fd, "others, ", 8), 8);
    EXPECT_TRUE(WriteToStandardOutput("first, ").ok());
    EXPECT_TRUE(WriteToStandardOutput("second").ok());
  }
  close(fd);
  EXPECT_EQ(ReadWholeFile(path), "others, first, second");
}

TEST(OutputFileTest, LeavesTheOldFileWithoutCommit) {
  const TempFolder folder;
  const std::string path = folder.Write("out", "old");
  {
    auto file = OutputFile::Create(path);
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(file->Write("new").ok());
    const OutputFile moved = *std::move(file);
    EXPECT_EQ(moved.position(), 3u);
  }
  EXPECT_EQ(ReadWholeFile(path), "old");
  EXPECT_EQ(FilesIn(folder), 1u);
}

TEST(OutputFileTest, HasTheModeOfWhatItReplacesOrOfTheMask) {
  const TempFolder folder;
  const std::string old_path = folder.Write("old", "old");
  chmod(old_path.c_str(), 0640);
  const mode_t mask = umask(027);
  for (const char* name : {"old", "new"}) {
    auto file = OutputFile::Create(folder.File(name));
    ASSERT_TRUE(file.ok() && file->Write("x").ok() && file->Commit().ok());
  }
  umask(mask);
  EXPECT_EQ(ModeOf(old_path), 0640u);
  EXPECT_EQ(ModeOf(folder.File("new")), 0640u);
}

TEST(OutputFileTest, ReplacesWhatALinkPointsTo) {
  const TempFolder folder;
  const std::string target = folder.Write("real/target", "old");
  std::filesystem::create_symlink("real/target", folder.File("link"));
  auto file = OutputFile::Create(folder.File("link"));
  ASSERT_TRUE(file.ok() && file->Write("new").ok() && file->Commit().ok());
  EXPECT_TRUE(std::filesystem::is_symlink(folder.File("link")));
  EXPECT_EQ(ReadWholeFile(target), "new");
}

TEST(OutputFileTest, WritesToPipesDirectly) {
  const TempFolder folder;
  const std::string fifo = folder.File("fifo");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  std::string read;
  std::thread reader([&] { read = ReadWholeFile(fifo); });
  auto file = OutputFile::Create(fifo);
  const bool done =
      file.ok() && file->Write("through").ok() && file->Commit().ok();
  reader.join();
  EXPECT_TRUE(done);
  EXPECT_EQ(read, "through");
}

TEST(OutputFileTest, SaysWhyItCannotBeCreated) {
  const TempFolder folder;
  const auto missing = OutputFile::Create("/no/such/folder/out");
  EXPECT_EQ(missing.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(missing.status().message(), HasSubstr("\"/no/such/folder\""));
  const auto is_folder = OutputFile::Create(folder.path());
  EXPECT_EQ(is_folder.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(CheckCreatable(folder.File("out")).ok());
  EXPECT_EQ(FilesIn(folder), 0u);
  EXPECT_FALSE(CheckCreatable("/no/such/folder/out").ok());
}

// In a child, whose files may not grow beyond 2 MiB.
TEST(OutputFileTest, AFullDiskIsAnErrorAndTheOldFileStays) {
  const TempFolder folder;
  const std::string path = folder.Write("out", "old");
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {2 << 20, 2 << 20};
    setrlimit(RLIMIT_FSIZE, &limit);
    bool as_expected = false;
    {
      auto file = OutputFile::Create(path);
      const std::string megabyte(1 << 20, 'x');
      for (int i = 0; i < 4 && file.ok(); ++i) {
        static_cast<void>(file->Write(megabyte));
      }
      as_expected = file.ok() && file->Commit().code() ==
                                     absl::StatusCode::kResourceExhausted;
    }
    _exit(as_expected ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(ReadWholeFile(path), "old");
  EXPECT_EQ(FilesIn(folder), 1u);
}

}  // namespace
}  // namespace firth
