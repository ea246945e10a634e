// Converts fields to and from text, and accesses options by field name.
//
// FieldEditor lists every field of a struct and of all alternatives of its
// variants. Each variant's entry keeps a copy of every alternative, so that
// values can be set before theirs is chosen. A choice copies the previous
// alternative from the struct to the entry and the new one to the struct.

#include "firth/fields.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <type_traits>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "firth/status_macros.h"

namespace firth {

std::string JoinAlternatives(const std::vector<std::string>& names) {
  if (names.size() < 2) return absl::StrJoin(names, "");
  return absl::StrCat(absl::StrJoin(names.begin(), names.end() - 1, ", "),
                      " or ", names.back());
}

namespace {

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

std::string NumberText(double value) {
  std::string text = absl::StrCat(value);
  double again = 0;
  const bool exact = absl::SimpleAtod(text, &again) && again == value;
  return exact ? text : absl::StrFormat("%.17g", value);
}

// Sizes are below this.
constexpr double kMostBytes = 0x1p63;

// Parses sizes such as "4G", "1.5GB" or "100000"; units are powers of 1024.
bool ParseSize(absl::string_view text, uint64_t* bytes) {
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
      value * unit >= kMostBytes) {
    return false;
  }
  *bytes = static_cast<uint64_t>(value * unit);
  return true;
}

bool SetFlag(const Field& field, absl::string_view text, bool* target) {
  const absl::string_view on = field.choices.empty() ? "true" : "on";
  const absl::string_view off = field.choices.empty() ? "false" : "off";
  if (text != on && text != off) return false;
  *target = text == on;
  return true;
}

bool SetNumber(const Field& field, absl::string_view text, double* target) {
  double value = 0;
  if (!absl::SimpleAtod(text, &value) || !std::isfinite(value)) return false;
  if (!field.InRange(value)) return false;
  *target = value;
  return true;
}

template <class Whole>
bool SetNumber(const Field& field, absl::string_view text, Whole* target) {
  Whole value = 0;
  if (!absl::SimpleAtoi(text, &value)) return false;
  if (!field.InRange(static_cast<double>(value))) return false;
  *target = value;
  return true;
}

// Writes a size in the largest unit that divides it, as ParseSize() reads it.
std::string SizeText(double bytes) {
  auto value = static_cast<uint64_t>(bytes);
  size_t unit = 0;
  for (; value >= 1024 && value % 1024 == 0 && unit < 4; ++unit) value /= 1024;
  return absl::StrCat(
      value, absl::string_view("KMGT").substr(unit == 0 ? 4 : unit - 1, 1));
}

bool SetNumber(const Field& field, absl::string_view text, uint64_t* target) {
  uint64_t value = 0;
  const bool read =
      field.is_size ? ParseSize(text, &value) : absl::SimpleAtoi(text, &value);
  if (!read || !field.InRange(static_cast<double>(value))) return false;
  *target = value;
  return true;
}

bool SetList(const Field& field, absl::string_view text,
             std::vector<int>* target) {
  std::vector<int> values;
  for (const absl::string_view piece : absl::StrSplit(text, ',')) {
    if (!SetNumber(field, piece, &values.emplace_back())) return false;
  }
  *target = std::move(values);
  return true;
}

std::optional<size_t> IndexOf(const std::vector<std::string>& names,
                              absl::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return found - names.begin();
}

bool SetChosen(const Field& field, absl::string_view text,
               const ChosenValue& target) {
  const auto former = field.former_choices.find(std::string(text));
  const std::optional<size_t> index =
      IndexOf(field.choices,
              former == field.former_choices.end() ? text : former->second);
  if (!index.has_value()) return false;
  target.set(*index);
  return true;
}

bool IsSet(absl::string_view text) {
  double number = 1;
  return !text.empty() && text != "false" && text != "off" &&
         !(absl::SimpleAtod(text, &number) && number == 0);
}

// Returns the condition as text, such as "loss ns or nce".
std::string ConditionText(const FieldCondition& condition) {
  std::string text = JoinAlternatives(condition.names);
  if (!condition.values.empty()) {
    absl::StrAppend(&text, " ", JoinAlternatives(condition.values));
  }
  return text;
}

FieldKind KindOf(const FieldTarget& target) {
  return std::visit(
      Overloaded{
          [](const bool*) { return FieldKind::kFlag; },
          [](const double*) { return FieldKind::kReal; },
          [](const std::vector<int>*) { return FieldKind::kWholes; },
          [](const std::string*) { return FieldKind::kText; },
          [](const std::vector<std::string>*) { return FieldKind::kTexts; },
          [](const std::vector<WordOrVector>*) { return FieldKind::kTerms; },
          [](const ChosenValue&) { return FieldKind::kChoice; },
          [](const WrittenValue&) { return FieldKind::kWritten; },
          [](const auto*) { return FieldKind::kWhole; }},
      target);
}

// Checks the number of bytes of a text, or of items of a list.
absl::Status CheckSize(const Field& field, size_t size) {
  if (field.InRange(static_cast<double>(size))) return absl::OkStatus();
  const bool is_text = field.kind == FieldKind::kText;
  return absl::InvalidArgumentError(absl::StrCat(
      field.name, ": expected ", is_text ? "a text of " : "", field.RangeText(),
      is_text ? " bytes" : " items", ", found ", size));
}

// Checks that a number, or each number in a list, is in the range, and the size
// of a text or of a list of texts.
absl::Status CheckRange(const Field& field, void* place) {
  const auto check = [&field](auto value) {
    const auto number = static_cast<double>(value);
    if (field.InRange(number) || number == field.automatic) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(absl::StrCat(
        field.name, ": expected ", field.RangeText(), ", found ", value));
  };
  return std::visit(
      Overloaded{[&](const ChosenValue& value) {
                   if (value.get() < field.choices.size()) {
                     return absl::OkStatus();
                   }
                   return absl::InvalidArgumentError(
                       absl::StrCat(field.name, ": expected ", field.Expected(),
                                    ", found ", value.get()));
                 },
                 [&](const std::vector<int>* values) {
                   absl::Status status;
                   for (const int value : *values) status.Update(check(value));
                   return status;
                 },
                 [&](const auto* value) {
                   using Value = std::remove_cvref_t<decltype(*value)>;
                   if constexpr (std::is_same_v<Value, bool>) {
                     return absl::OkStatus();
                   } else if constexpr (std::is_arithmetic_v<Value>) {
                     return check(*value);
                   } else {
                     return CheckSize(field, value->size());
                   }
                 },
                 [](const WrittenValue&) { return absl::OkStatus(); }},
      field.at(place));
}

}  // namespace

