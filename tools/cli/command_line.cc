// Boost.ProgramOptions cuts, and its exceptions end here.

#include "cli/command_line.h"

#include <algorithm>
#include <boost/program_options.hpp>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/closest_name.h"

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

// Whether an argument is a word with a dash in front. A name that belongs to an
// option is taken for one that lacks a dash.
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

// Takes a dashed word from the front of the arguments, if there is one.
std::vector<po::option> TakeDashedWord(
    std::vector<std::string>* arguments,
    const std::vector<OptionSection>& sections) {
  if (!IsDashedWord(arguments->front(), sections)) return {};
  po::option word;
  word.value = word.original_tokens = {arguments->front()};
  arguments->erase(arguments->begin());
  return {word};
}

}  // namespace

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
      // The first argument is no word but names the file that is asked.
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

}  // namespace firth::tools
