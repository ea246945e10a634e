#include "support/run_program.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/rng.h"

namespace firth {
namespace {

// 0 when it has ended.
uint64_t PeakBytes(pid_t process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  std::string word;
  while (status >> word && word != "VmHWM:") continue;
  uint64_t kib = 0;
  return status >> kib ? kib * 1024 : 0;
}

void Redirect(const std::string& path, int flags, int to) {
  const int fd = open(path.c_str(), flags, 0600);
  if (fd < 0 || dup2(fd, to) < 0) _exit(127);
  close(fd);
}

// In the child, between fork and exec.
[[noreturn]] void BecomeFirth(const std::string& folder,
                              const std::vector<char*>& argv,
                              const ProgramOptions& options) {
  Redirect(options.input_path.empty() ? folder + "/in" : options.input_path,
           O_RDONLY, STDIN_FILENO);
  Redirect(folder + "/out", O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
  Redirect(folder + "/err", O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
  // Shells start background jobs with SIGINT ignored.
  for (const int signal : {SIGHUP, SIGINT, SIGTERM, SIGPIPE}) {
    std::signal(signal, SIG_DFL);
  }
  if (options.file_size_limit > 0) {
    const rlimit limit{options.file_size_limit, options.file_size_limit};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  if (options.address_limit > 0) {
    const rlimit limit{options.address_limit, options.address_limit};
    setrlimit(RLIMIT_AS, &limit);
  }
  execv(argv[0], argv.data());
  _exit(127);
}

}  // namespace

bool Eventually(const std::function<bool()>& done) {
  constexpr std::chrono::minutes kPatience{5};
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!done()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

std::string ProgramPath() {
  const char* path = std::getenv("FIRTH_PROGRAM");
  return path == nullptr ? "" : path;
}

RunningFirth::RunningFirth(const std::vector<std::string>& arguments,
                           const ProgramOptions& options)
    : folder_(MakeTestFolder()) {
  WriteWholeFile(folder_ + "/in", options.input);
  WriteWholeFile(folder_ + "/err", "");
  std::string program = ProgramPath();
  std::vector<std::string> copies = arguments;
  std::vector<char*> argv = {program.data()};
  for (std::string& copy : copies) argv.push_back(copy.data());
  argv.push_back(nullptr);
  pid_ = fork();
  if (pid_ == 0) BecomeFirth(folder_, argv, options);
}

RunningFirth::~RunningFirth() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  std::filesystem::remove_all(folder_);
}

void RunningFirth::Signal(int signal) const {
  if (pid_ > 0) kill(pid_, signal);
}

std::string RunningFirth::ErrorsSoFar() const {
  return ReadWholeFile(folder_ + "/err");
}

std::string RunningFirth::OutputSoFar() const {
  return ReadWholeFile(folder_ + "/out");
}

bool RunningFirth::WaitForError(const std::string& text) const {
  return Eventually(
      [&] { return ErrorsSoFar().find(text) != std::string::npos; });
}

bool RunningFirth::WaitForOutput() const {
  return Eventually([&] { return !OutputSoFar().empty(); });
}

Outcome RunningFirth::Wait() {
  Outcome outcome;
  const bool ended = Eventually([&] {
    // The last one: the first may be of what was there before the program.
    if (const uint64_t peak = PeakBytes(pid_); peak > 0) {
      outcome.peak_bytes = peak;
    }
    siginfo_t info = {};
    return pid_ <= 0 ||
           waitid(P_PID, static_cast<id_t>(pid_), &info,
                  WEXITED | WNOHANG | WNOWAIT) != 0 ||
           info.si_pid == pid_;
  });
  if (!ended) Signal(SIGKILL);
  int status = 0;
  if (pid_ <= 0 || waitpid(pid_, &status, 0) != pid_) {
    ADD_FAILURE() << "cannot run the program";
    return outcome;
  }
  pid_ = -1;
  outcome.code =
      WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.out = OutputSoFar();
  outcome.err = ErrorsSoFar();
  return outcome;
}

Outcome RunFirth(const std::vector<std::string>& arguments,
                 const ProgramOptions& options) {
  return RunningFirth(arguments, options).Wait();
}

PipeWriter::PipeWriter(const std::string& path) {
  EXPECT_TRUE(Eventually([&] {
    fd_ = open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    return fd_ >= 0;
  })) << "nobody reads "
      << path;
}

PipeWriter::~PipeWriter() { close(fd_); }

void PipeWriter::Write(const std::string& text) const {
  EXPECT_EQ(write(fd_, text.data(), text.size()),
            static_cast<ssize_t>(text.size()));
}

std::string MakeTestFolder() {
  std::string folder = testing::TempDir() + "/firth-test-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) {
    ADD_FAILURE() << "cannot create " << folder;
  }
  return folder;
}

void WriteWholeFile(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::string TwoTopicText(int lines) {
  const std::vector<std::string> topics[] = {
      {"cat", "dog", "horse", "cow", "sheep", "goat", "duck", "hen"},
      {"hammer", "saw", "drill", "plane", "chisel", "wrench", "file", "vise"}};
  constexpr int kWordsPerLine = 8;
  Rng rng(7);
  std::string text;
  for (int line = 0; line < lines; ++line) {
    const auto& topic = topics[line % 2];
    for (int i = 0; i < kWordsPerLine; ++i) {
      text += topic[rng.Below(static_cast<uint32_t>(topic.size()))];
      text += i + 1 < kWordsPerLine ? ' ' : '\n';
    }
  }
  return text;
}

void ProgramTest::SetUp() {
  if (ProgramPath().empty()) GTEST_SKIP() << "FIRTH_PROGRAM is not set";
  folder_ = MakeTestFolder();
}

void ProgramTest::TearDown() {
  if (!folder_.empty()) std::filesystem::remove_all(folder_);
}

std::string ProgramTest::File(const std::string& name,
                              const std::string& text) const {
  WriteWholeFile(Path(name), text);
  return Path(name);
}

}  // namespace firth
