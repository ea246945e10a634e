#include "cli/lost_file.h"

#include <sys/uio.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "command.h"
#include "firth/mapped_files.h"

namespace firth::tools {
namespace {

// A handler may not allocate: the parts are written as they are.
void SayLost(const char* path) {
  const char* const parts[] = {
      "firth: ", path,
      ": the file can no longer be read, since it was shortened while in use "
      "or the disk failed; use a copy, or replace files by renaming\n"};
  iovec pieces[3];
  for (int i = 0; i < 3; ++i) {
    pieces[i] = {const_cast<char*>(parts[i]), std::strlen(parts[i])};
  }
  // Should nobody read it, there is nobody to tell.
  [[maybe_unused]] const ssize_t written = writev(STDERR_FILENO, pieces, 3);
}

void OnBusError(int signal, siginfo_t* info, void*) {
  const char* const path = MappedFileAt(info->si_addr);
  if (path != nullptr && info->si_code == BUS_ADRERR) {
    SayLost(path);
    _exit(static_cast<int>(ExitCode::kFailed));
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);  // comes when this handler has returned
}

}  // namespace

void EndWhenFileIsLost() {
  struct sigaction action = {};
  action.sa_sigaction = &OnBusError;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, &action, nullptr);
}

}  // namespace firth::tools
