// Parses a command line, or the saved options of another run, into an
// OptionSet. Exceptions of Boost.ProgramOptions are caught here.

#include <algorithm>
#include <boost/program_options.hpp>
#include <cstddef>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/foreign_names.h"
#include "cli/human.h"
#include "cli/json.h"
#include "cli/option_set.h"
#include "firth/status_macros.h"

namespace firth::tools {
namespace {

namespace po = boost::program_options;

po::options_description ForBoost(const std::vector<OptionSection>& sections) {
  po::options_description all;
  for (const OptionSection& section : sections) {
    for (const Option& option : section.options) {
      std::string name = option.name;
      if (option.letter != 0) {
        absl::StrAppend(&name, ",", std::string(1, option.letter));
      }
      if (option.value_name.empty()) {
        all.add_options()(name.c_str(), "");
      } else if (option.repeated && !option.one_each) {
        all.add_options()(name.c_str(),
                          po::value<std::vector<std::string>>()->multitoken());
      } else {
        all.add_options()(name.c_str(), po::value<std::string>());
      }
      // Boost splits the names with a stream, which cuts a name short if there
      // is no memory for it.
      if (all.options().back()->long_name() != option.name) {
        throw std::bad_alloc();
      }
    }
  }
  return all;
}

std::string UnknownOption(const std::string& found,
                          const std::vector<OptionSection>& sections) {
  std::vector<std::string> names;
  for (const OptionSection& section : sections) {
    for (const Option& option : section.options) {
      names.push_back(absl::StrCat("--", option.name));
    }
  }
  return absl::StrCat("unknown option ", found, DidYouMean(names, found));
}

// Returns whether an argument is a word that begins with a dash. The name of an
// option is not, because the user may have forgotten a dash.
bool IsDashedWord(const std::string& argument,
                  const std::vector<OptionSection>& sections) {
  if (argument.size() < 2 || argument[0] != '-' || argument[1] == '-') {
    return false;
  }
  for (const OptionSection& section : sections) {
    for (const Option& option : section.options) {
      const bool is_letter =
          argument.size() == 2 && argument[1] == option.letter;
      if (is_letter || argument.substr(1) == option.name) return false;
    }
  }
  return true;
}

// Removes and returns a dashed word at the front of the arguments, if any.
std::vector<po::option> TakeDashedWord(
    std::vector<std::string>* arguments,
    const std::vector<OptionSection>& sections) {
  if (!IsDashedWord(arguments->front(), sections)) return {};
  po::option word;
  word.value = word.original_tokens = {arguments->front()};
  arguments->erase(arguments->begin());
  return {word};
}

struct CommandLinePart {
  std::string option;  // Name without dashes; empty for arguments.
  std::vector<std::string> values;
};

// Returns the parts in the given order, with unchecked values. For
// `dashed_words` see OptionSet::TakeDashedWords(). Errors: InvalidArgument, an
// unknown option or a missing value.
absl::StatusOr<std::vector<CommandLinePart>> CutCommandLine(
    const std::vector<std::string>& arguments,
    const std::vector<OptionSection>& sections, bool dashed_words) {
  constexpr int kStyle = po::command_line_style::default_style &
                         ~po::command_line_style::allow_guessing;
  try {
    const po::options_description described = ForBoost(sections);
    po::command_line_parser parser(arguments);
    parser.options(described).style(kStyle);
    if (dashed_words) {
      // The first argument is the model file, not a word.
      parser.extra_style_parser([&](std::vector<std::string>& left) {
        const auto passed =
            arguments.end() - static_cast<ptrdiff_t>(left.size());
        const bool named =
            std::any_of(arguments.begin(), passed,
                        [](const std::string& text) { return text[0] != '-'; });
        return named ? TakeDashedWord(&left, sections)
                     : std::vector<po::option>();
      });
    }
    std::vector<CommandLinePart> parts;
    for (po::option& option : parser.run().options) {
      parts.push_back({std::move(option.string_key), std::move(option.value)});
    }
    return parts;
  } catch (const po::unknown_option& error) {
    return absl::InvalidArgumentError(
        UnknownOption(error.get_option_name(), sections));
  } catch (const po::invalid_command_line_syntax& error) {
    const bool missing =
        error.kind() == po::invalid_syntax::missing_parameter ||
        error.kind() == po::invalid_syntax::empty_adjacent_parameter;
    if (!missing) return absl::InvalidArgumentError(error.what());
    return absl::InvalidArgumentError(
        absl::StrCat(error.get_option_name(), " needs a value"));
  } catch (const po::error& error) {
    return absl::InvalidArgumentError(error.what());
  }
}

}  // namespace

absl::Status OptionSet::TakeSaved(
    const nlohmann::ordered_json& saved,
    absl::FunctionRef<bool(const Option&)> may_differ) {
  const nlohmann::ordered_json now = GivenValues();
  std::vector<std::string> differences;
  for (const auto& [name, value] : now.items()) {
    const bool was_given = saved.contains(name);
    const nlohmann::ordered_json& was =
        was_given ? saved[name] : defaults_->at(name);
    if (may_differ(*Find(name)) || was == value) continue;
    differences.push_back(absl::StrCat("--", name, " was ",
                                       was_given ? OneLine(was) : "not given",
                                       " and is now ", OneLine(value)));
  }
  if (!differences.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the options must be those that the run was started with: ",
        absl::StrJoin(differences, "; ")));
  }
  for (const auto& [name, value] : saved.items()) {
    if (Given(name) || value == false) continue;
    FIRTH_RETURN_IF_ERROR(TakeOption(name, Texts(value)));
  }
  return absl::OkStatus();
}

