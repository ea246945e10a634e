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

// The commands that the help shows under one title.
struct CommandGroup {
  absl::string_view title;
  std::vector<CommandPtr> commands;
};

// A new instance of every command, in the order of the help.
std::vector<CommandGroup> CommandGroups();
std::vector<CommandPtr> AllCommands();

// The words of a command's name; the second is empty if there is one alone.
std::pair<std::string, std::string> NameWords(const Command& command);

// The command whose name `words`, which are not none, begin with, and how many
// of them that are. Errors: InvalidArgument, with the closest name.
struct FoundCommand {
  CommandPtr command;
  size_t words = 0;
};
absl::StatusOr<FoundCommand> FindCommand(absl::Span<const std::string> words);

// The help that --help or -h in `arguments` asks for, whatever else is there.
enum class HelpWanted { kNone, kEveryday, kAll };
// Errors: InvalidArgument, another value than "all" behind --help=.
absl::StatusOr<HelpWanted> FindHelp(absl::Span<const std::string> arguments);

// The command's options and those that every command has. `command` must
// outlive the set.
OptionSet DeclareOptions(Command* command);

// Runs a command with what follows its name, and says what went wrong.
ExitCode RunCommand(Command* command,
                    const std::vector<std::string>& arguments);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_COMMANDS_H_
