// Options structs that describe themselves, field by field.
//
// What the fields of a struct of options are called, what each may hold, what
// it is for and where it applies is said once, in a table that is declared in
// firth/option_fields.h and made in the .cc file of the struct:
//
//   const FieldTable& FieldsFor(const NceOptions*) {
//     static const FieldTable& table = *new FieldTable([] {
//       FieldsOf<NceOptions> fields;
//       fields.Add("negative", &NceOptions::negatives, "noise words a window")
//           .Range(1, 1000);
//       return fields;
//     }());
//     return table;
//   }
//
// What is said there is all that validation, JSON, the command line with its
// help, the identity of checkpoints and the reports know: they are written once
// over any such table. A field's name is that of its option on the command line
// and of its member in JSON.
//
// A variant is a field whose value is the name of the chosen alternative. The
// fields of the alternatives stand beside it, as if they were the struct's own,
// and go with it: setting one is an error where another alternative is chosen.
// Alternatives may share a name for what means the same, with the same range.

#ifndef FIRTH_FIELDS_H_
#define FIRTH_FIELDS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "firth/option_fields.h"

namespace firth {

class FieldTable;

// What a field is for.
enum class FieldRole {
  kShape,  // what the model's tables are made for: it never changes
  kHabit,  // how the model is trained; kept when a training goes on with it
  kRun,    // of one training alone, such as its seed and its rate
  kWork,   // how the work is done, not what comes of it: threads, memory
  kPlace,  // where files are
};

// One of the fields called `names` is set, or, where there are `values`, has
// one of them.
struct FieldCondition {
  std::vector<std::string> names;
  std::vector<std::string> values;
};

enum class FieldKind {
  kFlag,
  kWhole,  // a number
  kReal,
  kWholes,  // a list
  kText,
  kTexts,    // a list
  kChoice,   // one of Field::choices
  kWritten,  // any other type, as a text
};

// A value that is chosen from Field::choices, by its number there.
struct ChosenValue {
  std::function<size_t()> get;
  std::function<void(size_t)> set;
};

// A value of any other type, by its text. `set` returns false and changes
// nothing where the text is none.
struct WrittenValue {
  std::function<std::string()> get;
  std::function<bool(const std::string&)> set;
};

// Where the value of a field is, in some struct.
using FieldTarget =
    std::variant<bool*, int*, uint32_t*, uint64_t*, double*, std::string*,
                 std::vector<int>*, std::vector<std::string>*, ChosenValue,
                 WrittenValue>;

// An alternative of a variant. `owner` is the struct that has the variant.
struct FieldAlternative {
  const FieldTable* fields;
  std::function<void*(void* owner)> find;  // null: another one is chosen
  // A copy of it, or, if another one is chosen, one of its defaults.
  std::function<std::shared_ptr<void>(void* owner)> copy;
  std::function<void(void* owner, const void* value)> choose;
};

struct Field {
  static constexpr double kUnlimited = std::numeric_limits<double>::infinity();

  // What the table says of it. Each returns the field, for the next.
  Field& Range(double low, double high);
  Field& Shape() { return As(FieldRole::kShape); }
  Field& Habit() { return As(FieldRole::kHabit); }
  Field& Work() { return As(FieldRole::kWork); }
  Field& Place() { return As(FieldRole::kPlace); }
  Field& Everyday();
  Field& Details(absl::string_view text);
  Field& Default(absl::string_view text);
  Field& Automatic(double value, absl::string_view text);
  Field& Size();
  Field& ValueName(absl::string_view value_name);
  Field& OneOf(std::vector<std::string> names);  // of a text
  Field& Needs(std::vector<std::string> names,
               std::vector<std::string> values = {});

  // The value as it would be typed.
  std::string Text(void* owner) const;
  // Returns false, and changes nothing, where the text is no value in range.
  bool SetText(absl::string_view text, void* owner) const;
  // NaN is in no range.
  bool InRange(double value) const { return value >= min && value <= max; }
  // "1 to 1000".
  std::string RangeText() const;
  // What SetText() takes, for messages.
  std::string Expected() const;

  std::string name;
  std::string help;          // one sentence without capital and full stop
  std::string details;       // more of it
  std::string section;       // the title that it stands under
  std::string initial;       // the text of the default
  std::string default_text;  // what is told of it
  std::string value_name;    // what stands for the value in a help
  FieldKind kind = FieldKind::kText;
  FieldRole role = FieldRole::kRun;
  bool everyday = false;  // most people want to know it
  bool is_size = false;   // bytes: may be typed as 4G
  double min = 0;         // of numbers, and of those in a list
  double max = kUnlimited;
  // A value out of the range that lets the library choose one.
  std::optional<double> automatic;
  std::vector<std::string> choices;
  std::vector<FieldAlternative> alternatives;  // of a variant
  std::vector<FieldCondition> needs;           // all of them
  // The value in the struct; back to its default.
  std::function<FieldTarget(void* owner)> at;
  std::function<void(void* owner)> reset;

