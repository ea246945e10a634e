#include "base/output_file.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <string>
#include <thread>
#include <utility>

#include "absl/strings/string_view.h"
#include "firth/status_macros.h"
#include "firth/text_file.h"
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

TEST(OutputFileTest, FilesThatBelongTogetherAppearTogether) {
  const TempFolder folder;
  const std::string paths[] = {folder.File("a"), folder.File("b")};
  for (const std::string& path : paths) {
    auto old = OutputFile::Create(path);
    ASSERT_TRUE(old.ok() && old->Write("old").ok() && old->Commit().ok());
  }
  auto a = OutputFile::Create(paths[0]);
  auto b = OutputFile::Create(paths[1]);
  ASSERT_TRUE(a.ok() && a->Write("new").ok());
  ASSERT_TRUE(b.ok() && b->Write("new").ok());
  ASSERT_EQ(OutputFile::CommitAll({&*a, &*b}), absl::OkStatus());
  for (const std::string& path : paths) EXPECT_EQ(ReadWholeFile(path), "new");
  EXPECT_EQ(FilesIn(folder), 2u);
}

// Where one of them cannot be written, the others stay as they were.
TEST(OutputFileTest, FilesThatBelongTogetherStayTogether) {
  const TempFolder folder;
  const std::string path = folder.File("a");
  auto old = OutputFile::Create(path);
  ASSERT_TRUE(old.ok() && old->Write("old").ok() && old->Commit().ok());
  auto a = OutputFile::Create(path);
  auto full = OutputFile::Create("/dev/full");
  ASSERT_TRUE(a.ok() && a->Write("new").ok());
  ASSERT_TRUE(full.ok());
  static_cast<void>(full->Write("new"));
  EXPECT_FALSE(OutputFile::CommitAll({&*a, &*full}).ok());
  EXPECT_EQ(ReadWholeFile(path), "old");
}

// Nor does one appear that was not there.
TEST(OutputFileTest, FilesThatBelongTogetherStayAwayTogether) {
  const TempFolder folder;
  auto a = OutputFile::Create(folder.File("a"));
  auto full = OutputFile::Create("/dev/full");
  ASSERT_TRUE(a.ok() && a->Write("new").ok());
  ASSERT_TRUE(full.ok());
  static_cast<void>(full->Write("new"));
  EXPECT_FALSE(OutputFile::CommitAll({&*a, &*full}).ok());
  EXPECT_EQ(FilesIn(folder), 0u);
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

TEST(OutputFileTest, AReadOnlyFileStays) {
  const TempFolder folder;
  const std::string path = folder.Write("old", "old");
  std::filesystem::create_symlink("old", folder.File("link"));
  chmod(path.c_str(), 0444);
  for (const char* name : {"old", "link"}) {
    const absl::Status status = OutputFile::Create(folder.File(name)).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied);
    EXPECT_THAT(std::string(status.message()),
                HasSubstr(std::string(name) + ": the file is read-only"));
    EXPECT_EQ(CheckWritable(folder.File(name)).code(),
              absl::StatusCode::kPermissionDenied);
  }
  EXPECT_EQ(ReadWholeFile(path), "old");
  EXPECT_EQ(ModeOf(path), 0444u);
  chmod(path.c_str(), 0644);
  EXPECT_TRUE(OutputFile::Create(path).ok());
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
  EXPECT_TRUE(CheckWritable(folder.File("out")).ok());
  EXPECT_EQ(FilesIn(folder), 0u);
  EXPECT_FALSE(CheckWritable("/no/such/folder/out").ok());
}

