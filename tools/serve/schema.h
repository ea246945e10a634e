// The shape of requests and responses, as JSON Schema of OpenAPI 3.1.
//
// A route says its shape once: requests are checked against it before the
// route sees them, defaults are filled in from it, and /openapi.json shows it.
// Of JSON Schema there is what these builders make.

#ifndef FIRTH_TOOLS_SERVE_SCHEMA_H_
#define FIRTH_TOOLS_SERVE_SCHEMA_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "cli/json.h"

namespace firth::tools {

// Each may have a sentence that explains it.
Json TextSchema(absl::string_view help = "");
Json WholeSchema(int64_t low, int64_t high, absl::string_view help = "");
Json NumberSchema(absl::string_view help = "");
Json BooleanSchema(absl::string_view help = "");
Json ChoiceSchema(const std::vector<std::string>& names,
                  absl::string_view help = "");
// From `low` to `high` items; 0: no limit.
Json ListSchema(Json item, size_t low = 0, size_t high = 0,
                absl::string_view help = "");
// Any of these.
Json AnySchema(std::initializer_list<Json> schemas,
               absl::string_view help = "");
Json NullSchema();

struct Property {
  std::string name;
  Json schema;
  bool required = true;
};
// An object with these properties and no others.
Json ObjectSchema(std::initializer_list<Property> properties,
                  absl::string_view help = "");
// An object with any properties.
Json FreeObjectSchema();
// A property that may be left out, and what it is then; null: nothing.
Property Optional(std::string name, Json schema, Json otherwise = nullptr);

// Texts are cut off nowhere: a word or a text of a request has at most so many
// bytes.
constexpr size_t kMostTextBytes = 65536;

// Checks *value and sets what is left out and has a default. `place` is how
// messages call it, as "queries[0]". Errors: InvalidArgument, the field with
// what was expected and what was found.
absl::Status FitToSchema(const Json& schema, const std::string& place,
                         Json* value);

// The value of a query's parameter, which is text, in the type of its schema;
// the text itself where it is not of that type.
Json FromText(const Json& schema, const std::string& text);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_SERVE_SCHEMA_H_
