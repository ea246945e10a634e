// Declares the options of a command: name, value, unit, range and default.
//
// The parser, --help, the man pages and the completions all use this list.
// Options of the library are declared from the fields of its options structs
// (firth/fields.h), and options of a single command are declared one by one.
// Values are checked here, so that each message contains the option, the
// expected values and the value found.

#ifndef FIRTH_TOOLS_CLI_OPTION_SET_H_
#define FIRTH_TOOLS_CLI_OPTION_SET_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "cli/used_files.h"
#include "firth/fields.h"
#include "nlohmann/json_fwd.hpp"

namespace firth::tools {

struct Option {
  std::string name;        // Without dashes.
  char letter = 0;         // Short form; 0 means none. -h, -i, -o and -q are
                           // --help, --input, --output and --quiet.
  std::string value_name;  // Empty for a switch, which takes no value.
  std::string help;
  std::string details;       // Additional help, omitted on the first page.
  std::string range;         // Description of the allowed values.
  std::string default_text;  // Empty if there is no default.
  std::vector<std::string> choices;
  bool repeated = false;  // Takes any number of values.
  bool one_each = false;  // Takes one value each time that the name is given.
  bool is_path = false;
  FileUse use;            // Use of the files that the values name.
  bool everyday = false;  // See Everyday().
  FieldRole role = FieldRole::kRun;
  std::vector<FieldCondition> needs;  // Other options that it requires.
  // Stores one value. The message of an error contains only the expected value.
  std::function<absl::Status(const std::string&)> set;
  // Returns the current value, for reports.
  std::function<nlohmann::ordered_json()> value;

  // Puts the option on the first page of the command's help. If any option is
  // there, the first page has no others.
  Option& Everyday();

  // Makes the option require that one of these options is set or, if `values`
  // is not empty, has one of these values. Otherwise, giving the option is an
  // error, except as 0.
  Option& GoesWith(std::vector<std::string> names,
                   std::vector<std::string> values = {});
  Option& As(FieldRole its_role);

  // Returns the help with conditions, range and default, and with the details
  // if `with_details`.
  std::string FullHelp(bool with_details = true) const;
};

struct OptionSection {
  std::string title;
  std::vector<Option> options;
};

// All targets must outlive the set. A declaration returns a reference for
// changing the option, which is valid until the next declaration.
class OptionSet {
 public:
  // Starts a new group of options.
  void Section(absl::string_view title);

  // Declares the fields of an options struct with these names, or all fields if
  // `names` is empty. `prefix` is prepended to each name. `fields` must outlive
  // the set.
  void Fields(FieldEditor* fields, const std::vector<std::string>& names = {},
              absl::string_view prefix = "");
  template <class Options>
  void Fields(Options* options, const std::vector<std::string>& names = {}) {
    editors_.push_back(std::make_shared<FieldEditor>(options));
    Fields(editors_.back().get(), names);
  }
  // Declares a field that contains the name of a file, or names of files.
  Option& PathField(FieldEditor* fields, absl::string_view name,
                    const FileUse& use);
  // Returns an option that was declared before, for changes.
  Option& At(absl::string_view name);

  Option& Switch(absl::string_view name, bool* target, absl::string_view help);
  template <class Number>
  Option& Integer(absl::string_view name, Number* target,
                  std::type_identity_t<Number> low,
                  std::type_identity_t<Number> high, absl::string_view help) {
    return AddNumber(name, target, static_cast<double>(low),
                     static_cast<double>(high), help);
  }
  Option& Real(absl::string_view name, double* target, double low, double high,
               absl::string_view help);
  // Declares a number of bytes, such as 4G, 512M or 100000.
  Option& Bytes(absl::string_view name, uint64_t* target, uint64_t low,
                uint64_t high, absl::string_view help);
  Option& Text(absl::string_view name, absl::string_view value_name,
               std::string* target, absl::string_view help);
  Option& Path(absl::string_view name, absl::string_view value_name,
               std::string* target, FileUse use, absl::string_view help);
  Option& Paths(absl::string_view name, absl::string_view value_name,
                std::vector<std::string>* target, FileUse use,
                absl::string_view help);

