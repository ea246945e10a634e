// Ends the program early: with the results so far after Ctrl-C, and at once if
// there is no memory left or a file mapped into memory became shorter.

#ifndef FIRTH_TOOLS_CLI_INTERRUPT_H_
#define FIRTH_TOOLS_CLI_INTERRUPT_H_

#include <atomic>

#include "absl/strings/string_view.h"
#include "command.h"
#include "firth/ranks.h"

namespace firth::tools {

// During its lifetime, the first SIGINT, SIGTERM or SIGHUP only sets a flag.
// The next SIGINT or SIGTERM ends the program as usual. A closed pipe at
// standard error does not end the program, because hours of work are worth more
// than a progress line. Only one object may exist at a time.
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

// Writes to standard error that there is no memory left. Allocates nothing.
void SayNoMemory();

// During its lifetime, a process of several ranks that cannot allocate memory
// writes a message with its rank and ends all ranks, because the others would
// wait for it. Only one object may exist at a time.
class NoMemoryEndsRanks {
 public:
  explicit NoMemoryEndsRanks(Ranks& ranks);
  ~NoMemoryEndsRanks();
  NoMemoryEndsRanks(const NoMemoryEndsRanks&) = delete;
  NoMemoryEndsRanks& operator=(const NoMemoryEndsRanks&) = delete;
};

// Makes the program end with a message that contains the name of the file, and
// exit code 1, when it reads a byte of a mapped file that no longer exists. Any
// other SIGBUS ends it as before.
void EndWhenFileIsLost();

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_CLI_INTERRUPT_H_
