// The last messages are written by the handler of operator new and by a signal
// handler, without unwinding. The end of a training run may wait for threads
// that exchange values with other ranks, and would then wait forever.

#include "cli/interrupt.h"

#include <sys/uio.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <new>
#include <string>

#include "absl/strings/str_cat.h"
#include "cli/console.h"
#include "firth/mapped_files.h"

namespace firth::tools {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);  // For the handler.

void OnSignal(int);

// Restores the default action of a signal, unless the signal is ignored.
void Restore(int signal) {
  struct sigaction now = {};
  sigaction(signal, nullptr, &now);
  if (now.sa_handler == &OnSignal) std::signal(signal, SIG_DFL);
}

// A closed terminal sends SIGHUP more than once, from the shell and from the
// kernel. A second SIGHUP is therefore not a second request to end.
void OnSignal(int) {
  interrupted.store(true, std::memory_order_relaxed);
  for (const int signal : kSignals) {
    if (signal != SIGHUP) Restore(signal);
  }
}

// Set in advance, because a string needs memory.
std::string speaker;
Ranks* ranks_to_end = nullptr;

// A handler must not allocate, so the parts are written one after another.
void Say(absl::string_view about, absl::string_view message) {
  const absl::string_view parts[] = {"firth: ", about, message};
  iovec pieces[3];
  for (int i = 0; i < 3; ++i) {
    pieces[i] = {const_cast<char*>(parts[i].data()), parts[i].size()};
  }
  // An error is ignored, because it could not be reported.
  [[maybe_unused]] const ssize_t written = writev(STDERR_FILENO, pieces, 3);
}

void EndRanks() {
  // Only one of several threads without memory needs to end all ranks, and
  // ending them may require more memory.
  std::set_new_handler(nullptr);
  SayNoMemory();
  ranks_to_end->Abort();
  std::_Exit(static_cast<int>(ExitCode::kFailed));
}

void OnBusError(int signal, siginfo_t* info, void*) {
  const char* const path = MappedFileAt(info->si_addr);
  if (path != nullptr && info->si_code == BUS_ADRERR) {
    Say(path,
        ": the file can no longer be read, since it was shortened while in use "
        "or the disk failed; use a copy, or replace files by renaming\n");
    _exit(static_cast<int>(ExitCode::kFailed));
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);  // It is delivered after this handler has returned.
}

}  // namespace

InterruptGuard::InterruptGuard() {
  interrupted.store(false, std::memory_order_relaxed);
  struct sigaction action = {};
  action.sa_handler = &OnSignal;
  sigemptyset(&action.sa_mask);
  // Without SA_RESTART, a signal interrupts a read that waits for a pipe.
  for (const int signal : kSignals) {
    struct sigaction old = {};
    sigaction(signal, nullptr, &old);
    // nohup ignores SIGHUP, and background jobs of a shell ignore SIGINT.
    if (old.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
  std::signal(SIGPIPE, SIG_IGN);
}

InterruptGuard::~InterruptGuard() {
  for (const int signal : kSignals) Restore(signal);
  std::signal(SIGPIPE, SIG_DFL);
}

const std::atomic<bool>* InterruptGuard::flag() const { return &interrupted; }

ExitCode EndInterrupted(absl::string_view message) {
  PrintMessage(message);
  return ExitCode::kInterrupted;
}

void SayNoMemory() {
  Say(speaker,
      "out of memory; use a smaller --dim, fewer words (--min-count, "
      "--max-vocab) or fewer --threads\n");
}

NoMemoryEndsRanks::NoMemoryEndsRanks(Ranks& ranks) {
  if (ranks.size() == 1) return;
  speaker = absl::StrCat(RankName(ranks), ": ");
  ranks_to_end = &ranks;
  std::set_new_handler(EndRanks);
}

NoMemoryEndsRanks::~NoMemoryEndsRanks() {
  std::set_new_handler(nullptr);
  speaker.clear();
}

void EndWhenFileIsLost() {
  struct sigaction action = {};
  action.sa_sigaction = &OnBusError;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, &action, nullptr);
}

}  // namespace firth::tools
