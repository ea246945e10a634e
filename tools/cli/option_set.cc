// Each option stores its values through Option::set, which returns an error
// with the expected values if it cannot. Conditions between options are checked
// after all values are stored.

#include "cli/option_set.h"

#include <climits>
#include <cstdlib>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "cli/json.h"

namespace firth::tools {
namespace {

// Returns the value if JSON has its type, and otherwise its text.
nlohmann::ordered_json ValueOf(const Field& field, const FieldTarget& target,
                               const std::string& text) {
  if (field.kind == FieldKind::kFlag && !field.choices.empty()) return text;
  return std::visit(
      [&](const auto& value) -> nlohmann::ordered_json {
        using Value = std::remove_cvref_t<decltype(value)>;
        if constexpr (std::is_pointer_v<Value>) {
          if constexpr (std::is_arithmetic_v<std::remove_pointer_t<Value>>) {
            return *value;
          }
        }
        return text;
      },
      target);
}

std::string ValueName(const Field& field) {
  if (!field.value_name.empty()) return field.value_name;
  if (!field.choices.empty()) return absl::StrJoin(field.choices, "|");
  switch (field.kind) {
    case FieldKind::kFlag:
      return "";
    case FieldKind::kWhole:
      return field.is_size ? "SIZE" : "N";
    case FieldKind::kReal:
      return "X";
    case FieldKind::kWholes:
      return "N,N...";
    case FieldKind::kTerms:
      return "WORD,WORD...";
    default:
      return "TEXT";
  }
}

// Returns the range for the help, or "" for texts and for unlimited counts and
// sizes.
std::string RangeHelp(const Field& field) {
  const bool whole = field.kind == FieldKind::kWhole;
  const bool number = whole || field.kind == FieldKind::kReal ||
                      field.kind == FieldKind::kWholes;
  const bool any = whole && field.min == 0 && field.max >= INT_MAX;
  const bool shown = field.is_size ? field.max < 0x1p63 : number && !any;
  return shown ? field.RangeText() : "";
}

// Returns the letter of an option, the same in every command, or 0.
char LetterOf(absl::string_view name) {
  constexpr absl::string_view kWithLetters[] = {"help", "input", "output",
                                                "quiet"};
  return absl::c_linear_search(kWithLetters, name) ? name[0] : '\0';
}

bool IsText(const Field& field) {
  return field.kind == FieldKind::kText || field.kind == FieldKind::kTexts ||
         field.kind == FieldKind::kTerms || field.kind == FieldKind::kWritten;
}

// Copies the properties of a field that do not depend on the struct.
void Describe(const Field& field, Option* option) {
  option->details = field.details;
  option->range = RangeHelp(field);
  option->choices = field.choices;
  option->everyday = field.everyday;
  option->role = field.role;
}

}  // namespace

Option& Option::Everyday() {
  everyday = true;
  return *this;
}

Option& Option::GoesWith(std::vector<std::string> names,
                         std::vector<std::string> values) {
  needs.push_back({std::move(names), std::move(values)});
  return *this;
}

Option& Option::As(FieldRole its_role) {
  role = its_role;
  return *this;
}

std::string Option::FullHelp(bool with_details) const {
  std::string text = help;
  if (with_details && !details.empty()) absl::StrAppend(&text, ". ", details);
  std::vector<std::string> facts;
  std::vector<std::string> with;
  for (const FieldCondition& condition : needs) {
    std::vector<std::string> names;
    for (const std::string& other : condition.names) {
      names.push_back(absl::StrCat("--", other));
    }
    with.push_back(absl::StrCat(JoinAlternatives(names),
                                condition.values.empty() ? "" : " ",
                                JoinAlternatives(condition.values)));
  }
  if (!with.empty()) {
    facts.push_back(absl::StrCat("only with ", absl::StrJoin(with, " and ")));
  }
  if (!range.empty()) facts.push_back(range);
  if (!default_text.empty()) {
    facts.push_back(absl::StrCat("default ", default_text));
  }
  if (facts.empty()) return text;
  return absl::StrCat(text, " (", absl::StrJoin(facts, "; "), ")");
}

std::vector<std::string> OptionSet::Texts(const nlohmann::ordered_json& value) {
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

void OptionSet::Section(absl::string_view title) {
  sections_.push_back({std::string(title), {}});
}

Option& OptionSet::Add(absl::string_view name, absl::string_view value_name,
                       absl::string_view help) {
  if (sections_.empty()) Section("Options");
  Option& option = sections_.back().options.emplace_back();
  option.name = std::string(name);
  option.letter = LetterOf(name);
  option.value_name = std::string(value_name);
  option.help = std::string(help);
  return option;
}

void OptionSet::Fields(FieldEditor* fields,
                       const std::vector<std::string>& names,
                       absl::string_view prefix) {
  for (const std::string& name : names.empty() ? fields->names() : names) {
    const Field& field = *fields->Find(name);
    if (field.unlisted) continue;
    if (!field.section.empty() &&
        (sections_.empty() || sections_.back().title != field.section)) {
      Section(field.section);
    }
    Option& option =
        Add(absl::StrCat(prefix, name), ValueName(field), field.help);
    Describe(field, &option);
    const std::string told = fields->DefaultText(name);
    if (!option.value_name.empty()) option.default_text = told;
    option.needs = fields->Needs(name);
    option.set = [fields, name](const std::string& text) {
      const Field& now = *fields->Find(name);
      const bool is_switch = ValueName(now).empty();
      if ((text.empty() && IsText(now)) ||
          !fields->SetText(name, is_switch ? "true" : text)) {
        return absl::InvalidArgumentError(now.Expected());
      }
      return absl::OkStatus();
    };
    option.value = [fields, name] {
      return ValueOf(*fields->Find(name), fields->At(name), fields->Text(name));
    };
  }
}

Option& OptionSet::PathField(FieldEditor* fields, absl::string_view name,
                             const FileUse& use) {
  const Field& field = *fields->Find(name);
  const FieldTarget target = fields->At(name);
  auto* const* const list = std::get_if<std::vector<std::string>*>(&target);
  Option& option = list != nullptr
                       ? Paths(name, field.value_name, *list, use, field.help)
                       : Path(name, field.value_name,
                              std::get<std::string*>(target), use, field.help);
  Describe(field, &option);
  option.default_text = field.default_text;
  return option;
}

Option& OptionSet::At(absl::string_view name) {
  for (OptionSection& section : sections_) {
    for (Option& option : section.options) {
      if (option.name == name) return option;
    }
  }
  std::abort();  // The command changes an option that it does not have.
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

Option& OptionSet::AddNumber(absl::string_view name, FieldTarget target,
                             double low, double high, absl::string_view help,
                             bool is_size) {
  Field field;
  field.is_size = is_size;
  field.kind = std::holds_alternative<double*>(target) ? FieldKind::kReal
                                                       : FieldKind::kWhole;
  field.at = [target](void*) { return target; };
  field.Range(low, high);
  Option& option = Add(name, ValueName(field), help);
  Describe(field, &option);
  if (!is_size) option.default_text = field.Text(nullptr);
  option.set = [field](const std::string& text) {
    return field.SetText(text, nullptr)
               ? absl::OkStatus()
               : absl::InvalidArgumentError(field.Expected());
  };
  option.value = [field, target] { return ValueOf(field, target, ""); };
  return option;
}

Option& OptionSet::AddChoice(absl::string_view name,
                             std::vector<std::string> names,
                             absl::string_view help, ChosenValue target) {
  Option& option = Add(name, absl::StrJoin(names, "|"), help);
  option.choices = std::move(names);
  const size_t now = target.get();
  if (now < option.choices.size()) option.default_text = option.choices[now];
  option.set = [target, names = option.choices](const std::string& text) {
    const auto found = std::find(names.begin(), names.end(), text);
    if (found == names.end()) {
      return absl::InvalidArgumentError(JoinAlternatives(names));
    }
    target.set(found - names.begin());
    return absl::OkStatus();
  };
  option.value = [target, names = option.choices]() -> nlohmann::ordered_json {
    const size_t chosen = target.get();
    if (chosen == names.size()) return nullptr;
    return names[chosen];
  };
  return option;
}

Option& OptionSet::Real(absl::string_view name, double* target, double low,
                        double high, absl::string_view help) {
  return AddNumber(name, target, low, high, help);
}

Option& OptionSet::Bytes(absl::string_view name, uint64_t* target, uint64_t low,
                         uint64_t high, absl::string_view help) {
  return AddNumber(name, target, static_cast<double>(low),
                   static_cast<double>(high), help, /*is_size=*/true);
}

Option& OptionSet::Text(absl::string_view name, absl::string_view value_name,
                        std::string* target, absl::string_view help) {
  Option& option = Add(name, value_name, help);
  option.default_text = *target;
  option.set = [target](const std::string& text) {
    if (text.empty())
      return absl::InvalidArgumentError("a text that is not empty");
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
  if (option.use.kind != FileUse::Kind::kRead) option.role = FieldRole::kPlace;
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
    if (text.empty()) return absl::InvalidArgumentError("a file name");
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
  for (const Option* option : All()) {
    if (!option->is_path) continue;
    for (std::string& path : Texts(option->value())) {
      files.push_back(
          {absl::StrCat("--", option->name), std::move(path), option->use});
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

std::vector<const Option*> OptionSet::All() const {
  std::vector<const Option*> all;
  for (const OptionSection& section : sections_) {
    for (const Option& option : section.options) all.push_back(&option);
  }
  return all;
}

const Option* OptionSet::Find(absl::string_view name) const {
  for (const Option* option : All()) {
    if (option->name == name) return option;
  }
  return nullptr;
}

std::optional<std::string> OptionSet::TextOf(absl::string_view name) const {
  const Option* const option = Find(name);
  if (option == nullptr || !Applies(*option)) return std::nullopt;
  const std::string text = absl::StrJoin(Texts(option->value()), ",");
  // A file may be called "0" or "off", which otherwise mean an unset option.
  if (option->is_path && !text.empty()) return "given";
  return text;
}

bool OptionSet::HoldsHere(const FieldCondition& condition) const {
  return Holds(condition,
               [this](absl::string_view name) { return TextOf(name); });
}

bool OptionSet::Applies(const Option& option) const {
  return std::all_of(
      option.needs.begin(), option.needs.end(),
      [this](const FieldCondition& condition) { return HoldsHere(condition); });
}

absl::Status OptionSet::CheckNeeds() const {
  for (const std::string& name : given_) {
    const Option& option = *Find(name);
    const nlohmann::ordered_json value = option.value();
    const bool is_off = value.is_number_integer() && value == 0;
    if (is_off || Applies(option)) continue;
    std::vector<std::string> needed;
    std::vector<std::string> found;
    for (const FieldCondition& condition : option.needs) {
      if (HoldsHere(condition)) continue;
      std::vector<std::string> others;
      for (const std::string& other : condition.names) {
        const Option* const known = Find(other);
        others.push_back(absl::StrCat("--", other));
        if (!condition.values.empty()) {
          found.push_back(
              absl::StrCat("--", other, " is ", Texts(known->value())[0]));
        } else if (known->is_path) {
          absl::StrAppend(&others.back(), " ",
                          absl::StripSuffix(known->value_name, "..."));
        } else if (known->value().is_number()) {
          const bool whole = known->value().is_number_integer();
          absl::StrAppend(&others.back(), whole ? " 1 or more" : " above 0");
        }
      }
      needed.push_back(absl::StrCat(JoinAlternatives(others),
                                    condition.values.empty() ? "" : " ",
                                    JoinAlternatives(condition.values)));
    }
    return absl::InvalidArgumentError(absl::StrCat(
        "--", name, " requires ", absl::StrJoin(needed, " and "),
        found.empty() ? "" : ", but ", absl::StrJoin(found, " and ")));
  }
  return absl::OkStatus();
}

bool OptionSet::Given(absl::string_view name) const {
  return given_.find(name) != given_.end();
}

nlohmann::ordered_json OptionSet::Values() const {
  nlohmann::ordered_json values = nlohmann::ordered_json::object();
  for (const Option* option : All()) {
    if (option->name != "help") values[option->name] = option->value();
  }
  return values;
}

nlohmann::ordered_json OptionSet::UsedValues() const {
  nlohmann::ordered_json values = Values();
  for (const Option* option : All()) {
    const auto value = values.find(option->name);
    if (value == values.end()) continue;
    if (!Applies(*option) || value->is_null() || *value == "") {
      values.erase(value);
    }
  }
  return values;
}

nlohmann::ordered_json OptionSet::GivenValues() const {
  nlohmann::ordered_json values = Values();
  for (const Option* option : All()) {
    if (!Given(option->name)) values.erase(option->name);
  }
  return values;
}

std::vector<std::string> OptionSet::NamesNotInModels() const {
  std::vector<std::string> names;
  for (const Option* option : All()) {
    if (option->is_path || option->role == FieldRole::kWork) {
      names.push_back(option->name);
    }
  }
  return names;
}

std::vector<std::string> OptionSet::NamesOf(FieldRole role) const {
  std::vector<std::string> names;
  for (const Option* option : All()) {
    if (option->role == role) names.push_back(option->name);
  }
  return names;
}

}  // namespace firth::tools
