// Keeps a value that takes long to compute, such as an aligned pair of models,
// so that all requests of a batch can use it.

#ifndef FIRTH_ASK_REUSED_H_
#define FIRTH_ASK_REUSED_H_

#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "firth/fields.h"

namespace firth {

template <class Value>
class Reused {
 public:
  // Returns the value that `make` returned for these options. Calls it only if
  // the options differ from those of the previous call.
  template <class Options, class Make>
  const absl::StatusOr<Value>& For(const Options& options, Make make) {
    std::string key = FieldsJson(options);
    if (!value_.has_value() || key != key_) {
      value_.emplace(make(options));
      key_ = std::move(key);
    }
    return *value_;
  }

 private:
  std::string key_;
  std::optional<absl::StatusOr<Value>> value_;
};

}  // namespace firth

#endif  // FIRTH_ASK_REUSED_H_