absl::Status OptionSet::TakeArgument(const std::string& value) {
  if (arguments_ == nullptr || arguments_->size() == most_arguments_) {
    return absl::InvalidArgumentError(
        absl::StrCat("unexpected argument \"", value, "\"",
                     Find("input") != nullptr
                         ? absl::StrCat("; did you mean --input ", value, "?")
                         : ""));
  }
  if (value.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("argument ", arguments_->size() + 1, " of ",
                     argument_name_, " must not be empty"));
  }
  arguments_->push_back(value);
  return absl::OkStatus();
}

absl::Status OptionSet::TakeOption(const std::string& name,
                                   const std::vector<std::string>& values) {
  const Option* option = Find(name);
  if (option == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("unknown option --", name));
  }
  if (!given_.insert(name).second && !option->repeated) {
    return absl::InvalidArgumentError(
        absl::StrCat("--", name, " is given twice"));
  }
  if (option->value_name.empty()) return option->set("");
  for (const std::string& value : values) {
    const absl::Status status = option->set(value);
    if (status.ok()) continue;
    return absl::InvalidArgumentError(absl::StrCat("--", name, ": expected ",
                                                   status.message(),
                                                   ", found \"", value, "\""));
  }
  return absl::OkStatus();
}

absl::Status OptionSet::Parse(const std::vector<std::string>& arguments) {
  defaults_ = std::make_shared<nlohmann::ordered_json>(Values());
  FIRTH_RETURN_IF_ERROR(RefuseForeignOptions(arguments, *this));
  FIRTH_ASSIGN_OR_RETURN(std::vector<CommandLinePart> parts,
                         CutCommandLine(arguments, sections_, dashed_words_));
  for (const CommandLinePart& part : parts) {
    if (!part.option.empty()) {
      FIRTH_RETURN_IF_ERROR(TakeOption(part.option, part.values));
      continue;
    }
    for (const std::string& value : part.values) {
      FIRTH_RETURN_IF_ERROR(TakeArgument(value));
    }
  }
  if (arguments_ != nullptr && arguments_->size() < fewest_arguments_) {
    return absl::InvalidArgumentError(
        fewest_arguments_ == 1
            ? absl::StrCat("the argument ", argument_name_, " is missing")
            : absl::StrCat("expected ", argument_name_, ", found ",
                           Counted(arguments_->size(), "argument")));
  }
  return absl::OkStatus();
}

}  // namespace firth::tools
