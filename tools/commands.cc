#include "commands.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "closest_name.h"
#include "console.h"
#include "help_text.h"

namespace firth::tools {

using MakeCommand = std::unique_ptr<Command>();

MakeCommand MakeTrainCommand;
MakeCommand MakeVocabCommand;
MakeCommand MakePhrasesCommand;
MakeCommand MakeNnCommand;
MakeCommand MakeAnalogyCommand;
MakeCommand MakeSimilarityCommand;
MakeCommand MakeOddCommand;
MakeCommand MakeNgramsCommand;
MakeCommand MakeIndexCommand;
MakeCommand MakeEvalCommand;
MakeCommand MakeConvertCommand;
MakeCommand MakePostprocessCommand;
MakeCommand MakeAlignCommand;
MakeCommand MakeSentenceVectorsCommand;
MakeCommand MakeInfoCommand;
MakeCommand MakeDemoCommand;
MakeCommand MakeHelpCommand;

namespace {

constexpr MakeCommand* kCommands[] = {
    &MakeTrainCommand,   &MakeVocabCommand,
    &MakePhrasesCommand, &MakeNnCommand,
    &MakeAnalogyCommand, &MakeSimilarityCommand,
    &MakeOddCommand,     &MakeNgramsCommand,
    &MakeIndexCommand,   &MakeEvalCommand,
    &MakeConvertCommand, &MakePostprocessCommand,
    &MakeAlignCommand,   &MakeSentenceVectorsCommand,
    &MakeInfoCommand,    &MakeDemoCommand,
    &MakeHelpCommand,
};

// Where --help is written it is the end of the matter, whatever else is there.
bool AsksForHelp(const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    if (argument == "--") return false;
    if (argument == "--help" || argument == "-h") return true;
  }
  return false;
}

ExitCode Misused(const Command& command, const absl::Status& status) {
  Say(status.message());
  Say(absl::StrCat("try \"firth ", command.name(), " --help\""));
  return ExitCode::kMisused;
}

}  // namespace

std::vector<std::unique_ptr<Command>> AllCommands() {
  std::vector<std::unique_ptr<Command>> commands;
  for (MakeCommand* make : kCommands) commands.push_back(make());
  return commands;
}

absl::StatusOr<std::unique_ptr<Command>> FindCommand(absl::string_view name) {
  std::vector<std::string> names;
  for (std::unique_ptr<Command>& command : AllCommands()) {
    if (command->name() == name) return std::move(command);
    names.emplace_back(command->name());
  }
  return absl::InvalidArgumentError(
      absl::StrCat("unknown command \"", name, "\"", DidYouMean(names, name)));
}

OptionSet DeclareOptions(Command* command) {
  // Only listed here: RunCommand() looks for it before anything is parsed.
  static bool help = false;
  OptionSet options;
  command->Declare(&options);
  options.Section("Help");
  options.Switch("help", &help, "print this help and exit").letter = 'h';
  return options;
}

ExitCode RunCommand(Command* command,
                    const std::vector<std::string>& arguments) {
  OptionSet options = DeclareOptions(command);
  if (AsksForHelp(arguments)) {
    Print(CommandHelp(*command, options));
    return ExitCode::kDone;
  }
  absl::Status status = options.Parse(arguments);
  if (status.ok()) status = command->Check(options);
  if (!status.ok()) return Misused(*command, status);
  const absl::StatusOr<ExitCode> code = command->Run(options);
  if (code.ok()) return *code;
  Say(code.status().message());
  return ExitCode::kFailed;
}

}  // namespace firth::tools