Field& Field::Range(double low, double high) {
  min = low;
  max = high >= 0x1p63 ? kUnlimited : high;
  return *this;
}

Field& Field::As(FieldRole its_role) {
  role = its_role;
  return *this;
}

Field& Field::Everyday() {
  everyday = true;
  return *this;
}

Field& Field::Details(absl::string_view text) {
  details = std::string(text);
  return *this;
}

Field& Field::Default(absl::string_view text) {
  default_text = std::string(text);
  has_default_text_ = true;
  return *this;
}

Field& Field::Automatic(double value, absl::string_view text) {
  automatic = value;
  return Default(text);
}

Field& Field::Size() {
  is_size = true;
  return *this;
}

Field& Field::ValueName(absl::string_view its_name) {
  value_name = std::string(its_name);
  return *this;
}

Field& Field::Unlisted() {
  unlisted = true;
  return *this;
}

Field& Field::Needs(std::vector<std::string> names,
                    std::vector<std::string> values) {
  needs.push_back({std::move(names), std::move(values)});
  return *this;
}

std::string Field::Text(void* value) const {
  return std::visit(
      Overloaded{[this](const bool* value) -> std::string {
                   if (choices.empty()) return *value ? "true" : "false";
                   return *value ? "on" : "off";
                 },
                 [](const double* value) { return NumberText(*value); },
                 [](const std::string* value) { return *value; },
                 [](const std::vector<int>* value) {
                   return absl::StrJoin(*value, ",");
                 },
                 [](const std::vector<std::string>* value) {
                   return absl::StrJoin(*value, ",");
                 },
                 [](const std::vector<WordOrVector>* value) {
                   return absl::StrJoin(*value, ",",
                                        [](std::string* out, const auto& term) {
                                          absl::StrAppend(out, term.word);
                                        });
                 },
                 [this](const ChosenValue& value) {
                   const size_t chosen = value.get();
                   return chosen < choices.size() ? choices[chosen]
                                                  : absl::StrCat(chosen);
                 },
                 [](const WrittenValue& value) { return value.get(); },
                 [](const auto* value) { return absl::StrCat(*value); }},
      at(value));
}

bool Field::SetText(absl::string_view text, void* value) const {
  return std::visit(
      Overloaded{
          [&](bool* value) { return SetFlag(*this, text, value); },
          [&](std::string* value) {
            *value = std::string(text);
            return true;
          },
          [&](std::vector<int>* value) { return SetList(*this, text, value); },
          [&](std::vector<std::string>* value) {
            *value = absl::StrSplit(text, ',', absl::SkipEmpty());
            return !value->empty();
          },
          [&](std::vector<WordOrVector>* value) {
            value->clear();
            for (const absl::string_view word :
                 absl::StrSplit(text, ',', absl::SkipEmpty())) {
              value->push_back({std::string(word), {}});
            }
            return !value->empty();
          },
          [&](const ChosenValue& value) {
            return SetChosen(*this, text, value);
          },
          [&](const WrittenValue& value) {
            return value.set(std::string(text));
          },
          [&](auto* value) { return SetNumber(*this, text, value); }},
      at(value));
}

