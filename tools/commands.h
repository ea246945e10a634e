// The list of all commands.

#ifndef FIRTH_TOOLS_COMMANDS_H_
#define FIRTH_TOOLS_COMMANDS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "command.h"

namespace firth::tools {

// A new instance of every command, in the order of the help.
std::vector<std::unique_ptr<Command>> AllCommands();

// The command called `name`. Errors: InvalidArgument, with the closest name.
absl::StatusOr<std::unique_ptr<Command>> FindCommand(absl::string_view name);

// The command's options and those that every command has. `command` must
// outlive the set.
OptionSet DeclareOptions(Command* command);

// Runs a command with what follows its name, and says what went wrong.
ExitCode RunCommand(Command* command,
                    const std::vector<std::string>& arguments);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_COMMANDS_H_
