// The options of a command, declared once: name, value, unit, range, default.
//
// The parser, --help, the man pages and the completions all read this one list.
// Options of the library are declared from the fields of its options structs
// (firth/fields.h), those of a command alone one by one. Values are checked
// here, so that every message names the option, what was expected and what was
// found.

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
  std::string name;        // without dashes
  char letter = 0;         // of the short form: -h, -i, -o and -q are --help,
                           // --input, --output and --quiet; 0: none
  std::string value_name;  // empty: a switch, which takes no value
  std::string help;
  std::string details;       // more help, which the first page leaves out
  std::string range;         // what values are allowed, in words
  std::string default_text;  // empty: none
  std::vector<std::string> choices;
  bool repeated = false;  // takes any number of values
  bool one_each = false;  // takes them one by one, each after its name
  bool is_path = false;
  FileUse use;            // of the files that its values name
  bool everyday = false;  // see Everyday()
  FieldRole role = FieldRole::kRun;
  std::vector<FieldCondition> needs;  // other options that it goes with
  // Stores one value. Its message says only what was expected.
  std::function<absl::Status(const std::string&)> set;
  // The value in use, for reports.
  std::function<nlohmann::ordered_json()> value;

  // Puts the option on the first page of the command's help, which has no
  // others as soon as it has one of these.
  Option& Everyday();

  // Has no effect without one of these options, set or with one of these
  // values: giving it is an error then, unless it is given as 0.
  Option& GoesWith(std::vector<std::string> names,
                   std::vector<std::string> values = {});
  Option& As(FieldRole its_role);

  // The help with what it goes with, range and default; with the details where
  // they are wanted.
  std::string FullHelp(bool with_details = true) const;
};

struct OptionSection {
  std::string title;
  std::vector<Option> options;
};

// All targets must outlive the set. The reference that a declaration returns
// is for changing that option on the spot: the next declaration ends it.
class OptionSet {
 public:
  // Starts a new group of options.
  void Section(absl::string_view title);

  // Declares the fields of an options struct with these names, or all.
  // `prefix` comes before each name. `fields` must outlive the set.
  void Fields(FieldEditor* fields, const std::vector<std::string>& names = {},
              absl::string_view prefix = "");
  template <class Options>
  void Fields(Options* options, const std::vector<std::string>& names = {}) {
    editors_.push_back(std::make_shared<FieldEditor>(options));
    Fields(editors_.back().get(), names);
  }
  // A field that holds the name of a file, or names of files.
  Option& PathField(FieldEditor* fields, absl::string_view name,
                    const FileUse& use);
  // An option that was declared before, to change it.
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
  // A number of bytes: 4G, 512M, 100000.
  Option& Bytes(absl::string_view name, uint64_t* target, uint64_t low,
                uint64_t high, absl::string_view help);
  Option& Text(absl::string_view name, absl::string_view value_name,
               std::string* target, absl::string_view help);
  Option& Path(absl::string_view name, absl::string_view value_name,
               std::string* target, FileUse use, absl::string_view help);
  Option& Paths(absl::string_view name, absl::string_view value_name,
                std::vector<std::string>* target, FileUse use,
                absl::string_view help);

  // One of a few names, each with its value.
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

  // What stands on the command line without an option, from `low` to `high`
  // values. `uses` names each and says what file it is; the last stands for
  // all that follow. Empty: they are no files, or values of an option of
  // Paths().
  void Arguments(absl::string_view value_name, size_t low, size_t high,
                 std::vector<std::string>* target,
                 std::vector<std::pair<std::string, FileUse>> uses);
  // Arguments may be words with a dash in front, as -man: what starts with one
  // dash and is no option of a letter is an argument then.
  void TakeDashedWords() { dashed_words_ = true; }

  // A file that is used under a name which is made of others when they are
  // known.
  void AlsoUses(absl::string_view name, FileUse use,
                std::function<std::string()> path);

  // Errors: InvalidArgument, for whatever is wrong.
  absl::Status Parse(const std::vector<std::string>& arguments);

  // After parsing, when all values are known. Errors: InvalidArgument, an
  // option was given that goes with another one (see GoesWith()).
  absl::Status CheckNeeds() const;
  bool Applies(const Option& option) const;
  bool HoldsHere(const FieldCondition& condition) const;

  // Whether the user gave the option.
  bool Given(absl::string_view name) const;

  const std::vector<OptionSection>& sections() const { return sections_; }
  // The options of all sections, in their order.
  std::vector<const Option*> All() const;
  const Option* Find(absl::string_view name) const;
  // The files that the command line names, with what is done with them.
  std::vector<UsedFile> Files() const;
  // The value of every option but --help, by name.
  nlohmann::ordered_json Values() const;
  // The same of the options that apply and have a value.
  nlohmann::ordered_json UsedValues() const;
  // Of those that the user gave.
  nlohmann::ordered_json GivenValues() const;
  // The options that have this role.
  std::vector<std::string> NamesOf(FieldRole role) const;

  // The options whose values name files and folders. A model does not tell
  // them: where somebody's files are is no property of it, and nobody's
  // business.
  std::vector<std::string> PathNames() const;

  // After parsing: takes what GivenValues() was in another run, as if it had
  // been given now, but for the options that are given now. Errors:
  // InvalidArgument, with all options whose values differ, except those that
  // may; an option that was not given then had its default.
  absl::Status TakeSaved(const nlohmann::ordered_json& saved,
                         absl::FunctionRef<bool(const Option&)> may_differ);

 private:
  Option& Add(absl::string_view name, absl::string_view value_name,
              absl::string_view help);
  // `target.get` gives a number beyond the names where it is none of them.
  Option& AddChoice(absl::string_view name, std::vector<std::string> names,
                    absl::string_view help, ChosenValue target);
  // A number that stands by itself.
  Option& AddNumber(absl::string_view name, FieldTarget target, double low,
                    double high, absl::string_view help, bool is_size = false);
  std::optional<std::string> TextOf(absl::string_view name) const;
  absl::Status TakeArgument(const std::string& value);
  absl::Status TakeOption(const std::string& name,
                          const std::vector<std::string>& values);

  std::vector<OptionSection> sections_;
  std::vector<std::shared_ptr<FieldEditor>> editors_;
  std::set<std::string, std::less<>> given_;
  // Values() as they were before anything was parsed.
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