// Whether this holds in a child process, which it may change or end.
template <class Function>
int StatusOfChild(const Function& holds) {
  const pid_t child = fork();
  if (child == 0) _exit(holds() ? 0 : 1);
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

bool HasUnnamedFiles(const TempFolder& folder) {
  const int fd = open(folder.path().c_str(), O_TMPFILE | O_RDWR, 0600);
  if (fd >= 0) close(fd);
  return fd >= 0;
}

TEST(OutputFileTest, NothingIsLeftOfAKilledProcess) {
  const TempFolder folder;
  if (!HasUnnamedFiles(folder)) GTEST_SKIP() << "no O_TMPFILE here";
  const int status = StatusOfChild([&folder] {
    auto file = OutputFile::Create(folder.File("out"));
    const bool written =
        file.ok() && file->Write(std::string(3 << 20, 'x')).ok();
    if (written) kill(getpid(), SIGKILL);
    return false;
  });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
  EXPECT_EQ(FilesIn(folder), 0u);
}

// System calls of this process fail, of those with these bits in the argument.
bool FailSystemCalls(uint32_t number, uint32_t argument, uint32_t bits,
                     uint32_t error) {
  const auto place = static_cast<uint32_t>(offsetof(seccomp_data, args) +
                                           argument * sizeof(uint64_t));
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 4),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, place),
      BPF_STMT(BPF_ALU | BPF_AND | BPF_K, bits),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, bits, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog program = {std::size(filter), filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

bool WritesOldAndNew(const TempFolder& folder) {
  for (const char* name : {"old", "new"}) {
    auto file = OutputFile::Create(folder.File(name));
    if (!file.ok() || !file->Write("text").ok() || !file->Commit().ok() ||
        ReadWholeFile(folder.File(name)) != "text") {
      return false;
    }
  }
  return FilesIn(folder) == 2 && (ModeOf(folder.File("old")) == 0640);
}

struct LackingCase {
  const char* name;
  uint32_t call;
  uint32_t argument;
  uint32_t bits;
  uint32_t error;
};

TEST(OutputFileTest, WorksWhereTheSystemLacksSomething) {
  const LackingCase cases[] = {
      {"files without a name", SYS_openat, 2, O_TMPFILE, EOPNOTSUPP},
      {"links to files", SYS_linkat, 0, 0, EPERM}};
  for (const LackingCase& lacking : cases) {
    SCOPED_TRACE(lacking.name);
    const TempFolder folder;
    chmod(folder.Write("old", "old").c_str(), 0640);
    EXPECT_EQ(StatusOfChild([&] {
                return FailSystemCalls(lacking.call, lacking.argument,
                                       lacking.bits, lacking.error) &&
                       WritesOldAndNew(folder);
              }),
              0);
  }
}

TEST(OutputFileTest, NamesMayBeAsLongAsTheyCan) {
  const TempFolder folder;
  const std::string path = folder.File(std::string(255, 'n'));
  for (const char* text : {"first", "second"}) {
    auto file = OutputFile::Create(path);
    ASSERT_TRUE(file.ok() && file->Write(text).ok());
    EXPECT_EQ(file->Commit(), absl::OkStatus());
    EXPECT_EQ(ReadWholeFile(path), text);
  }
  EXPECT_EQ(FilesIn(folder), 1u);
}

// In a child, whose files may not grow beyond 2 MiB.
TEST(OutputFileTest, AFullDiskIsAnErrorAndTheOldFileStays) {
  const TempFolder folder;
  const std::string path = folder.Write("out", "old");
  const int status = StatusOfChild([&path] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {2 << 20, 2 << 20};
    setrlimit(RLIMIT_FSIZE, &limit);
    auto file = OutputFile::Create(path);
    const std::string megabyte(1 << 20, 'x');
    for (int i = 0; i < 4 && file.ok(); ++i) {
      static_cast<void>(file->Write(megabyte));
    }
    return file.ok() &&
           file->Commit().code() == absl::StatusCode::kResourceExhausted;
  });
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(ReadWholeFile(path), "old");
  EXPECT_EQ(FilesIn(folder), 1u);
}

// Its reader may come later, and must not read an end.
TEST(OutputFileTest, APipeIsNotOpenedBeforeItIsWritten) {
  const TempFolder folder;
  const std::string pipe = folder.File("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_TRUE(CheckWritable(pipe).ok());
}

}  // namespace
}  // namespace firth
