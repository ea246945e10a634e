// The main program, which selects the command and returns its exit code.

#include <cxxabi.h>
#include <fcntl.h>
#include <unistd.h>

#include <csignal>

#include <cstddef>
#include <cstdlib>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <vector>

#include "cli/console.h"
#include "cli/documents.h"
#include "cli/interrupt.h"
#include "commands.h"

namespace firth::tools {
namespace {

ExitCode PrintVersion(const std::vector<std::string>& arguments) {
  const bool is_verbose = arguments.size() == 2 && arguments[1] == "--verbose";
  if (arguments.size() > 1 && !is_verbose) {
    PrintError("--version can only be followed by --verbose");
    return ExitCode::kMisused;
  }
  Print(is_verbose ? BuildLines() : VersionLine());
  return ExitCode::kDone;
}

ExitCode Dispatch(const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    PrintNote(ShortUsage());
    return ExitCode::kMisused;
  }
  const std::string& name = arguments[0];
  if (name == "--help" || name == "--help=all" || name == "-h") {
    Print(ProgramHelp());
    return ExitCode::kDone;
  }
  if (name == "--version") {
    return PrintVersion(arguments);
  }
  const absl::StatusOr<FoundCommand> found = FindCommand(arguments);
  if (!found.ok()) {
    const std::string help = GroupHelp(name);
    const auto wanted = FindHelp(arguments);
    if (!help.empty() && arguments.size() == 2 && wanted.ok() &&
        *wanted != HelpWanted::kNone) {
      Print(help);
      return ExitCode::kDone;
    }
    PrintError(found.status().message());
    PrintMessage("try \"firth --help\"");
    return ExitCode::kMisused;
  }
  const auto words = static_cast<ptrdiff_t>(found->words);
  return RunCommand(found->command.get(),
                    {arguments.begin() + words, arguments.end()});
}

// Ends the program after an exception in a thread, where nothing catches it.
[[noreturn]] void EndForWantOfMemory() {
  // Leaving a parallel region calls this before the exception is caught. The
  // library throws only one other exception, in the same places.
  const std::type_info* const caught = abi::__cxa_current_exception_type();
  const bool in_flight = caught == nullptr && std::uncaught_exceptions() > 0;
  if (in_flight || (caught != nullptr && *caught == typeid(std::bad_alloc))) {
    SayNoMemory();
    std::_Exit(static_cast<int>(ExitCode::kFailed));
  }
  if (caught == nullptr) std::abort();
  try {
    throw;
  } catch (const std::runtime_error& error) {
    PrintError(error.what());
    std::_Exit(static_cast<int>(ExitCode::kFailed));
  } catch (...) {
    std::abort();
  }
}

// Occupies the numbers of standard streams that are closed. Otherwise the next
// file or socket would get such a number, and messages would be written into
// it. Access in the wrong direction fails, as it does with a closed stream.
void OccupyClosedStreams() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (fcntl(fd, F_GETFD) != -1) continue;
    open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

ExitCode Main(const std::vector<std::string>& arguments) {
  // With SIGXFSZ ignored, writing beyond a file size limit (`ulimit -f`) fails
  // with an error, which is reported like any other.
  std::signal(SIGXFSZ, SIG_IGN);
  EndWhenFileIsLost();
  ExitCode code = ExitCode::kFailed;
  try {
    code = Dispatch(arguments);
  } catch (const std::bad_alloc&) {
    SayNoMemory();
    return ExitCode::kFailed;
  } catch (const std::runtime_error& error) {  // A library is missing.
    PrintError(error.what());
    return ExitCode::kFailed;
  }
  const absl::Status flushed = FlushResults();
  if (flushed.ok() || code != ExitCode::kDone) return code;
  if (!absl::IsAborted(flushed)) PrintError(flushed.message());
  return ExitCode::kFailed;
}

}  // namespace
}  // namespace firth::tools

int main(int argc, char** argv) {
  // First, because the arguments need memory, too.
  std::set_terminate(firth::tools::EndForWantOfMemory);
  firth::tools::OccupyClosedStreams();
  if (argc > 0) firth::tools::SetProgramName(argv[0]);
  const std::vector<std::string> arguments(argv + (argc > 0), argv + argc);
  return static_cast<int>(firth::tools::Main(arguments));
}
