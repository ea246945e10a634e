// firth help: the documents that are made from the declarations.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "bash_completion.h"
#include "commands.h"
#include "console.h"
#include "help_text.h"
#include "man_page.h"

namespace firth::tools {
namespace {

class HelpCommand : public Command {
 public:
  absl::string_view name() const override { return "help"; }
  absl::string_view summary() const override {
    return "tell about the program or a command";
  }
  absl::string_view synopsis() const override {
    return "[COMMAND] [--man | --bash-completion]";
  }
  absl::string_view description() const override {
    return "Without a command, lists them all.";
  }

  void Declare(OptionSet* options) override {
    options->Switch("man", &man_,
                    "print the manual page of everything, for man");
    options->Switch("bash-completion", &bash_completion_,
                    "print a script that teaches bash to complete commands, "
                    "options and values");
    options->Arguments("COMMAND", 0, 2, &names_, {});
  }

  absl::Status Check(const OptionSet&) override {
    if (man_ + bash_completion_ + static_cast<int>(!names_.empty()) > 1) {
      return absl::InvalidArgumentError(
          "expected one of COMMAND, --man and --bash-completion");
    }
    if (names_.empty()) return absl::OkStatus();
    if (names_.size() == 1) group_help_ = GroupHelp(names_[0]);
    if (!group_help_.empty()) return absl::OkStatus();
    absl::StatusOr<FoundCommand> found = FindCommand(names_);
    if (!found.ok()) return found.status();
    if (found->words < names_.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat("unexpected argument \"", names_.back(), "\""));
    }
    command_ = std::move(found->command);
    return absl::OkStatus();
  }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    if (man_) {
      Print(ManPage());
    } else if (bash_completion_) {
      Print(BashCompletion());
    } else if (!group_help_.empty()) {
      Print(group_help_);
    } else if (command_ != nullptr) {
      Print(CommandHelp(*command_, DeclareOptions(command_.get()),
                        /*all=*/false));
    } else {
      Print(ProgramHelp());
    }
    return ExitCode::kDone;
  }

 private:
  bool man_ = false;
  bool bash_completion_ = false;
  std::vector<std::string> names_;
  std::string group_help_;
  std::unique_ptr<Command> command_;
};

}  // namespace

std::unique_ptr<Command> MakeHelpCommand() {
  return std::make_unique<HelpCommand>();
}

}  // namespace firth::tools
