// firth: the program. Picks the command and turns its outcome into an exit
// code.

#include <memory>
#include <string>
#include <vector>

#include "commands.h"
#include "console.h"
#include "help_text.h"

namespace firth::tools {
namespace {

ExitCode Dispatch(const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    PrintNote(ShortUsage());
    return ExitCode::kMisused;
  }
  const std::string& name = arguments[0];
  if (name == "--help" || name == "-h") {
    Print(ProgramHelp());
    return ExitCode::kDone;
  }
  if (name == "--version") {
    Print(VersionLine());
    return ExitCode::kDone;
  }
  const absl::StatusOr<std::unique_ptr<Command>> command = FindCommand(name);
  if (!command.ok()) {
    Say(command.status().message());
    Say("try \"firth --help\"");
    return ExitCode::kMisused;
  }
  return RunCommand(command->get(), {arguments.begin() + 1, arguments.end()});
}

ExitCode Main(const std::vector<std::string>& arguments) {
  const ExitCode code = Dispatch(arguments);
  const absl::Status flushed = FlushResults();
  if (flushed.ok() || code != ExitCode::kDone) return code;
  if (!absl::IsAborted(flushed)) Say(flushed.message());
  return ExitCode::kFailed;
}

}  // namespace
}  // namespace firth::tools

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + (argc > 0), argv + argc);
  return static_cast<int>(firth::tools::Main(arguments));
}
