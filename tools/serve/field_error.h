// What is wrong with one field of a request.

#ifndef FIRTH_TOOLS_SERVE_FIELD_ERROR_H_
#define FIRTH_TOOLS_SERVE_FIELD_ERROR_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace firth::tools {

// InvalidArgument, or `code`, with a message "FIELD: MESSAGE"; `field` is a
// place such as "queries[0].plus".
absl::Status FieldError(
    absl::string_view field, absl::string_view message,
    absl::StatusCode code = absl::StatusCode::kInvalidArgument);

// The field of such an error; empty for others.
std::string FieldOf(const absl::Status& status);

// Whether it is valid UTF-8 without NUL.
bool IsText(absl::string_view bytes);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_SERVE_FIELD_ERROR_H_
