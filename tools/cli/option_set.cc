#include "cli/option_set.h"

#include <algorithm>
#include <boost/program_options.hpp>
#include <cmath>
#include <limits>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "cli/closest_name.h"
#include "cli/foreign_names.h"
#include "cli/json.h"

namespace firth::tools {
namespace {

namespace po = boost::program_options;

template <class Number>
std::string RangeText(Number low, Number high) {
  if (high == std::numeric_limits<Number>::max()) {
    return absl::StrCat(low, " or more");
  }
  return absl::StrCat(low, " to ", high);
}

// Makes `option` an option for a number that `parse` reads.
template <class Number, class Parse>
void BindNumber(Option* option, Number* target, Number low, Number high,
                absl::string_view kind, Parse parse) {
  option->range = RangeText(low, high);
  option->default_text = absl::StrCat(*target);
  const std::string expected = absl::StrCat(kind, ", ", option->range);
  option->set = [=](const std::string& text) {
    Number value{};
    // Written so that NaN fails too.
    if (!parse(text, &value) || !(value >= low && value <= high)) {
      return absl::InvalidArgumentError(expected);
    }
    *target = value;
    return absl::OkStatus();
  };
  option->value = [target]() -> nlohmann::ordered_json { return *target; };
}

bool ParseInt(const std::string& text, int* value) {
  return absl::SimpleAtoi(text, value);
}

bool ParseUint64(const std::string& text, uint64_t* value) {
  return absl::SimpleAtoi(text, value);
}

bool ParseReal(const std::string& text, double* value) {
  return absl::SimpleAtod(text, value) && std::isfinite(*value);
}

// "4G", "512M", "1.5GB", "100000"; units are powers of 1024.
std::optional<uint64_t> ParseBytes(absl::string_view text) {
  if (absl::EndsWithIgnoreCase(text, "iB")) {
    text.remove_suffix(2);
  } else if (absl::EndsWithIgnoreCase(text, "B")) {
    text.remove_suffix(1);
  }
  constexpr absl::string_view kUnits = "KMGT";
  double unit = 1;
  if (!text.empty()) {
    const size_t power = kUnits.find(absl::ascii_toupper(text.back()));
    if (power != absl::string_view::npos) {
      unit = std::pow(1024.0, static_cast<double>(power + 1));
      text.remove_suffix(1);
    }
  }
  double value = 0;
  if (!absl::SimpleAtod(text, &value) || !(value * unit >= 0) ||
      value * unit >= 0x1p63) {
    return std::nullopt;
  }
  return static_cast<uint64_t>(value * unit);
}

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
      } else if (option.repeated) {
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

// Boost's exceptions end here.
absl::Status Split(const std::vector<std::string>& arguments,
                   const std::vector<OptionSection>& sections,
                   std::vector<po::option>* result) {
  constexpr int kStyle = po::command_line_style::default_style &
                         ~po::command_line_style::allow_guessing;
  try {
    const po::options_description described = ForBoost(sections);
    *result = po::command_line_parser(arguments)
                  .options(described)
                  .style(kStyle)
                  .run()
                  .options;
    return absl::OkStatus();
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

// The value of an option as it would be typed.
std::vector<std::string> Texts(const nlohmann::ordered_json& value) {
  std::vector<std::string> texts;
  if (value.is_array()) {
    for (const auto& one : value) {
      for (std::string& text : Texts(one)) texts.push_back(std::move(text));
    }
  } else {
    texts.push_back(value.is_string() ? value.get<std::string>()
                                      : value.dump());
  }
  return texts;
}

}  // namespace

Option& Option::Everyday() {
  everyday = true;
  return *this;
}

std::string Option::FullHelp(bool with_details) const {
  std::vector<std::string> facts;
  if (!range.empty()) facts.push_back(range);
  if (!default_text.empty()) {
    facts.push_back(absl::StrCat("default ", default_text));
  }
  std::string text = help;
  if (with_details && !details.empty()) absl::StrAppend(&text, "; ", details);
  if (facts.empty()) return text;
  return absl::StrCat(text, " (", absl::StrJoin(facts, "; "), ")");
}

void OptionSet::Section(absl::string_view title) {
  sections_.push_back({std::string(title), {}});
}

Option& OptionSet::Add(absl::string_view name, absl::string_view value_name,
                       absl::string_view help) {
  if (sections_.empty()) Section("Options");
  Option& option = sections_.back().options.emplace_back();
  option.name = std::string(name);
  option.value_name = std::string(value_name);
  option.help = std::string(help);
  return option;
}

Option& OptionSet::Switch(absl::string_view name, bool* target,
                          absl::string_view help) {
  Option& option = Add(name, "", help);
  option.set = [target](const std::string&) {
    *target = true;
    return absl::OkStatus();
  };
  option.value = [target]() -> nlohmann::ordered_json { return *target; };
  return option;
}

Option& OptionSet::Integer(absl::string_view name, int* target, int low,
                           int high, absl::string_view help) {
  Option& option = Add(name, "N", help);
  BindNumber(&option, target, low, high, "a whole number", ParseInt);
  return option;
}

Option& OptionSet::Integer(absl::string_view name, uint64_t* target,
                           uint64_t low, uint64_t high,
                           absl::string_view help) {
  Option& option = Add(name, "N", help);
  BindNumber(&option, target, low, high, "a whole number", ParseUint64);
  return option;
}

Option& OptionSet::Integers(absl::string_view name, std::vector<int>* target,
                            int low, int high, absl::string_view help) {
  Option& option = Add(name, "N,N...", help);
  option.range = RangeText(low, high);
  const std::string expected =
      absl::StrCat("whole numbers with commas between them, ", option.range);
  option.set = [=](const std::string& text) {
    std::vector<int> values;
    for (const absl::string_view piece : absl::StrSplit(text, ',')) {
      int value = 0;
      if (!absl::SimpleAtoi(piece, &value) || value < low || value > high) {
        return absl::InvalidArgumentError(expected);
      }
      values.push_back(value);
    }
    *target = std::move(values);
    return absl::OkStatus();
  };
  option.value = [target]() -> nlohmann::ordered_json {
    return absl::StrJoin(*target, ",");
  };
  return option;
}

Option& OptionSet::Real(absl::string_view name, double* target, double low,
                        double high, absl::string_view help) {
  Option& option = Add(name, "X", help);
  BindNumber(&option, target, low, high, "a number", ParseReal);
  return option;
}

Option& OptionSet::Bytes(absl::string_view name, uint64_t* target,
                         absl::string_view help) {
  Option& option = Add(name, "SIZE", help);
  option.set = [target](const std::string& text) {
    const std::optional<uint64_t> bytes = ParseBytes(text);
    if (!bytes.has_value()) {
      return absl::InvalidArgumentError("a size such as 512M or 4G");
    }
    *target = *bytes;
    return absl::OkStatus();
  };
  option.value = [target]() -> nlohmann::ordered_json { return *target; };
  return option;
}

Option& OptionSet::Text(absl::string_view name, absl::string_view value_name,
                        std::string* target, absl::string_view help) {
  Option& option = Add(name, value_name, help);
  option.default_text = *target;
  option.set = [target](const std::string& text) {
    if (text.empty()) return absl::InvalidArgumentError("some text");
    *target = text;
    return absl::OkStatus();
  };
  option.value = [target]() -> nlohmann::ordered_json { return *target; };
  return option;
}

Option& OptionSet::Path(absl::string_view name, absl::string_view value_name,
                        std::string* target, FileUse use,
                        absl::string_view help) {
  Option& option = Text(name, value_name, target, help);
  option.is_path = true;
  option.use = std::move(use);
  return option;
}

Option& OptionSet::Paths(absl::string_view name, absl::string_view value_name,
                         std::vector<std::string>* target, FileUse use,
                         absl::string_view help) {
  Option& option = Add(name, absl::StrCat(value_name, "..."), help);
  option.repeated = true;
  option.is_path = true;
  option.use = std::move(use);
  option.set = [target](const std::string& text) {
    if (text.empty()) return absl::InvalidArgumentError("the name of a file");
    target->push_back(text);
    return absl::OkStatus();
  };
  option.value = [target]() -> nlohmann::ordered_json { return *target; };
  return option;
}

void OptionSet::Arguments(absl::string_view value_name, size_t low, size_t high,
                          std::vector<std::string>* target,
                          std::vector<std::pair<std::string, FileUse>> uses) {
  argument_name_ = std::string(value_name);
  fewest_arguments_ = low;
  most_arguments_ = high;
  arguments_ = target;
  argument_uses_ = std::move(uses);
}

void OptionSet::AlsoUses(absl::string_view name, FileUse use,
                         std::function<std::string()> path) {
  made_names_.push_back({std::string(name), std::move(use), std::move(path)});
}

std::vector<UsedFile> OptionSet::Files() const {
  std::vector<UsedFile> files;
  for (const OptionSection& section : sections_) {
    for (const Option& option : section.options) {
      if (!option.is_path) continue;
      for (std::string& path : Texts(option.value())) {
        files.push_back(
            {absl::StrCat("--", option.name), std::move(path), option.use});
      }
    }
  }
  for (size_t i = 0; !argument_uses_.empty() && i < arguments_->size(); ++i) {
    const auto& [name, use] =
        argument_uses_[std::min(i, argument_uses_.size() - 1)];
    files.push_back({name, (*arguments_)[i], use});
  }
  for (const MadeName& made : made_names_) {
    files.push_back({made.name, made.path(), made.use});
  }
  return files;
}

const Option* OptionSet::Find(absl::string_view name) const {
  for (const OptionSection& section : sections_) {
    for (const Option& option : section.options) {
      if (option.name == name) return &option;
    }
  }
  return nullptr;
}

bool OptionSet::Given(absl::string_view name) const {
  return given_.find(name) != given_.end();
}

nlohmann::ordered_json OptionSet::Values() const {
  nlohmann::ordered_json values = nlohmann::ordered_json::object();
  for (const OptionSection& section : sections_) {
    for (const Option& option : section.options) {
      values[option.name] = option.value();
    }
  }
  return values;
}

nlohmann::ordered_json OptionSet::GivenValues() const {
  nlohmann::ordered_json values = Values();
  for (const OptionSection& section : sections_) {
    for (const Option& option : section.options) {
      if (!Given(option.name)) values.erase(option.name);
    }
  }
  return values;
}

std::vector<std::string> OptionSet::PathNames() const {
  std::vector<std::string> names;
  for (const OptionSection& section : sections_) {
    for (const Option& option : section.options) {
      if (option.is_path) names.push_back(option.name);
    }
  }
  return names;
}

absl::Status OptionSet::TakeSaved(const nlohmann::ordered_json& saved,
                                  const std::vector<std::string>& may_differ) {
  const nlohmann::ordered_json now = GivenValues();
  const auto may = [&](const std::string& name) {
    return std::find(may_differ.begin(), may_differ.end(), name) !=
           may_differ.end();
  };
  std::vector<std::string> differences;
  for (const auto& [name, value] : now.items()) {
    if (may(name) || (saved.contains(name) && saved[name] == value)) continue;
    differences.push_back(
        absl::StrCat("--", name, " was ",
                     saved.contains(name) ? OneLine(saved[name]) : "not given",
                     ", is ", OneLine(value)));
  }
  if (!differences.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected the options that it was started with, found ",
                     absl::StrJoin(differences, "; ")));
  }
  for (const auto& [name, value] : saved.items()) {
    if (Given(name) || value == false) continue;
    absl::Status status = TakeOption(name, Texts(value));
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status OptionSet::TakeArgument(const std::string& value) {
  if (arguments_ == nullptr || arguments_->size() == most_arguments_) {
    return absl::InvalidArgumentError(
        absl::StrCat("unexpected argument \"", value, "\""));
  }
  if (value.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(argument_name_, ": expected a value, found \"\""));
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
  absl::Status status = RefuseForeignOptions(arguments, *this);
  if (!status.ok()) return status;
  std::vector<po::option> found;
  status = Split(arguments, sections_, &found);
  if (!status.ok()) return status;
  for (const po::option& option : found) {
    if (option.string_key.empty()) {
      for (const std::string& value : option.value) {
        status = TakeArgument(value);
        if (!status.ok()) return status;
      }
    } else {
      status = TakeOption(option.string_key, option.value);
      if (!status.ok()) return status;
    }
  }
  if (arguments_ != nullptr && arguments_->size() < fewest_arguments_) {
    return absl::InvalidArgumentError(
        absl::StrCat("missing argument ", argument_name_));
  }
  return absl::OkStatus();
}

}  // namespace firth::tools
