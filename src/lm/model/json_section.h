// Reads JSON objects with options, with a check of every value.

#ifndef FIRTH_LM_MODEL_JSON_SECTION_H_
#define FIRTH_LM_MODEL_JSON_SECTION_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/fields_json.h"
#include "nlohmann/json.hpp"
#include "nn/sequence_layers.h"

namespace firth {

using nn::kMostContext;
using nn::kMostLayers;
using nn::kMostUnits;
constexpr uint64_t kMostWidth = 1000;

// An object. Borrows all. Errors: InvalidArgument, with place, key and value.
struct JsonSection {
  const std::string& place;  // position of the root, for messages
  std::string name;          // path of the object; each level ends with a dot
  const nlohmann::json& json;

  // Sets the fields of a struct; see ReadFileFields().
  template <class Options>
  absl::Status Read(Options* options) const {
    return ReadFileFields(json, absl::StrCat(place, ": \"", name), options);
  }
  absl::Status Bad(absl::string_view key, absl::string_view expected) const;
  absl::StatusOr<JsonSection> Sub(const char* key) const;
  absl::StatusOr<size_t> Size(const char* key, uint64_t least,
                              uint64_t most) const;
  // Returns 0 if the key is missing or null.
  absl::StatusOr<double> Limit(const char* key) const;
  // Returns false if the key is missing.
  absl::StatusOr<bool> Flag(const char* key) const;
  // Returns the index of the value in `names`.
  absl::StatusOr<size_t> Choice(
      const char* key, absl::Span<const absl::string_view> names) const;
  // Reads [[width, count], ...].
  using Pair = std::pair<size_t, size_t>;
  absl::StatusOr<std::vector<Pair>> Filters(const char* key,
                                            size_t most_width) const;
};

// Reads a file with one object. `what` describes it in messages. Errors:
// NotFound; InvalidArgument, the file does not contain an object.
absl::StatusOr<nlohmann::json> ReadJsonObject(const std::string& path,
                                              absl::string_view what);

}  // namespace firth

#endif  // FIRTH_LM_MODEL_JSON_SECTION_H_
