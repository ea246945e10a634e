// Messages are written by the handler of operator new and by a signal handler.
// Nothing has been unwound at that time: a training run may end by waiting, for
// example for threads that exchange values with other ranks, and would wait for
// ever.

#include "cli/last_words.h"

#include <sys/uio.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <new>
#include <string>

#include "absl/strings/str_cat.h"
#include "command.h"
#include "firth/mapped_files.h"

namespace firth::tools {
namespace {

// Set before memory is scarce, because a text needs some.
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
