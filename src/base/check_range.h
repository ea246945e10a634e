// The range check of option values in every Validate().

#ifndef FIRTH_BASE_CHECK_RANGE_H_
#define FIRTH_BASE_CHECK_RANGE_H_

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace firth {

// Returns InvalidArgument unless low <= value <= high. NaN fails too.
template <class Number>
absl::Status CheckRange(absl::string_view name, Number value, Number low,
                        Number high) {
  if (value >= low && value <= high) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(name, ": expected ", low, " to ", high, ", found ", value));
}

}  // namespace firth

#endif  // FIRTH_BASE_CHECK_RANGE_H_
