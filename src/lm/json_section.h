// An object of options in JSON, of which every value is checked, and the files
// that hold one.

#ifndef FIRTH_LM_JSON_SECTION_H_
#define FIRTH_LM_JSON_SECTION_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "nlohmann/json.hpp"

namespace firth {

constexpr uint64_t kMostUnits = 1 << 20;
constexpr uint64_t kMostLayers = 100;
constexpr uint64_t kMostWidth = 1000;
constexpr uint64_t kMostContext = 1 << 16;

// Borrows all. Errors: InvalidArgument, with place, key and what was found.
struct JsonSection {
  const std::string& place;  // of the root, for messages
  std::string name;          // of the object, each level with a dot behind
  const nlohmann::json& json;

  absl::Status Bad(absl::string_view key, absl::string_view expected) const;
  absl::StatusOr<JsonSection> Sub(const char* key) const;
  absl::StatusOr<size_t> Size(const char* key, uint64_t least,
                              uint64_t most) const;
  // 0 if it lacks or is null.
  absl::StatusOr<double> Limit(const char* key) const;
  // False if it lacks.
  absl::StatusOr<bool> Flag(const char* key) const;
  // Which of the names stands there.
  absl::StatusOr<size_t> Choice(
      const char* key, absl::Span<const absl::string_view> names) const;
  // [[width, count], ...]
  using Pair = std::pair<size_t, size_t>;
  absl::StatusOr<std::vector<Pair>> Filters(const char* key,
                                            size_t most_width) const;
};

// The object that a file holds. what: that of which, for messages. Errors:
// NotFound; InvalidArgument, what the file holds is none.
absl::StatusOr<nlohmann::json> ReadJsonObject(const std::string& path,
                                              absl::string_view what);

}  // namespace firth

#endif  // FIRTH_LM_JSON_SECTION_H_
