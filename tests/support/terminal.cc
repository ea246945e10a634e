#include "support/terminal.h"

#include <fcntl.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "gtest/gtest.h"
#include "support/run_program.h"

namespace firth {
namespace {

std::vector<char*> Pointers(std::vector<std::string>* texts) {
  std::vector<char*> pointers;
  for (std::string& text : *texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Of two settings of a variable, the first holds.
std::vector<std::string> Environment(std::vector<std::string> first) {
  for (const char* const known :
       {"TERM=xterm", "LC_ALL=C.UTF-8", "NO_COLOR="}) {
    first.emplace_back(known);
  }
  for (char** variable = environ; *variable != nullptr; ++variable) {
    first.emplace_back(*variable);
  }
  return first;
}

}  // namespace

FirthAtTerminal::FirthAtTerminal(const std::vector<std::string>& arguments,
                                 const std::vector<std::string>& environment) {
  std::vector<std::string> all = {ProgramPath()};
  all.insert(all.end(), arguments.begin(), arguments.end());
  std::vector<std::string> variables = Environment(environment);
  const std::vector<char*> argv = Pointers(&all);
  const std::vector<char*> envp = Pointers(&variables);
  const winsize size = {
      .ws_row = 24, .ws_col = 80, .ws_xpixel = 0, .ws_ypixel = 0};
  pid_ = forkpty(&fd_, nullptr, nullptr, &size);
  if (pid_ == 0) {
    execve(argv[0], argv.data(), envp.data());
    _exit(127);
  }
  EXPECT_GT(pid_, 0);
  fcntl(fd_, F_SETFL, O_NONBLOCK);
}

FirthAtTerminal::~FirthAtTerminal() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  close(fd_);
}

void FirthAtTerminal::Type(const std::string& keys) const {
  EXPECT_EQ(write(fd_, keys.data(), keys.size()),
            static_cast<ssize_t>(keys.size()));
}

bool FirthAtTerminal::Read() {
  for (;;) {
    char buffer[4096];
    const ssize_t size = read(fd_, buffer, sizeof(buffer));
    if (size <= 0) return size < 0 && errno == EAGAIN;
    shown_.append(buffer, static_cast<size_t>(size));
  }
}

bool FirthAtTerminal::Shows(const std::string& text) {
  bool runs = true;
  size_t place = shown_.npos;
  const bool decided = Eventually([&] {
    runs = Read();
    place = shown_.find(text, seen_);
    return place != shown_.npos || !runs;
  });
  if (!decided || place == shown_.npos) return false;
  seen_ = place + text.size();
  return true;
}

int FirthAtTerminal::WaitForEnd() {
  if (!Eventually([this] { return !Read(); })) return -1;
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace firth
