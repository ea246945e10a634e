// What the program says when there is no memory left.

#ifndef FIRTH_TOOLS_CLI_NO_MEMORY_H_
#define FIRTH_TOOLS_CLI_NO_MEMORY_H_

#include "firth/ranks.h"

namespace firth::tools {

// Writes so to standard error. Takes no memory itself.
void SayNoMemory();

// As long as it lives, a process of several ranks that gets no memory says so,
// with its rank, and ends all of them: the others wait for it, wherever it
// stands. One at a time.
class NoMemoryEndsRanks {
 public:
  explicit NoMemoryEndsRanks(Ranks& ranks);
  ~NoMemoryEndsRanks();
  NoMemoryEndsRanks(const NoMemoryEndsRanks&) = delete;
  NoMemoryEndsRanks& operator=(const NoMemoryEndsRanks&) = delete;
};

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_CLI_NO_MEMORY_H_
