// Structs of options that describe themselves, field by field.
//
// A table says once, for each field of such a struct, what it is called, what
// values it may have, what it is for and where it applies. It is the static
// Fields() of the struct, which stands beside Validate():
//
//   FieldTable NceOptions::Fields() {
//     FieldsOf<NceOptions> fields;
//     fields.Add("negative", &NceOptions::negatives, "noise words a window")
//         .Range(1, 1000);
//     return fields;
//   }
//
// Validation, JSON, the command line with its help, the identity of checkpoints
// and the reports are written once, over any such table. The name of a field is
// that of its option on the command line and of its member in JSON.
//
// A std::variant is a field whose value is the name of the chosen alternative.
// The fields of the alternatives stand beside it, as if they were the struct's
// own, and go with it: to set one is an error where another alternative is
// chosen. Alternatives may share the name of a field that means the same in
// both, with the same range.

#ifndef FIRTH_FIELDS_H_
#define FIRTH_FIELDS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace firth {

class FieldTable;

// Maximum of every option "threads". A larger number is taken for a mistake,
// since each thread takes memory before the work begins.
constexpr int kMostThreads = 1024;

// The role of a field.
enum class FieldRole {
  kShape,  // what the model's tables are made for: it never changes
  kHabit,  // how the model is trained; kept when a training goes on with it
  kRun,    // of one training alone, such as its seed and its rate
  kWork,   // how the work is done, not what comes of it: threads, memory
  kPlace,  // where files are
};

// It holds if one of the fields called `names` is set or, where there are
// `values`, has one of them.
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

// Reads and sets a value that is chosen from Field::choices, by its number
// there.
struct ChosenValue {
  std::function<size_t()> get;
  std::function<void(size_t)> set;
};

// Reads and sets a value of any other type, by its text. `set` returns false
// and changes nothing where the text is no such value.
struct WrittenValue {
  std::function<std::string()> get;
  std::function<bool(const std::string&)> set;
};

// The value of a field in one struct, by its type.
using FieldTarget =
    std::variant<bool*, int*, uint32_t*, uint64_t*, double*, std::string*,
                 std::vector<int>*, std::vector<std::string>*, ChosenValue,
                 WrittenValue>;

// How an alternative of a variant is found, kept aside and put back; `variant`
// points to the variant.
struct FieldAlternative {
  const FieldTable* fields;
  void* (*find)(void* variant);  // null where another one is chosen
  // Copies it or, where another one is chosen, one with its defaults.
  std::shared_ptr<void> (*copy)(void* variant);
  void (*choose)(void* variant, const void* value);
};

struct Field {
  static constexpr double kUnlimited = std::numeric_limits<double>::infinity();

  // With these the table describes a field. Each returns the field, so that
  // calls can be chained.
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
  Field& Unlisted();
  Field& Needs(std::vector<std::string> names,
               std::vector<std::string> values = {});

  // The value as it would be typed. `value` points to it, here and below.
  std::string Text(void* value) const;
  // Returns false, and changes nothing, where the text is no value in range.
  bool SetText(absl::string_view text, void* value) const;
  // NaN is in no range.
  bool InRange(double value) const { return value >= min && value <= max; }
  // "1 to 1000".
  std::string RangeText() const;
  // Says for messages what SetText() takes.
  std::string Expected() const;

  std::string name;
  std::string help;          // one sentence without capital and full stop
  std::string details;       // more help, which a first page leaves out
  std::string section;       // the title that the help puts it under
  std::string initial;       // the default as it would be typed
  std::string default_text;  // what the help says of the default
  std::string value_name;    // what stands for the value in the help
  FieldKind kind = FieldKind::kText;
  FieldRole role = FieldRole::kRun;
  bool everyday = false;  // most people want to know it
  bool is_size = false;   // counts bytes and may be typed as 4G
  // The command line does not have it, and JSON only where it is no default.
  bool unlisted = false;
  double min = 0;  // of a number, and of each number in a list
  double max = kUnlimited;
  // A value out of the range, with which the library chooses one.
  std::optional<double> automatic;
  std::vector<std::string> choices;
  std::vector<FieldAlternative> alternatives;  // of a variant
  std::vector<FieldCondition> needs;  // it applies where all of them hold
  ptrdiff_t offset = 0;               // of the value in its struct, in bytes
  std::function<FieldTarget(void* value)> at;
  std::function<void(void* value)> reset;  // to the default

