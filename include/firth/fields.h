// Structs of options that describe their own fields.
//
// A field table defines each field of an options struct once: its name, its
// allowed values, its help text and when it applies. The table is the static
// Fields() of the struct, next to Validate():
//
//   FieldTable NceOptions::Fields() {
//     FieldsOf<NceOptions> fields;
//     fields.Add("negative", &NceOptions::negatives, "noise words per window",
//                Field().Range(1, 1000).Habit());
//     return fields;
//   }
//
// Validation, JSON, the command line with its help, the identity of checkpoints
// and the reports are each implemented once, for any such table. The name of a
// field is the name of its command-line option and of its JSON member.
//
// A std::variant is a field whose value is the name of the chosen alternative.
// The fields of the alternatives are listed next to it, as if they belonged to
// the struct, and each applies only with its alternative: setting a field of
// another alternative is an error. Two alternatives may share a field name if
// the field has the same meaning and range in both.

#ifndef FIRTH_FIELDS_H_
#define FIRTH_FIELDS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
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
#include "absl/types/span.h"

namespace firth {

class FieldTable;

// Maximum of every option "threads". A larger number is considered a mistake,
// since each thread takes memory before the work begins.
constexpr int kMostThreads = 1024;

enum class FieldRole {
  // Part of the model's shape, such as the sizes of its tables; never changes.
  kShape,
  kHabit,  // How the model is trained; kept when training continues.
  kRun,  // Concerns a single training run, such as its seed and learning rate.
  // How the work is done, without effect on the result: threads, memory.
  kWork,
  kPlace,  // The path of a file or folder.
};

// Holds if one of the fields `names` is set or, if `values` is not empty, has
// one of these values.
struct FieldCondition {
  std::vector<std::string> names;
  std::vector<std::string> values;
};

// Returns "a", "a or b", "a, b or c", as messages and help list alternatives.
std::string JoinAlternatives(const std::vector<std::string>& names);

enum class FieldKind {
  kFlag,
  kWhole,  // A whole number.
  kReal,
  kWholes,  // A list of whole numbers.
  kText,
  kTexts,    // A list of texts.
  kTerms,    // A list of words and vectors.
  kChoice,   // One of Field::choices.
  kWritten,  // Any other type, read and written as a text.
};

// A word, or a vector given as numbers.
struct WordOrVector {
  std::string word;
  std::vector<float> vector;  // [dim]; empty for a word.
};

// Gets and sets a value from Field::choices by its index.
struct ChosenValue {
  std::function<size_t()> get;
  std::function<void(size_t)> set;
};

// Gets and sets a value of any other type as a text. `set` returns false and
// changes nothing if the text is not a valid value.
struct WrittenValue {
  std::function<std::string()> get;
  std::function<bool(const std::string&)> set;
};

// Pointer or accessor to the value of a field in one struct, by its type.
using FieldTarget =
    std::variant<bool*, int*, uint32_t*, uint64_t*, double*, std::string*,
                 std::vector<int>*, std::vector<std::string>*,
                 std::vector<WordOrVector>*, ChosenValue, WrittenValue>;

// Access to one alternative of a variant; `variant` points to the variant.
struct FieldAlternative {
  const FieldTable* fields;
  // Returns null if another alternative is chosen.
  void* (*find)(void* variant);
  // Copies the alternative, or a default one if another alternative is chosen.
  std::shared_ptr<void> (*copy)(void* variant);
  void (*choose)(void* variant, const void* value);
};

struct Field {
  static constexpr double kUnlimited = std::numeric_limits<double>::infinity();

  // These functions describe the field in its table, where it is added or
  // afterwards. Each returns the field, so that calls can be chained.
  Field& Range(double low, double high);
  Field& AtLeast(double low) { return Range(low, kUnlimited); }
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

  // Returns the value as the user would type it. `value` points to it, here and
  // below.
  std::string Text(void* value) const;
  // Returns false and changes nothing if the text is not a value in range.
  bool SetText(absl::string_view text, void* value) const;
  // Returns whether the value is in range; NaN never is.
  bool InRange(double value) const { return value >= min && value <= max; }
  // Returns the range as text, such as "1 to 1000".
  std::string RangeText() const;
  // Describes in messages which values SetText() accepts.
  std::string Expected() const;

  std::string name;
  std::string help;     // One sentence, without a capital letter and full stop.
  std::string details;  // Additional help, omitted from the short help.
  std::string section;  // Title under which the help lists it.
  std::string initial;  // The default as the user would type it.
  std::string default_text;  // Description of the default in the help.
  std::string value_name;    // Placeholder for the value in the help.
  FieldKind kind = FieldKind::kText;
  FieldRole role = FieldRole::kRun;
  bool everyday = false;  // Whether the short help lists it.
  bool is_size = false;   // Whether it counts bytes and may be typed as 4G.
  // Whether the command line omits it, and JSON too unless it differs from the
  // default.
  bool unlisted = false;
  // Bounds of a number, of each number in a list, of the number of bytes of a
  // text, or of the number of items of any other list.
  double min = 0;
  double max = kUnlimited;
  // A value outside the range that lets the library choose.
  std::optional<double> automatic;
  std::vector<std::string> choices;
  // Former names of choices, which are still read, with their current names.
  std::map<std::string, std::string> former_choices;
  std::vector<FieldAlternative> alternatives;  // Alternatives of a variant.
  std::vector<FieldCondition> needs;  // The field applies if all of these hold.
  ptrdiff_t offset = 0;  // Offset of the value in its struct, in bytes.
  std::function<FieldTarget(void* value)> at;
  std::function<void(void* value)> reset;  // Resets the value to its default.

