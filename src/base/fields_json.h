// Options structs as JSON: see FieldsJson() and ReadFieldsJson().

#ifndef FIRTH_BASE_FIELDS_JSON_H_
#define FIRTH_BASE_FIELDS_JSON_H_

#include <string>
#include <vector>

#include "firth/fields.h"
#include "nlohmann/json.hpp"

namespace firth {

// Every field that applies and whose role is not among these.
nlohmann::ordered_json FieldsToJson(const FieldTable& table,
                                    const void* options,
                                    const std::vector<FieldRole>& without = {});
// What a result depends on: without the roles kWork and kPlace.
template <class Options>
nlohmann::ordered_json IdentityOf(const Options& options) {
  return FieldsToJson(TableFor<Options>(), &options,
                      {FieldRole::kWork, FieldRole::kPlace});
}

// Returns the default of a field in the type that JSON has for it.
nlohmann::json DefaultOf(const Field& field);

// Sets the fields that an object contains, as ReadFieldsJson() does. `noun` is
// what messages call a field, such as "option".
absl::Status ReadFields(const nlohmann::ordered_json& object,
                        absl::string_view noun, FieldEditor* fields);

// What differs, as "dim was 16, is 17", between what was written of a training
// and what would be written now: IdentityOf() its options, which have this
// table, and facts besides, whose texts are checksums. An option that `before`
// lacks came later and had its default; a listed one that `now` lacks goes with
// a choice that differs.
std::vector<std::string> FieldDifferences(const FieldTable& table,
                                          const nlohmann::json& before,
                                          const nlohmann::json& now);

}  // namespace firth

#endif  // FIRTH_BASE_FIELDS_JSON_H_
