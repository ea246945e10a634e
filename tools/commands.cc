// The table of all commands, and how a command runs. First its options are
// declared, parsed, completed and checked, then its files are checked, and only
// then does it work. The exit code depends on which of these steps failed.

#include "commands.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "ask/ask_command.h"
#include "cli/closest_name.h"
#include "cli/console.h"
#include "cli/foreign_names.h"
#include "cli/help_text.h"

namespace firth::tools {

using MakeCommand = std::unique_ptr<Command>();

MakeCommand MakeTrainCommand;
MakeCommand MakeVocabCommand;
MakeCommand MakePhrasesCommand;
MakeCommand MakeIndexCommand;
MakeCommand MakeConvertCommand;
MakeCommand MakeExportCommand;
MakeCommand MakePlotCommand;
MakeCommand MakePostprocessCommand;
MakeCommand MakeAlignCommand;
MakeCommand MakeSentenceVectorsCommand;
MakeCommand MakeMapCommand;
MakeCommand MakeLmTrainCommand;
MakeCommand MakeLmPerplexityCommand;
MakeCommand MakeLmScoreCommand;
MakeCommand MakeLmGenerateCommand;
MakeCommand MakeLmAttentionCommand;
MakeCommand MakeLmCorruptCommand;
MakeCommand MakeLmImportCommand;
MakeCommand MakeEmbedCommand;
MakeCommand MakeDistillCommand;
MakeCommand MakeTagTrainCommand;
MakeCommand MakeTagApplyCommand;
MakeCommand MakeTagEvalCommand;
MakeCommand MakeTagPackCommand;
MakeCommand MakeProbeCommand;
MakeCommand MakeClassifyTrainCommand;
MakeCommand MakeClassifyTuneCommand;
MakeCommand MakeClassifyPredictCommand;
MakeCommand MakeClassifyEvalCommand;
MakeCommand MakeClassifyExplainCommand;
MakeCommand MakeClassifyQuantizeCommand;
MakeCommand MakeServeCommand;
MakeCommand MakeExploreCommand;
MakeCommand MakeInfoCommand;
MakeCommand MakeDemoCommand;
MakeCommand MakeHelpCommand;

namespace {

struct Group {
  absl::string_view title;
  absl::Span<MakeCommand* const> commands;
};

constexpr MakeCommand* kTrain[] = {&MakeTrainCommand, &MakeVocabCommand,
                                   &MakePhrasesCommand};
constexpr MakeCommand* kAsk[] = {&MakeSentenceVectorsCommand};
constexpr MakeCommand* kChange[] = {&MakeConvertCommand, &MakeExportCommand,
                                    &MakePostprocessCommand, &MakeAlignCommand,
                                    &MakeIndexCommand};
constexpr MakeCommand* kContextual[] = {
    &MakeLmTrainCommand,    &MakeLmPerplexityCommand, &MakeLmScoreCommand,
    &MakeLmGenerateCommand, &MakeLmAttentionCommand,  &MakeLmCorruptCommand,
    &MakeLmImportCommand,   &MakeEmbedCommand,        &MakeDistillCommand,
    &MakeTagTrainCommand,   &MakeTagApplyCommand,     &MakeTagEvalCommand,
    &MakeTagPackCommand,    &MakeProbeCommand};
constexpr MakeCommand* kClassify[] = {
    &MakeClassifyTrainCommand,   &MakeClassifyTuneCommand,
    &MakeClassifyPredictCommand, &MakeClassifyEvalCommand,
    &MakeClassifyExplainCommand, &MakeClassifyQuantizeCommand};
constexpr MakeCommand* kSee[] = {&MakeMapCommand, &MakePlotCommand,
                                 &MakeExploreCommand, &MakeServeCommand};
constexpr MakeCommand* kOther[] = {&MakeInfoCommand, &MakeDemoCommand,
                                   &MakeHelpCommand};

// The groups that begin with the commands of questions to vectors, and to
// language models.
constexpr absl::string_view kAskTitle = "Query and evaluate";
constexpr absl::string_view kContextualTitle = "Contextual vectors and taggers";

constexpr Group kGroups[] = {{"Train", kTrain},
                             {kAskTitle, kAsk},
                             {"Convert and change", kChange},
                             {"Classify texts", kClassify},
                             {kContextualTitle, kContextual},
                             {"View and serve", kSee},
                             {"Other", kOther}};

void SayWhereHelpIs(const Command& command) {
  PrintMessage(absl::StrCat("try \"firth ", command.name(), " --help\""));
}

// Changes the library's message "min-n: ..." to "--min-n: ...".
absl::Status WithDashes(const OptionSet& options, const absl::Status& status) {
  const absl::string_view message = status.message();
  const absl::string_view name = message.substr(0, message.find(':'));
  if (status.ok() || options.Find(name) == nullptr) return status;
  return absl::Status(status.code(), absl::StrCat("--", message));
}

}  // namespace

std::vector<CommandGroup> CommandGroups() {
  std::vector<CommandGroup> groups;
  std::vector<std::unique_ptr<Command>> asking = AskCommands();
  for (const Group& group : kGroups) {
    groups.push_back({group.title, {}});
    for (std::unique_ptr<Command>& command : asking) {
      if (command == nullptr) continue;  // It is in another group.
      const bool is_lm = absl::StartsWith(command->name(), "lm ");
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

std::vector<std::unique_ptr<Command>> AllCommands() {
  std::vector<std::unique_ptr<Command>> commands;
  for (CommandGroup& group : CommandGroups()) {
    std::move(group.commands.begin(), group.commands.end(),
              std::back_inserter(commands));
  }
  return commands;
}

std::pair<std::string, std::string> NameWords(const Command& command) {
  return absl::StrSplit(command.name(), absl::MaxSplits(' ', 1));
}

absl::StatusOr<FoundCommand> FindCommand(absl::Span<const std::string> words) {
  std::vector<std::string> names;
  std::vector<std::string> of_group;
  for (std::unique_ptr<Command>& command : AllCommands()) {
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
  // The option is declared only so that the help lists it. RunCommand() looks
  // for --help before anything is parsed.
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

}  // namespace firth::tools
