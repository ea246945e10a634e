#include "cli/interrupt.h"

#include <csignal>

#include "cli/console.h"

namespace firth::tools {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);  // for the handler

void OnSignal(int);

// A signal that was ignored all along stays ignored.
void Restore(int signal) {
  struct sigaction now = {};
  sigaction(signal, nullptr, &now);
  if (now.sa_handler == &OnSignal) std::signal(signal, SIG_DFL);
}

// A closed terminal sends SIGHUP more than once, by the shell and by the
// kernel: that is no second wish to end.
void OnSignal(int) {
  interrupted.store(true, std::memory_order_relaxed);
  for (const int signal : kSignals) {
    if (signal != SIGHUP) Restore(signal);
  }
}

}  // namespace

InterruptGuard::InterruptGuard() {
  interrupted.store(false, std::memory_order_relaxed);
  struct sigaction action = {};
  action.sa_handler = &OnSignal;
  sigemptyset(&action.sa_mask);
  // Not SA_RESTART: a read that waits for a pipe must notice.
  for (const int signal : kSignals) {
    struct sigaction old = {};
    sigaction(signal, nullptr, &old);
    // nohup ignores SIGHUP, background jobs of a shell ignore SIGINT; that
    // stays so.
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

}  // namespace firth::tools