  // Declares a choice among names. Each name selects a value.
  template <class Value>
  Option& Choice(absl::string_view name, Value* target,
                 const std::vector<std::pair<std::string, Value>>& values,
                 absl::string_view help) {
    std::vector<std::string> names;
    std::vector<Value> meant;
    for (const auto& [choice, value] : values) {
      names.push_back(choice);
      meant.push_back(value);
    }
    return AddChoice(
        name, std::move(names), help,
        {[target, meant] {
           return static_cast<size_t>(
               std::find(meant.begin(), meant.end(), *target) - meant.begin());
         },
         [target, meant](size_t chosen) { *target = meant[chosen]; }});
  }

  // Declares the arguments without an option, from `low` to `high` of them.
  // `uses` has the name and the use of each file; its last item applies to all
  // further arguments. It is empty if arguments are not files, or are values of
  // an option that Paths() declared.
  void Arguments(absl::string_view value_name, size_t low, size_t high,
                 std::vector<std::string>* target,
                 std::vector<std::pair<std::string, FileUse>> uses);
  // Allows arguments that begin with a dash, such as -man. An argument that
  // begins with one dash and is not the short form of an option is then a word.
  void TakeDashedWords() { dashed_words_ = true; }

  // Declares a file whose path is derived from other options after parsing.
  void AlsoUses(absl::string_view name, FileUse use,
                std::function<std::string()> path);

  // Parses the arguments and sets the targets. Errors: InvalidArgument.
  absl::Status Parse(const std::vector<std::string>& arguments);

  // Checks the conditions between options. Call it after parsing. Errors:
  // InvalidArgument, an option was given without the one that it requires (see
  // GoesWith()).
  absl::Status CheckNeeds() const;
  bool Applies(const Option& option) const;
  bool HoldsHere(const FieldCondition& condition) const;

  // Returns whether the user gave the option.
  bool Given(absl::string_view name) const;

  const std::vector<OptionSection>& sections() const { return sections_; }
  // Returns the options of all sections, in order.
  std::vector<const Option*> All() const;
  const Option* Find(absl::string_view name) const;
  // Returns the files that the command line names, with their uses.
  std::vector<UsedFile> Files() const;
  // Returns the values of all options except --help, by name.
  nlohmann::ordered_json Values() const;
  // Returns the values of the options that apply and have a value.
  nlohmann::ordered_json UsedValues() const;
  // Returns the values of the options that the user gave.
  nlohmann::ordered_json GivenValues() const;
  // Returns the names of the options that have this role.
  std::vector<std::string> NamesOf(FieldRole role) const;
  // Returns the names of the options whose values models do not store: files
  // and folders, because paths are private and not a property of the model, and
  // options of the role kWork, which have no effect on it.
  std::vector<std::string> NamesNotInModels() const;

  // Sets the options in `saved`, the GivenValues() of another run, as if they
  // were given now. Call it after parsing. Options that are given now keep
  // their values. Errors: InvalidArgument, with all options that differ but may
  // not. Options missing in `saved` had their default.
  absl::Status TakeSaved(const nlohmann::ordered_json& saved,
                         absl::FunctionRef<bool(const Option&)> may_differ);

 private:
  Option& Add(absl::string_view name, absl::string_view value_name,
              absl::string_view help);
  // `target.get` returns the number of names if the value has no name.
  Option& AddChoice(absl::string_view name, std::vector<std::string> names,
                    absl::string_view help, ChosenValue target);
  // Declares a number that is not a field.
  Option& AddNumber(absl::string_view name, FieldTarget target, double low,
                    double high, absl::string_view help, bool is_size = false);
  // Returns the value of an option as the user would type it.
  static std::vector<std::string> Texts(const nlohmann::ordered_json& value);
  std::optional<std::string> TextOf(absl::string_view name) const;
  absl::Status TakeArgument(const std::string& value);
  absl::Status TakeOption(const std::string& name,
                          const std::vector<std::string>& values);

  std::vector<OptionSection> sections_;
  std::vector<std::shared_ptr<FieldEditor>> editors_;
  std::set<std::string, std::less<>> given_;
  // The Values() before parsing.
  std::shared_ptr<const nlohmann::ordered_json> defaults_;
  std::string argument_name_;
  size_t fewest_arguments_ = 0;
  size_t most_arguments_ = 0;
  std::vector<std::string>* arguments_ = nullptr;
  bool dashed_words_ = false;
  std::vector<std::pair<std::string, FileUse>> argument_uses_;
  struct MadeName {
    std::string name;
    FileUse use;
    std::function<std::string()> path;
  };
  std::vector<MadeName> made_names_;
};

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_CLI_OPTION_SET_H_