 private:
  Field& As(FieldRole its_role);
};

// The fields of a struct, in the order in which a help lists them.
class FieldTable {
 public:
  const std::vector<Field>& fields() const { return fields_; }

 protected:
  // Adds the field, whose default stands at `initial`.
  Field& AddField(absl::string_view name, absl::string_view help, Field field,
                  void* initial);

  std::vector<Field> fields_;
  std::string section_;
};

// The table of a struct, made once. A struct without members needs none.
template <class Options>
const FieldTable& TableFor() {
  static const FieldTable& table = *new FieldTable([] {
    if constexpr (std::is_empty_v<Options>) {
      return FieldTable();
    } else {
      return Options::Fields();
    }
  }());
  return table;
}

template <class Options>
class FieldsOf : public FieldTable {
 public:
  // Puts the fields that follow under a title.
  void Section(absl::string_view title) { section_ = std::string(title); }

  template <class Value>
  Field& Add(absl::string_view name, Value Options::*member,
             absl::string_view help) {
    return AddAs(name, member, help, [](void* value) -> FieldTarget {
      return static_cast<Value*>(value);
    });
  }

  // Adds an enum, or a bool, whose values 0, 1, 2... have these names.
  template <class Value>
  Field& Choice(absl::string_view name, Value Options::*member,
                std::vector<std::string> names, absl::string_view help) {
    Field field;
    field.choices = std::move(names);
    return AddAs(
        name, member, help,
        [](void* place) -> FieldTarget {
          auto* const value = static_cast<Value*>(place);
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
    using Value = std::variant<Alternatives...>;
    Field field;
    (AddAlternative<Alternatives, Value>(&field), ...);
    return AddAs(
        name, member, help,
        [](void* place) -> FieldTarget {
          auto* const value = static_cast<Value*>(place);
          return ChosenValue{
              [value] { return value->index(); },
              [value](size_t chosen) {
                size_t i = 0;
                ((i++ == chosen ? void(*value = Alternatives{}) : void()), ...);
              }};
        },
        std::move(field));
  }

  // Adds a value that `get` makes a text of and `set` makes of a text.
  template <class Value>
  Field& Written(absl::string_view name, Value Options::*member,
                 std::string (*get)(const Value&),
                 bool (*set)(const std::string&, Value*),
                 absl::string_view help) {
    return AddAs(name, member, help, [=](void* place) -> FieldTarget {
      auto* const value = static_cast<Value*>(place);
      return WrittenValue{
          [=] { return get(*value); },
          [=](const std::string& text) { return set(text, value); }};
    });
  }

  // Adds the fields of a struct that is a member of this one, with a prefix to
  // their names; none of theirs needs another one by its name then.
  template <class PartOptions>
  void Part(PartOptions Options::*member, absl::string_view prefix = "") {
    for (Field field : TableFor<PartOptions>().fields()) {
      field.name = absl::StrCat(prefix, field.name);
      field.offset += OffsetOf(member);
      if (field.section.empty()) field.section = section_;
      fields_.push_back(std::move(field));
    }
  }

 private:
  template <class Value>
  static ptrdiff_t OffsetOf(Value Options::*member) {
    Options options;
    return reinterpret_cast<char*>(&(options.*member)) -
           reinterpret_cast<char*>(&options);
  }

  template <class Value>
  Field& AddAs(absl::string_view name, Value Options::*member,
               absl::string_view help, std::function<FieldTarget(void*)> at,
               Field field = {}) {
    Value initial = Options{}.*member;
    field.offset = OffsetOf(member);
    field.at = std::move(at);
    field.reset = [initial](void* value) {
      *static_cast<Value*>(value) = initial;
    };
    return AddField(name, help, std::move(field), &initial);
  }

  template <class Alternative, class Variant>
  static void AddAlternative(Field* field) {
    field->choices.emplace_back(Alternative::kName);
    field->alternatives.push_back(
        {.fields = &TableFor<Alternative>(),
         .find = [](void* variant) -> void* {
           return std::get_if<Alternative>(static_cast<Variant*>(variant));
         },
         .copy = [](void* variant) -> std::shared_ptr<void> {
           const auto* const chosen =
               std::get_if<Alternative>(static_cast<Variant*>(variant));
           return std::make_shared<Alternative>(
               chosen != nullptr ? *chosen : Alternative{});
         },
         .choose =
             [](void* variant, const void* value) {
               *static_cast<Variant*>(variant) =
                   *static_cast<const Alternative*>(value);
             }});
  }
};

// Reads and sets the fields of a struct by name, in any order. Alternatives of
// its variants that are not chosen keep what is set of them, and have it when
// they are chosen. The struct always holds what is chosen.
class FieldEditor {
 public:
  template <class Options>
  explicit FieldEditor(Options* options)
      : FieldEditor(TableFor<Options>(), options) {}
  FieldEditor(const FieldTable& table, void* options);
  FieldEditor(const FieldEditor&) = delete;
  FieldEditor& operator=(const FieldEditor&) = delete;

  // The names of all fields, those of alternatives included, each once, in
  // order.
  const std::vector<std::string>& names() const { return names_; }
  // The field of this name, of the chosen alternative where several have one;
  // null where there is none.
  const Field* Find(absl::string_view name) const;
  std::string Text(absl::string_view name) const;
  std::string DefaultText(absl::string_view name) const;
  // Sets the field of this name, in all alternatives that have it. Returns
  // false where there is none, or where the text is no value of it.
  bool SetText(absl::string_view name, absl::string_view text);
  bool Set(absl::string_view name,
           absl::FunctionRef<bool(const Field&, void* value)> set);
  void Reset(absl::string_view name);

  // Points to the value of this field, which stands in the struct or in an
  // alternative.
  FieldTarget At(absl::string_view name) const;

  // The conditions under which the field applies. Those of the variants that it
  // is a part of come first.
  std::vector<FieldCondition> Needs(absl::string_view name) const;
  bool Applies(absl::string_view name) const;
  // See CheckFields().
  absl::Status Check() const;

 private:
  // A field of the struct, or of an alternative of one of the variants before
  // it.
  struct Entry {
    const Field* field;
    size_t variant;  // position of that variant; kNone: the struct's own field
    size_t alternative;
    std::vector<std::shared_ptr<void>> values;  // of a variant's alternatives
  };
  static constexpr size_t kNone = SIZE_MAX;

  void AddEntries(const FieldTable& table, size_t variant, size_t alternative);
  void* ValueOf(const Entry& entry) const;
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

// The error of a field that does not apply: "negative goes with loss ns or nce,
// found loss hs".
absl::Status DoesNotApply(const FieldEditor& editor, absl::string_view name);

// Checks that each field is in its range. Errors: InvalidArgument, "name:
// expected 1 to 1000, found 0".
absl::Status CheckFields(const FieldTable& table, const void* options);
template <class Options>
absl::Status CheckFields(const Options& options) {
  return CheckFields(TableFor<Options>(), &options);
}

// Checks that each of these fields applies or has its default.
absl::Status CheckFieldsApply(const FieldTable& table, const void* options,
                              const std::vector<std::string>& names);
template <class Options>
absl::Status CheckFieldsApply(const Options& options,
                              const std::vector<std::string>& names) {
  return CheckFieldsApply(TableFor<Options>(), &options, names);
}

// Makes a JSON object of every field that applies: numbers, booleans, lists,
// and text for all others. This form, with these names, is kept from version to
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
absl::Status ReadFieldsJson(absl::string_view json, FieldEditor* fields);
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
