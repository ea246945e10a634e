// The handlers call only what a signal may interrupt. Each thread writes its
// own stack: nothing else can walk it.

#include "support/stuck_tests.h"

#include <dirent.h>
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "absl/debugging/symbolize.h"

namespace firth {
namespace {

constexpr unsigned kSeconds = 20 * 60;
constexpr int kMostFrames = 40;

char stuck_test[512];

void Write(const char* text) {
  if (write(STDERR_FILENO, text, strlen(text)) < 0) _exit(1);
}

void WriteStack(int) {
  void* frames[kMostFrames];
  const int count = backtrace(frames, kMostFrames);
  Write("a thread:\n");
  for (int i = 1; i < count; ++i) {
    char name[512];
    const bool known = absl::Symbolize(frames[i], name, sizeof(name));
    Write("  ");
    Write(known ? name : "?");
    Write("\n");
  }
}

// The kernel's threads of this process, as far as a buffer holds them.
void TellThreads() {
  const int folder = open("/proc/self/task", O_RDONLY | O_DIRECTORY);
  alignas(dirent64) char entries[1 << 14];
  const pid_t self = gettid();
  const auto bytes = syscall(SYS_getdents64, folder, entries, sizeof(entries));
  for (int64_t at = 0; at < bytes;) {
    const auto* const entry = reinterpret_cast<const dirent64*>(entries + at);
    at += entry->d_reclen;
    const int thread = atoi(entry->d_name);
    if (thread == 0 || thread == self) continue;
    syscall(SYS_tgkill, getpid(), thread, SIGUSR2);
    usleep(200'000);  // for it to write, before the next does
  }
}

void Tell(int) {
  Write("this test does not end: ");
  Write(stuck_test);
  Write("\n");
  WriteStack(0);
  TellThreads();
  abort();
}

}  // namespace

StuckTests::StuckTests() {
  absl::InitializeSymbolizer("/proc/self/exe");
  void* frame = nullptr;
  backtrace(&frame, 1);  // loads what it needs, which no handler may
  signal(SIGALRM, Tell);
  signal(SIGUSR2, WriteStack);
}

void StuckTests::OnTestStart(const testing::TestInfo& test) {
  snprintf(stuck_test, sizeof(stuck_test), "%s.%s", test.test_suite_name(),
           test.name());
  alarm(kSeconds);
}

void StuckTests::OnTestEnd(const testing::TestInfo&) { alarm(0); }

}  // namespace firth
