// firth: the program. Picks the command and turns its outcome into an exit
// code.

#include <cstddef>
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
  const absl::StatusOr<FoundCommand> found = FindCommand(arguments);
  if (!found.ok()) {
    const std::string help = GroupHelp(name);
    if (!help.empty() && arguments.size() == 2 &&
        (arguments[1] == "--help" || arguments[1] == "-h")) {
      Print(help);
      return ExitCode::kDone;
    }
    Say(found.status().message());
    Say("try \"firth --help\"");
    return ExitCode::kMisused;
  }
  const auto words = static_cast<ptrdiff_t>(found->words);
  return RunCommand(found->command.get(),
                    {arguments.begin() + words, arguments.end()});
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
