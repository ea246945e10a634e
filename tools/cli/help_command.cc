// firth help: prints the documents that are generated from the declarations.
// The manual pages are several files and go into a folder.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/completion.h"
#include "cli/console.h"
#include "cli/help_text.h"
#include "cli/man_page.h"
#include "cli/markdown_help.h"
#include "commands.h"
#include "firth/status_macros.h"
#include "firth/text_file.h"

namespace firth::tools {
namespace {

constexpr CommandText kHelpText = {
    "help", "show help about the program or a command", "[COMMAND] [OPTION]",
    "Without a command, lists all commands.\n\n"
    "  firth help lm train\n"
    "  firth help --man /usr/local/share/man/man1\n"
    "  firth help --bash-completion >firth.bash"};

class HelpCommand : public Command {
 public:
  HelpCommand() : Command(kHelpText) {}

  void Declare(OptionSet* options) override {
    options->Path("man", "FOLDER", &man_folder_, WritesInto("firth"),
                  "write the manual pages, firth.1 and one firth-COMMAND.1 per "
                  "command, into this folder");
    options->Switch("markdown", &markdown_,
                    "print the options of all commands as Markdown; this is "
                    "docs/reference/options.md");
    options->Switch("bash-completion", &bash_completion_,
                    "print a completion script for bash, which completes "
                    "commands, options and values");
    options->Switch("zsh-completion", &zsh_completion_,
                    "print a completion script for zsh");
    options->Switch("fish-completion", &fish_completion_,
                    "print a completion script for fish");
    options->Arguments("COMMAND", 0, 2, &names_, {});
  }

  absl::Status Check(const OptionSet&) override {
    if (!man_folder_.empty() + markdown_ + bash_completion_ + zsh_completion_ +
            fish_completion_ + static_cast<int>(!names_.empty()) >
        1) {
      return absl::InvalidArgumentError(
          "give only one of COMMAND, --man, --markdown, --bash-completion, "
          "--zsh-completion and --fish-completion");
    }
    if (names_.empty()) return absl::OkStatus();
    if (names_.size() == 1) group_help_ = GroupHelp(names_[0]);
    if (!group_help_.empty()) return absl::OkStatus();
    FIRTH_ASSIGN_OR_RETURN(FoundCommand found, FindCommand(names_));
    if (found.words < names_.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat("unexpected argument \"", names_.back(), "\""));
    }
    command_ = std::move(found.command);
    return absl::OkStatus();
  }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    if (!man_folder_.empty()) return WriteManPages();
    if (markdown_) {
      Print(MarkdownHelp());
    } else if (bash_completion_) {
      Print(BashCompletion());
    } else if (zsh_completion_) {
      Print(ZshCompletion());
    } else if (fish_completion_) {
      Print(FishCompletion());
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
  absl::StatusOr<ExitCode> WriteManPages() const {
    for (const ManPage& page : ManPages()) {
      FIRTH_RETURN_IF_ERROR(
          WriteTextFile(absl::StrCat(man_folder_, "/", page.file), page.text));
    }
    return ExitCode::kDone;
  }

  std::string man_folder_;
  bool markdown_ = false;
  bool bash_completion_ = false;
  bool zsh_completion_ = false;
  bool fish_completion_ = false;
  std::vector<std::string> names_;
  std::string group_help_;
  CommandPtr command_;
};

}  // namespace

CommandPtr MakeHelp() { return std::make_unique<HelpCommand>(); }

}  // namespace firth::tools
