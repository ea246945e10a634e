// firth help: prints the documents that are generated from the declarations.
// The manual pages are several files and go into a folder.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "cli/console.h"
#include "cli/documents.h"
#include "cli/help_text.h"
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

// A document that is printed to standard output.
struct Document {
  const char* option;
  std::string (*make)();
  const char* help;
  bool is_wanted = false;
};

class HelpCommand : public Command {
 public:
  HelpCommand() : Command(kHelpText) {}

  void Declare(OptionSet* options) override {
    options->Path("man", "FOLDER", &man_folder_, WritesInto("firth"),
                  "write the manual pages, firth.1 and one firth-COMMAND.1 per "
                  "command, into this folder");
    for (Document& document : documents_) {
      options->Switch(document.option, &document.is_wanted, document.help);
    }
    options->Arguments("COMMAND", 0, 2, &names_, {});
  }

  absl::Status Check(const OptionSet&) override {
    const auto wanted = absl::c_count_if(
        documents_,
        [](const Document& document) { return document.is_wanted; });
    if (wanted + !man_folder_.empty() + !names_.empty() > 1) {
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
    for (const Document& document : documents_) {
      if (!document.is_wanted) continue;
      Print(document.make());
      return ExitCode::kDone;
    }
    if (!group_help_.empty()) {
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
  Document documents_[4] = {
      {"markdown", &MarkdownHelp,
       "print the options of all commands as Markdown; this is "
       "docs/reference/options.md"},
      {"bash-completion", &BashCompletion,
       "print a completion script for bash, which completes commands, options "
       "and values"},
      {"zsh-completion", &ZshCompletion, "print a completion script for zsh"},
      {"fish-completion", &FishCompletion,
       "print a completion script for fish"}};
  std::vector<std::string> names_;
  std::string group_help_;
  CommandPtr command_;
};

}  // namespace

CommandPtr MakeHelp() { return std::make_unique<HelpCommand>(); }

}  // namespace firth::tools