std::string Field::RangeText() const {
  const auto text = [this](double value) {
    if (is_size) return SizeText(value);
    return kind == FieldKind::kReal ? absl::StrCat(value)
                                    : absl::StrCat(static_cast<int64_t>(value));
  };
  if (max == kUnlimited || (is_size && max >= kMostBytes)) {
    return text(min) + " or more";
  }
  return absl::StrCat(text(min), " to ", text(max));
}

std::string Field::Expected() const {
  switch (kind) {
    case FieldKind::kWhole:
      if (is_size && max < kMostBytes) {
        return absl::StrCat("a size, ", RangeText());
      }
      if (is_size) return "a size, such as 512M or 4G";
      return absl::StrCat("a whole number, ", RangeText());
    case FieldKind::kReal:
      return absl::StrCat("a number, ", RangeText());
    case FieldKind::kWholes:
      return absl::StrCat("whole numbers separated by commas, ", RangeText());
    case FieldKind::kFlag:
      if (choices.empty()) return "true or false";
      [[fallthrough]];
    case FieldKind::kChoice:
      return JoinAlternatives(choices);
    case FieldKind::kWritten:
      return initial.empty() ? value_name
                             : absl::StrCat(value_name, " such as ", initial);
    case FieldKind::kText:
    case FieldKind::kTexts:
    case FieldKind::kTerms:
      return "a text that is not empty";
  }
  return "";
}

Field& FieldTable::AddField(absl::string_view name, absl::string_view help,
                            Field field, void* initial) {
  field.name = std::string(name);
  field.help = std::string(help);
  field.section = section_;
  const FieldTarget target = field.at(initial);
  field.kind = KindOf(target);
  if (field.min == 0 && field.max == Field::kUnlimited) {
    if (std::holds_alternative<int*>(target)) field.max = INT_MAX;
    if (std::holds_alternative<uint32_t*>(target)) field.max = UINT32_MAX;
  }
  // A switch cannot turn off a flag, so one that is on by default is a choice.
  const bool* const* const flag = std::get_if<bool*>(&target);
  if (flag != nullptr && **flag) field.choices = {"on", "off"};
  field.initial = field.Text(initial);
  if (!field.has_default_text_) field.default_text = field.initial;
  fields_.push_back(std::move(field));
  return fields_.back();
}

FieldEditor::FieldEditor(const FieldTable& table, void* options)
    : options_(options) {
  AddEntries(table, kNone, 0);
}

void FieldEditor::AddEntries(const FieldTable& table, size_t variant,
                             size_t alternative) {
  for (const Field& field : table.fields()) {
    const size_t entry = entries_.size();
    entries_.push_back({&field, variant, alternative, {}});
    if (!IndexOf(names_, field.name)) names_.push_back(field.name);
    for (size_t i = 0; i < field.alternatives.size(); ++i) {
      const FieldAlternative& one = field.alternatives[i];
      entries_[entry].values.push_back(one.copy(ValueOf(entries_[entry])));
      AddEntries(*one.fields, entry, i);
    }
  }
}

size_t FieldEditor::ChosenOf(const Entry& variant) const {
  return std::get<ChosenValue>(variant.field->at(ValueOf(variant))).get();
}

void* FieldEditor::ValueOf(const Entry& entry) const {
  void* owner = options_;
  if (entry.variant != kNone) {
    const Entry& variant = entries_[entry.variant];
    owner =
        variant.field->alternatives[entry.alternative].find(ValueOf(variant));
    if (owner == nullptr) owner = variant.values[entry.alternative].get();
  }
  return static_cast<char*>(owner) + entry.field->offset;
}

bool FieldEditor::IsChosen(const Entry& entry) const {
  if (entry.variant == kNone) return true;
  const Entry& variant = entries_[entry.variant];
  return ChosenOf(variant) == entry.alternative && IsChosen(variant);
}

const FieldEditor::Entry* FieldEditor::FindEntry(absl::string_view name) const {
  const Entry* found = nullptr;
  for (const Entry& entry : entries_) {
    if (entry.field->name != name) continue;
    if (IsChosen(entry)) return &entry;
    if (found == nullptr) found = &entry;
  }
  return found;
}

const Field* FieldEditor::Find(absl::string_view name) const {
  const Entry* const entry = FindEntry(name);
  return entry == nullptr ? nullptr : entry->field;
}

std::string FieldEditor::Text(absl::string_view name) const {
  const Entry* const entry = FindEntry(name);
  return entry == nullptr ? "" : entry->field->Text(ValueOf(*entry));
}

