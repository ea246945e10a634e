// The handler of the operator new speaks, as nothing has been unwound then:
// what the end of a training waits for, such as threads that exchange with
// other ranks, would wait for ever.

#include "cli/no_memory.h"

#include <sys/uio.h>
#include <unistd.h>

#include <cstdlib>
#include <new>
#include <string>

#include "absl/strings/str_cat.h"
#include "command.h"

namespace firth::tools {
namespace {

// Set before memory is wanting, as text takes some.
std::string speaker;
Ranks* ranks_to_end = nullptr;

void EndRanks() {
  // Of several threads without memory one is enough, and ending may want more.
  std::set_new_handler(nullptr);
  SayNoMemory();
  ranks_to_end->Abort();
  std::_Exit(static_cast<int>(ExitCode::kFailed));
}

}  // namespace

void SayNoMemory() {
  constexpr absl::string_view kCause =
      "out of memory; use a smaller --dim, fewer words (--min-count, "
      "--max-vocab) or fewer --threads\n";
  const absl::string_view parts[] = {"firth: ", speaker, kCause};
  iovec pieces[3];
  for (int i = 0; i < 3; ++i) {
    pieces[i] = {const_cast<char*>(parts[i].data()), parts[i].size()};
  }
  [[maybe_unused]] const ssize_t written = writev(STDERR_FILENO, pieces, 3);
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

}  // namespace firth::tools