 private:
  friend class FieldTable;
  Field& As(FieldRole its_role);

  bool has_default_text_ = false;  // Whether Default() was called.
};

// The fields of a struct, in the order of the help.
class FieldTable {
 public:
  const std::vector<Field>& fields() const { return fields_; }

 protected:
  // Adds a field. `initial` points to its default.
  Field& AddField(absl::string_view name, absl::string_view help, Field field,
                  void* initial);

  std::vector<Field> fields_;
  std::string section_;
};

// Returns the table of a struct, created on first use. A struct without members
// needs no Fields().
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
  // Sets the title for the fields that follow.
  void Section(absl::string_view title) { section_ = std::string(title); }

  // Adds a member. `field` has its further properties.
  template <class Value>
  Field& Add(absl::string_view name, Value Options::*member,
             absl::string_view help, Field field = {}) {
    return AddAs(
        name, member, help,
        [](void* value) -> FieldTarget { return static_cast<Value*>(value); },
        std::move(field));
  }

  // Adds an enum or bool whose values 0, 1, 2... have these names.
  template <class Value>
  Field& Choice(absl::string_view name, Value Options::*member,
                absl::Span<const absl::string_view> names,
                absl::string_view help, Field field = {}) {
    for (const absl::string_view each : names) field.choices.emplace_back(each);
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
                 absl::string_view help, Field field = {}) {
    using Value = std::variant<Alternatives...>;
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

  // Adds a value that `get` formats as text and `set` parses.
  template <class Value>
  Field& Written(absl::string_view name, Value Options::*member,
                 std::string (*get)(const Value&),
                 bool (*set)(const std::string&, Value*),
                 absl::string_view help, Field field = {}) {
    return AddAs(
        name, member, help,
        [=](void* place) -> FieldTarget {
          auto* const value = static_cast<Value*>(place);
          return WrittenValue{
              [=] { return get(*value); },
              [=](const std::string& text) { return set(text, value); }};
        },
        std::move(field));
  }

  // Adds the fields of a member struct, with a prefix before their names. None
  // of these fields may refer to another by name if there is a prefix.
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
               Field field) {
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

// Gets and sets the fields of a struct by name, in any order. Values set for an
// alternative that is not chosen are kept and take effect when it is chosen.
// The struct always contains the chosen alternative.
class FieldEditor {
 public:
  template <class Options>
  explicit FieldEditor(Options* options)
      : FieldEditor(TableFor<Options>(), options) {}
  FieldEditor(const FieldTable& table, void* options);
  FieldEditor(const FieldEditor&) = delete;
  FieldEditor& operator=(const FieldEditor&) = delete;

  // Returns the names of all fields, including those of alternatives, in order
  // and each once.
  const std::vector<std::string>& names() const { return names_; }
  // Returns the field of this name, or null if there is none. If several
  // alternatives have it, returns that of the chosen alternative.
  const Field* Find(absl::string_view name) const;
  std::string Text(absl::string_view name) const;
  std::string DefaultText(absl::string_view name) const;
  // Sets the field of this name in all alternatives that have it. Returns false
  // if there is no such field or the text is not a valid value.
  bool SetText(absl::string_view name, absl::string_view text);
  bool Set(absl::string_view name,
           absl::FunctionRef<bool(const Field&, void* value)> set);
  void Reset(absl::string_view name);

  // Returns a pointer to the value of this field, which is in the struct or in
  // an alternative.
  FieldTarget At(absl::string_view name) const;

  // Returns the conditions under which the field applies. Those of the
  // enclosing variants come first.
  std::vector<FieldCondition> Needs(absl::string_view name) const;
  bool Applies(absl::string_view name) const;
  // See CheckFields().
  absl::Status Check() const;

 private:
  // A field of the struct, or of an alternative of a variant that precedes it.
  struct Entry {
    const Field* field;
    size_t variant;  // Index of the variant; kNone for the struct's own fields.
    size_t alternative;
    // Values of a variant's alternatives.
    std::vector<std::shared_ptr<void>> values;
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

// Returns whether a condition holds. `text_of` returns the value of a field, or
// nothing if the field does not apply.
bool Holds(const FieldCondition& condition,
           absl::FunctionRef<std::optional<std::string>(absl::string_view name)>
               text_of);

// Returns the error for a field that does not apply: "negative requires loss ns
// or nce, but loss is hs".
absl::Status DoesNotApply(const FieldEditor& editor, absl::string_view name);

// Checks that each field is in its range. Errors: InvalidArgument, "name:
// expected 1 to 1000, found 0".
absl::Status CheckFields(const FieldTable& table, const void* options);
template <class Options>
absl::Status CheckFields(const Options& options) {
  return CheckFields(TableFor<Options>(), &options);
}

// Checks that each of these fields applies or has its default value.
absl::Status CheckFieldsApply(const FieldTable& table, const void* options,
                              const std::vector<std::string>& names);
template <class Options>
absl::Status CheckFieldsApply(const Options& options,
                              const std::vector<std::string>& names) {
  return CheckFieldsApply(TableFor<Options>(), &options, names);
}

// Returns a JSON object of all fields that apply: numbers, booleans, lists, and
// texts for all others. This form and these names are stable across versions.
std::string FieldsJson(const FieldTable& table, const void* options);
template <class Options>
std::string FieldsJson(const Options& options) {
  return FieldsJson(TableFor<Options>(), &options);
}

// Sets the fields that a JSON object contains. Errors: InvalidArgument, with
// the name of a field that is unknown, is given twice, does not apply, or has a
// value of the wrong type or out of range, with the expected and the found
// value. Does not detect contradictions; see Validate() of the struct.
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