 private:
  Field& As(FieldRole its_role);
};

// The fields of a struct, in the order of its help.
class FieldTable {
 public:
  const std::vector<Field>& fields() const { return fields_; }

 protected:
  // Finds the default's text, of `defaults`.
  Field& AddField(absl::string_view name, absl::string_view help, Field field,
                  void* defaults);

  std::vector<Field> fields_;
  std::string section_;
};

template <class Options>
const FieldTable& TableFor() {
  return FieldsFor(static_cast<const Options*>(nullptr));
}

template <class Options>
class FieldsOf : public FieldTable {
 public:
  // Of the fields that follow.
  void Section(absl::string_view title) { section_ = std::string(title); }

  template <class Value>
  Field& Add(absl::string_view name, Value Options::*member,
             absl::string_view help) {
    return AddAs(name, member, help, [member](void* owner) -> FieldTarget {
      return &(static_cast<Options*>(owner)->*member);
    });
  }

  // An enum, or a bool, whose values 0, 1, 2... have these names.
  template <class Value>
  Field& Choice(absl::string_view name, Value Options::*member,
                std::vector<std::string> names, absl::string_view help) {
    Field field;
    field.choices = std::move(names);
    return AddAs(
        name, member, help,
        [member](void* owner) -> FieldTarget {
          Value* const value = &(static_cast<Options*>(owner)->*member);
          return ChosenValue{
              [value] { return static_cast<size_t>(*value); },
              [value](size_t chosen) { *value = static_cast<Value>(chosen); }};
        },
        std::move(field));
  }

  template <class... Alternatives>
  Field& Variant(absl::string_view name,
                 std::variant<Alternatives...> Options::*member,
                 absl::string_view help) {
    Field field;
    (AddAlternative<Alternatives>(member, &field), ...);
    return AddAs(
        name, member, help,
        [member](void* owner) -> FieldTarget {
          auto* const value = &(static_cast<Options*>(owner)->*member);
          return ChosenValue{
              [value] { return value->index(); },
              [value](size_t chosen) {
                size_t i = 0;
                ((i++ == chosen ? void(*value = Alternatives{}) : void()), ...);
              }};
        },
        std::move(field));
  }

  // A value that `get` makes a text of and `set` makes of a text.
  template <class Value>
  Field& Written(absl::string_view name, Value Options::*member,
                 std::string (*get)(const Value&),
                 bool (*set)(const std::string&, Value*),
                 absl::string_view help) {
    return AddAs(name, member, help, [=](void* owner) -> FieldTarget {
      Value* const value = &(static_cast<Options*>(owner)->*member);
      return WrittenValue{
          [=] { return get(*value); },
          [=](const std::string& text) { return set(text, value); }};
    });
  }

  // The fields of a struct that is part of this one.
  template <class PartOptions>
  void Part(PartOptions Options::*member) {
    const auto part = [member](void* owner) -> void* {
      return &(static_cast<Options*>(owner)->*member);
    };
    for (Field field : TableFor<PartOptions>().fields()) {
      field.at = [part, at = field.at](void* owner) { return at(part(owner)); };
      field.reset = [part, reset = field.reset](void* owner) {
        reset(part(owner));
      };
      for (FieldAlternative& one : field.alternatives) {
        one.find = [part, find = one.find](void* o) { return find(part(o)); };
        one.copy = [part, copy = one.copy](void* o) { return copy(part(o)); };
        one.choose = [part, choose = one.choose](void* o, const void* value) {
          choose(part(o), value);
        };
      }
      if (field.section.empty()) field.section = section_;
      fields_.push_back(std::move(field));
    }
  }

 private:
  template <class Value>
  Field& AddAs(absl::string_view name, Value Options::*member,
               absl::string_view help, std::function<FieldTarget(void*)> at,
               Field field = {}) {
    field.at = std::move(at);
    field.reset = [member](void* owner) {
      static_cast<Options*>(owner)->*member = Options{}.*member;
    };
    Options defaults;
    return AddField(name, help, std::move(field), &defaults);
  }

