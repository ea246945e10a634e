// Reads the options of an object in a tokenizer.json. Messages contain the path
// of the option, such as "pre_tokenizer.pretokenizers[1].behavior".

#ifndef FIRTH_TOKENIZERS_JSON_OPTIONS_H_
#define FIRTH_TOKENIZERS_JSON_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/json.h"

namespace firth {

// Borrows the JSON. All errors are InvalidArgument: "PATH: expected X, found
// Y".
class JsonOptions {
 public:
  JsonOptions(std::string path, const Json& json)
      : path_(std::move(path)), json_(&json) {}

  const Json& json() const { return *json_; }
  const std::string& path() const { return path_; }
  std::string PathOf(absl::string_view name) const;

  // Returns the error for this object, or for one of its options.
  absl::Status Expected(absl::string_view expected) const;
  absl::Status Expected(absl::string_view name,
                        absl::string_view expected) const;

  // Returns an error if there is an option in addition to these and "type".
  absl::Status CheckNames(absl::Span<const absl::string_view> names) const;

  // Return the value of an option, or `if_missing` if it is missing or null. It
  // is an error if there is no value at all.
  absl::StatusOr<std::string> Text(
      absl::string_view name,
      const std::optional<std::string>& if_missing = {}) const;
  absl::StatusOr<bool> Flag(absl::string_view name,
                            std::optional<bool> if_missing = {}) const;
  absl::StatusOr<uint64_t> Count(absl::string_view name,
                                 std::optional<uint64_t> if_missing = {}) const;
  // Returns the index of the option's value among these.
  absl::StatusOr<size_t> Choice(absl::string_view name,
                                absl::Span<const absl::string_view> values,
                                std::optional<size_t> if_missing = {}) const;

  // Returns the objects in an array.
  absl::StatusOr<std::vector<JsonOptions>> Objects(
      absl::string_view name) const;

  // Returns null if the option is missing or null.
  const Json* Find(absl::string_view name) const;

 private:
  std::string path_;
  const Json* json_;
};

// Returns JSON for a message: short, and printable.
std::string DescribeJson(const Json& json);

}  // namespace firth

#endif  // FIRTH_TOKENIZERS_JSON_OPTIONS_H_
