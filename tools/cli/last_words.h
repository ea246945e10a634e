// Messages of a program that must end at once: it has no memory left, or a file
// that it has mapped into memory became shorter.

#ifndef FIRTH_TOOLS_CLI_LAST_WORDS_H_
#define FIRTH_TOOLS_CLI_LAST_WORDS_H_

#include "firth/ranks.h"

namespace firth::tools {

// Writes to standard error that there is no memory left. Allocates nothing.
void SayNoMemory();

// During its lifetime, a process of several ranks that gets no memory writes a
// message with its rank and ends all ranks, because the others would wait for
// it. Only one object may exist at a time.
class NoMemoryEndsRanks {
 public:
  explicit NoMemoryEndsRanks(Ranks& ranks);
  ~NoMemoryEndsRanks();
  NoMemoryEndsRanks(const NoMemoryEndsRanks&) = delete;
  NoMemoryEndsRanks& operator=(const NoMemoryEndsRanks&) = delete;
};

// From now on, reading a byte of a mapped file that no longer exists ends the
// program with a message that contains the name of the file, and exit code 1.
// Any other SIGBUS ends it as before.
void EndWhenFileIsLost();

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_CLI_LAST_WORDS_H_
