// The list of all commands.

#ifndef FIRTH_TOOLS_COMMANDS_H_
#define FIRTH_TOOLS_COMMANDS_H_

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "command.h"

namespace firth::tools {

// Commands that the help shows under one title.
struct CommandGroup {
  absl::string_view title;
  std::vector<CommandPtr> commands;
};

// Return new instances of all commands, in the order of the help.
std::vector<CommandGroup> CommandGroups();
std::vector<CommandPtr> AllCommands();

// Returns the words of a command's name; the second one may be empty.
std::pair<std::string, std::string> NameWords(const Command& command);

// A command and the number of words of its name.
struct FoundCommand {
  CommandPtr command;
  size_t words = 0;
};
absl::StatusOr<FoundCommand> FindCommand(absl::Span<const std::string> words);

// The help that --help or -h requests, regardless of other arguments.
enum class HelpWanted { kNone, kEveryday, kAll };
// Finds --help or -h. Errors: InvalidArgument, --help=VALUE except "all".
absl::StatusOr<HelpWanted> FindHelp(absl::Span<const std::string> arguments);

// Returns the command's options and those that every command has. `command`
// must outlive the set.
OptionSet DeclareOptions(Command* command);

// Runs a command with the arguments after its name and prints errors.
ExitCode RunCommand(Command* command,
                    const std::vector<std::string>& arguments);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_COMMANDS_H_
