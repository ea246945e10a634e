// Macros that return a failed Status to the caller, and functions that prepend
// a place to its message.

#ifndef FIRTH_STATUS_MACROS_H_
#define FIRTH_STATUS_MACROS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#define FIRTH_RETURN_IF_ERROR(expression)          \
  do {                                             \
    absl::Status firth_status_ = (expression);     \
    if (!firth_status_.ok()) return firth_status_; \
  } while (false)

#define FIRTH_CONCAT_INNER_(a, b) a##b
#define FIRTH_CONCAT_(a, b) FIRTH_CONCAT_INNER_(a, b)

// Use: FIRTH_ASSIGN_OR_RETURN(auto value, MakeValue());
#define FIRTH_ASSIGN_OR_RETURN(declaration, expression)                    \
  FIRTH_ASSIGN_OR_RETURN_(FIRTH_CONCAT_(firth_or_, __LINE__), declaration, \
                          expression)
#define FIRTH_ASSIGN_OR_RETURN_(temporary, declaration, expression) \
  auto temporary = (expression);                                    \
  if (!temporary.ok()) return temporary.status();                   \
  declaration = std::move(temporary).value()

namespace firth {

// Return `result`. If it is an error, its message becomes "PLACE: MESSAGE".
inline absl::Status At(absl::string_view place, const absl::Status& result) {
  if (result.ok()) return result;
  return absl::Status(result.code(),
                      absl::StrCat(place, ": ", result.message()));
}
template <class T>
absl::StatusOr<T> At(absl::string_view place, absl::StatusOr<T> result) {
  if (!result.ok()) return At(place, result.status());
  return result;
}

}  // namespace firth

#endif  // FIRTH_STATUS_MACROS_H_