std::string FieldEditor::DefaultText(absl::string_view name) const {
  std::vector<std::string> texts;
  for (const Entry& entry : entries_) {
    if (entry.field->name != name) continue;
    const std::string& text = entry.field->default_text;
    if (texts.empty()) {
      texts.push_back(text);
    } else if (text != texts[0]) {
      texts.push_back(absl::StrCat(
          text, " with ",
          entries_[entry.variant].field->choices[entry.alternative]));
    }
  }
  return absl::StrJoin(texts, ", ");
}

FieldTarget FieldEditor::At(absl::string_view name) const {
  const Entry* const entry = FindEntry(name);
  return entry->field->at(ValueOf(*entry));
}

bool FieldEditor::SetText(absl::string_view name, absl::string_view text) {
  return Set(name, [text](const Field& field, void* value) {
    return field.SetText(text, value);
  });
}

bool FieldEditor::Set(absl::string_view name,
                      absl::FunctionRef<bool(const Field&, void*)> set) {
  bool found = false;
  for (Entry& entry : entries_) {
    if (entry.field->name != name) continue;
    void* const value = ValueOf(entry);
    const auto& alternatives = entry.field->alternatives;
    if (!alternatives.empty()) {
      const size_t before = ChosenOf(entry);
      entry.values[before] = alternatives[before].copy(value);
    }
    if (!set(*entry.field, value)) return false;
    if (!alternatives.empty()) {
      const size_t now = ChosenOf(entry);
      alternatives[now].choose(value, entry.values[now].get());
    }
    found = true;
  }
  return found;
}

void FieldEditor::Reset(absl::string_view name) {
  for (const Entry& entry : entries_) {
    if (entry.field->name == name) entry.field->reset(ValueOf(entry));
  }
}

std::vector<FieldCondition> FieldEditor::Needs(absl::string_view name) const {
  const Entry* const entry = FindEntry(name);
  if (entry == nullptr) return {};
  std::vector<FieldCondition> needs;
  if (entry->variant != kNone) {
    const Field& variant = *entries_[entry->variant].field;
    needs = Needs(variant.name);
    FieldCondition own{{variant.name}, {}};
    for (const Entry& other : entries_) {
      if (other.field->name != name || other.variant != entry->variant)
        continue;
      own.values.push_back(
          entries_[other.variant].field->choices[other.alternative]);
    }
    if (own.values.size() < variant.choices.size()) needs.push_back(own);
  }
  needs.insert(needs.end(), entry->field->needs.begin(),
               entry->field->needs.end());
  return needs;
}

bool FieldEditor::Applies(absl::string_view name) const {
  const auto text_of =
      [this](absl::string_view other) -> std::optional<std::string> {
    if (!Applies(other)) return std::nullopt;
    return Text(other);
  };
  for (const FieldCondition& condition : Needs(name)) {
    if (!Holds(condition, text_of)) return false;
  }
  return Find(name) != nullptr;
}

absl::Status FieldEditor::Check() const {
  for (const Entry& entry : entries_) {
    if (!IsChosen(entry)) continue;
    FIRTH_RETURN_IF_ERROR(CheckRange(*entry.field, ValueOf(entry)));
  }
  return absl::OkStatus();
}

bool Holds(const FieldCondition& condition,
           absl::FunctionRef<std::optional<std::string>(absl::string_view name)>
               text_of) {
  for (const std::string& name : condition.names) {
    const std::optional<std::string> text = text_of(name);
    if (!text.has_value()) continue;
    if (condition.values.empty()
            ? IsSet(*text)
            : IndexOf(condition.values, *text).has_value()) {
      return true;
    }
  }
  return false;
}

absl::Status DoesNotApply(const FieldEditor& editor, absl::string_view name) {
  std::vector<std::string> needed;
  std::vector<std::string> found;
  for (const FieldCondition& condition : editor.Needs(name)) {
    needed.push_back(ConditionText(condition));
    for (const std::string& other : condition.names) {
      const std::string text = editor.Text(other);
      if (!text.empty()) found.push_back(absl::StrCat(other, " is ", text));
    }
  }
  return absl::InvalidArgumentError(absl::StrCat(
      name, " requires ", absl::StrJoin(needed, " and "),
      found.empty() ? "" : ", but ", absl::StrJoin(found, " and ")));
}

absl::Status CheckFields(const FieldTable& table, const void* options) {
  // The editor does not change the options.
  return FieldEditor(table, const_cast<void*>(options)).Check();
}

absl::Status CheckFieldsApply(const FieldTable& table, const void* options,
                              const std::vector<std::string>& names) {
  const FieldEditor editor(table, const_cast<void*>(options));
  for (const std::string& name : names) {
    const Field* const field = editor.Find(name);
    if (editor.Text(name) != field->initial && !editor.Applies(name)) {
      return DoesNotApply(editor, name);
    }
  }
  return absl::OkStatus();
}

}  // namespace firth
