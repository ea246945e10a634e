// The table of all commands, firth help, and the steps of a command. Its
// options are declared, parsed, completed and checked, then its files are
// checked, and only then does it run. The exit code depends on the step that
// failed.

#include "commands.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "ask/ask_command.h"
#include "cli/console.h"
#include "cli/documents.h"
#include "cli/foreign_names.h"
#include "firth/status_macros.h"
#include "firth/text_file.h"

namespace firth::tools {

using MakeCommand = CommandPtr();

// Each is defined in the file of its command.
MakeCommand MakeTrain, MakeVocab, MakePhrases, MakeIndex, MakeConvert,
    MakeExport, MakePlot, MakePostprocess, MakeAlign, MakeSentenceVectors,
    MakeMap, MakeLmTrain, MakeLmPerplexity, MakeLmScore, MakeLmGenerate,
    MakeLmAttention, MakeLmGradients, MakeLmCorrupt, MakeLmImport, MakeEmbed,
    MakeDistill, MakeTagTrain, MakeTagApply, MakeTagEval, MakeTagPack,
    MakeProbe, MakeSentencesTrain, MakeSeq2SeqTrain, MakeSeq2SeqApply,
    MakeSeq2SeqEval, MakeClassifyTrain, MakeClassifyTune, MakeClassifyPredict,
    MakeClassifyEval, MakeClassifyExplain, MakeClassifyQuantize, MakeServe,
    MakeExplore, MakeInfo, MakeDemo, MakeDocumentsTrain, MakeDocumentsInfer,
    MakeDocumentsNn, MakeHelp;

namespace {

struct Group {
  absl::string_view title;
  std::vector<MakeCommand*> commands;
};

// Titles of the groups that begin with the commands of questions about vectors
// and about language models.
constexpr absl::string_view kAskTitle = "Query and evaluate";
constexpr absl::string_view kContextualTitle = "Contextual vectors and taggers";

std::vector<Group> Groups() {
  return {{"Train", {MakeTrain, MakeVocab, MakePhrases}},
          {kAskTitle, {MakeSentenceVectors}},
          {"Convert and change",
           {MakeConvert, MakeExport, MakePostprocess, MakeAlign, MakeIndex}},
          {"Sentences and documents",
           {MakeSentencesTrain, MakeDocumentsTrain, MakeDocumentsInfer,
            MakeDocumentsNn}},
          {"Classify texts",
           {MakeClassifyTrain, MakeClassifyTune, MakeClassifyPredict,
            MakeClassifyEval, MakeClassifyExplain, MakeClassifyQuantize}},
          {kContextualTitle,
           {MakeLmTrain, MakeLmPerplexity, MakeLmScore, MakeLmGenerate,
            MakeLmAttention, MakeLmGradients, MakeLmCorrupt, MakeLmImport,
            MakeEmbed, MakeDistill, MakeTagTrain, MakeTagApply, MakeTagEval,
            MakeTagPack, MakeProbe}},
          {"Sequence to sequence",
           {MakeSeq2SeqTrain, MakeSeq2SeqApply, MakeSeq2SeqEval}},
          {"View and serve", {MakeMap, MakePlot, MakeExplore, MakeServe}},
          {"Other", {MakeInfo, MakeDemo, MakeHelp}}};
}

void SayWhereHelpIs(const Command& command) {
  PrintMessage(absl::StrCat("try \"firth ", command.text().name, " --help\""));
}

// Changes the library's message "min-n: ..." to "--min-n: ...".
absl::Status WithDashes(const OptionSet& options, const absl::Status& status) {
  const absl::string_view message = status.message();
  const absl::string_view name = message.substr(0, message.find(':'));
  if (status.ok() || options.Find(name) == nullptr) return status;
  return absl::Status(status.code(), absl::StrCat("--", message));
}

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

class HelpCommand : public CommandWith<kHelpText> {
 public:
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

std::vector<CommandGroup> CommandGroups() {
  std::vector<CommandGroup> groups;
  std::vector<CommandPtr> asking = AskCommands();
  for (const Group& group : Groups()) {
    groups.push_back({group.title, {}});
    for (CommandPtr& command : asking) {
      if (command == nullptr) continue;  // It is in another group.
      const bool is_lm = absl::StartsWith(command->text().name, "lm ");
      if (group.title == (is_lm ? kContextualTitle : kAskTitle)) {
        groups.back().commands.push_back(std::move(command));
      }
    }
    for (MakeCommand* make : group.commands) {
      groups.back().commands.push_back(make());
    }
  }
  return groups;
}

std::vector<CommandPtr> AllCommands() {
  std::vector<CommandPtr> commands;
  for (CommandGroup& group : CommandGroups()) {
    std::move(group.commands.begin(), group.commands.end(),
              std::back_inserter(commands));
  }
  return commands;
}

std::pair<std::string, std::string> NameWords(const Command& command) {
  return absl::StrSplit(command.text().name, absl::MaxSplits(' ', 1));
}

absl::StatusOr<FoundCommand> FindCommand(absl::Span<const std::string> words) {
  std::vector<std::string> names;
  std::vector<std::string> of_group;
  for (CommandPtr& command : AllCommands()) {
    const auto [first, second] = NameWords(*command);
    if (names.empty() || names.back() != first) names.push_back(first);
    if (first != words[0]) continue;
    if (second.empty()) return FoundCommand{std::move(command), 1};
    if (words.size() > 1 && second == words[1]) {
      return FoundCommand{std::move(command), 2};
    }
    of_group.push_back(second);
  }
  if (of_group.empty()) {
    const std::string answer = AnswerForeignCommand(words[0]);
    return absl::InvalidArgumentError(
        absl::StrCat("unknown command \"", words[0], "\"",
                     answer.empty() ? DidYouMean(names, words[0]) : answer));
  }
  const std::string all =
      absl::StrCat("after \"", words[0], "\" one of ",
                   absl::StrJoin(of_group, ", "), " must follow, found ");
  return absl::InvalidArgumentError(
      words.size() == 1 ? absl::StrCat(all, "nothing")
                        : absl::StrCat(all, "\"", words[1], "\"",
                                       DidYouMean(of_group, words[1])));
}

absl::StatusOr<HelpWanted> FindHelp(absl::Span<const std::string> arguments) {
  for (size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
    const std::string& argument = arguments[i];
    if (argument == "--help=all") return HelpWanted::kAll;
    if (argument == "--help" || argument == "-h") {
      const bool all = i + 1 < arguments.size() && arguments[i + 1] == "all";
      return all ? HelpWanted::kAll : HelpWanted::kEveryday;
    }
    if (absl::StartsWith(argument, "--help=")) {
      return absl::InvalidArgumentError(
          absl::StrCat("--help: the value can only be all, found \"",
                       argument.substr(strlen("--help=")), "\""));
    }
  }
  return HelpWanted::kNone;
}

OptionSet DeclareOptions(Command* command) {
  // The option is declared only so that the help lists it. RunCommand() finds
  // --help before anything is parsed.
  static bool help = false;
  OptionSet options;
  command->Declare(&options);
  options.Section("Help");
  options.Switch("help", &help,
                 "print help and exit; --help=all describes all options");
  return options;
}

ExitCode RunCommand(Command* command,
                    const std::vector<std::string>& arguments) {
  OptionSet options = DeclareOptions(command);
  const absl::StatusOr<HelpWanted> help = FindHelp(arguments);
  if (!help.ok()) {
    PrintError(help.status().message());
    SayWhereHelpIs(*command);
    return ExitCode::kMisused;
  }
  if (*help != HelpWanted::kNone) {
    Print(CommandHelp(*command, options, *help == HelpWanted::kAll));
    return ExitCode::kDone;
  }
  absl::Status status = options.Parse(arguments);
  if (status.ok()) status = WithDashes(options, command->Complete(&options));
  if (status.ok()) status = options.CheckNeeds();
  if (status.ok()) status = WithDashes(options, command->Check(options));
  const std::vector<UsedFile> files = options.Files();
  if (status.ok()) status = CheckNoneIsReadAndWritten(files);
  const bool misused = absl::IsInvalidArgument(status);
  if (status.ok() && command->IsFirst()) status = CheckAllWritable(files);
  if (status.ok()) status = CheckAllReadable(files);
  absl::StatusOr<ExitCode> code = ExitCode::kFailed;
  if (status.ok()) {
    code = command->Run(options);
  } else {
    code = command->ErrorOfAll(status);
  }
  if (code.ok()) return *code;
  if (command->IsFirst()) {
    PrintError(code.status().message());
    if (misused) SayWhereHelpIs(*command);
  }
  return misused ? ExitCode::kMisused : ExitCode::kFailed;
}

CommandPtr MakeHelp() { return std::make_unique<HelpCommand>(); }

}  // namespace firth::tools
