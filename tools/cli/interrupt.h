// Ctrl-C, asked politely first.

#ifndef FIRTH_TOOLS_CLI_INTERRUPT_H_
#define FIRTH_TOOLS_CLI_INTERRUPT_H_

#include <atomic>

#include "absl/strings/string_view.h"
#include "command.h"

namespace firth::tools {

// While one lives, the first SIGINT, SIGTERM or SIGHUP only sets a flag; the
// next SIGINT or SIGTERM ends the program as usual. A closed pipe at standard
// error does not end it either: hours of work are worth more than a progress
// line. One at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  // For Hooks::stop.
  const std::atomic<bool>* flag() const;
  bool Interrupted() const { return flag()->load(std::memory_order_relaxed); }
};

// Prints the message and returns the exit code of an interrupted command.
ExitCode EndInterrupted(
    absl::string_view message = "interrupted; nothing was written");

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_CLI_INTERRUPT_H_
