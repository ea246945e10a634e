// Converts options structs to and from JSON; see also firth/fields.h.

#ifndef FIRTH_BASE_FIELDS_JSON_H_
#define FIRTH_BASE_FIELDS_JSON_H_

#include <string>
#include <vector>

#include "firth/fields.h"
#include "nlohmann/json.hpp"

namespace firth {

// Returns all fields that apply, except those with a role in `without`.
nlohmann::ordered_json FieldsToJson(const FieldTable& table,
                                    const void* options,
                                    const std::vector<FieldRole>& without = {});
// Returns the options that affect the result: all except those with the roles
// kWork and kPlace.
template <class Options>
nlohmann::ordered_json IdentityOf(const Options& options) {
  return FieldsToJson(TableFor<Options>(), &options,
                      {FieldRole::kWork, FieldRole::kPlace});
}

// Returns the default of a field as a JSON value of the field's type.
nlohmann::json DefaultOf(const Field& field);

// Sets the fields that an object contains, as ReadFieldsJson() does. `noun` is
// the word for a field in messages, such as "option".
absl::Status ReadFields(const nlohmann::ordered_json& object,
                        absl::string_view noun, FieldEditor* fields);

// Returns all fields of a struct, in the form that ReadFileFields() reads.
template <class Options>
nlohmann::ordered_json FileFields(const Options& options) {
  return FieldsToJson(TableFor<Options>(), &options);
}

// Sets the fields of a struct from an object in a file. Other members are
// ignored; a missing or null one keeps its default, which must be in its range.
// `place` names the object, such as "FILE: \"stack.". Errors: InvalidArgument,
// with the place and name of a field, what was expected and what was found.
absl::Status ReadFileFields(const nlohmann::json& object,
                            absl::string_view place, const FieldTable& table,
                            void* options);
template <class Options>
absl::Status ReadFileFields(const nlohmann::json& object,
                            absl::string_view place, Options* options) {
  return ReadFileFields(object, place, TableFor<Options>(), options);
}

// Returns the differences, such as "dim was 16 and is now 17", between the
// stored record of a training run and the current one. A record contains the
// IdentityOf() the options, which `table` describes, and other facts. A text
// among these facts is a checksum. An option that `before` lacks is newer and
// had its default. A listed option that `now` lacks belongs to an alternative
// that is not chosen.
std::vector<std::string> FieldDifferences(const FieldTable& table,
                                          const nlohmann::json& before,
                                          const nlohmann::json& now);

}  // namespace firth

#endif  // FIRTH_BASE_FIELDS_JSON_H_