  template <class Alternative, class Variant>
  void AddAlternative(Variant Options::*member, Field* field) {
    const auto get = [member](void* owner) {
      return &(static_cast<Options*>(owner)->*member);
    };
    FieldAlternative added;
    added.fields = &TableFor<Alternative>();
    added.find = [get](void* owner) -> void* {
      return std::get_if<Alternative>(get(owner));
    };
    added.copy = [get](void* owner) -> std::shared_ptr<void> {
      const auto* const chosen = std::get_if<Alternative>(get(owner));
      return std::make_shared<Alternative>(chosen != nullptr ? *chosen
                                                             : Alternative{});
    };
    added.choose = [get](void* owner, const void* value) {
      *get(owner) = *static_cast<const Alternative*>(value);
    };
    field->choices.emplace_back(Alternative::kName);
    field->alternatives.push_back(std::move(added));
  }
};

// A struct of options whose fields are read and set by name, in any order: the
// alternatives of its variants that are not chosen keep what is set of them,
// and have it when they are chosen. The struct always holds what is chosen.
class FieldEditor {
 public:
  template <class Options>
  explicit FieldEditor(Options* options)
      : FieldEditor(TableFor<Options>(), options) {}
  FieldEditor(const FieldTable& table, void* options);
  FieldEditor(const FieldEditor&) = delete;
  FieldEditor& operator=(const FieldEditor&) = delete;

  // Of all fields, those of alternatives included, each once, in order.
  const std::vector<std::string>& names() const { return names_; }
  // That of the chosen alternative, if there is one; null: no such name.
  const Field* Find(absl::string_view name) const;
  std::string Text(absl::string_view name) const;
  std::string DefaultText(absl::string_view name) const;
  // Sets the field of this name, in all alternatives that have it. Returns
  // false where there is none, or where the text is no value of it.
  bool SetText(absl::string_view name, absl::string_view text);
  bool Set(absl::string_view name,
           absl::FunctionRef<bool(const Field&, void* owner)> set);
  void Reset(absl::string_view name);

  // Its number or text as it stands in the struct, or in an alternative.
  FieldTarget At(absl::string_view name) const;

  // What the field goes with, the variants of which it is a part first.
  std::vector<FieldCondition> Needs(absl::string_view name) const;
  bool Applies(absl::string_view name) const;
  // See CheckFields().
  absl::Status Check() const;

 private:
  // A field where it stands: in the struct, or in an alternative of one of the
  // variants before it.
  struct Entry {
    const Field* field;
    size_t variant;  // the entry; kNone: in the struct itself
    size_t alternative;
    std::vector<std::shared_ptr<void>> values;  // of a variant's alternatives
  };
  static constexpr size_t kNone = SIZE_MAX;

  void AddEntries(const FieldTable& table, size_t variant, size_t alternative);
  void* Owner(const Entry& entry) const;
  size_t ChosenOf(const Entry& variant) const;
  bool IsChosen(const Entry& entry) const;
  const Entry* FindEntry(absl::string_view name) const;

  void* options_;
  std::vector<Entry> entries_;
  std::vector<std::string> names_;
};

// Whether a condition holds; text_of gives the value of an applicable field.
bool Holds(const FieldCondition& condition,
           absl::FunctionRef<std::optional<std::string>(absl::string_view name)>
               text_of);

// "negative goes with loss ns or nce, found loss hs": of a field that does not
// apply.
absl::Status DoesNotApply(const FieldEditor& editor, absl::string_view name);

// Whether each field is in its range. Errors: InvalidArgument, "name: expected
// 1 to 1000, found 0".
absl::Status CheckFields(const FieldTable& table, const void* options);
template <class Options>
absl::Status CheckFields(const Options& options) {
  return CheckFields(TableFor<Options>(), &options);
}

// Whether each of these fields applies or is at its default.
absl::Status CheckFieldsApply(const FieldTable& table, const void* options,
                              const std::vector<std::string>& names);
template <class Options>
absl::Status CheckFieldsApply(const Options& options,
                              const std::vector<std::string>& names) {
  return CheckFieldsApply(TableFor<Options>(), &options, names);
}

// Every field that applies, as a JSON object: numbers, booleans, lists, and
// text for all others. This form, with these names, is kept from version to
// version.
std::string FieldsJson(const FieldTable& table, const void* options);
template <class Options>
std::string FieldsJson(const Options& options) {
  return FieldsJson(TableFor<Options>(), &options);
}

// Sets what a JSON object names. Errors: InvalidArgument, with the name: one
// that is unknown, or given twice, or does not apply; a value of another type
// or out of its range, with what was expected and found. Nothing is said of
// what contradicts: see Validate() of the struct.
absl::Status ReadFieldsJson(absl::string_view json, const FieldTable& table,
                            void* options);
template <class Options>
absl::StatusOr<Options> ReadFieldsJson(absl::string_view json) {
  Options options;
  absl::Status status = ReadFieldsJson(json, TableFor<Options>(), &options);
  if (!status.ok()) return status;
  return options;
}

}  // namespace firth

#endif  // FIRTH_FIELDS_H_
