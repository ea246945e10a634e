// Macros that return a failed Status to the caller.

#ifndef FIRTH_STATUS_MACROS_H_
#define FIRTH_STATUS_MACROS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

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

#endif  // FIRTH_STATUS_MACROS_H_
