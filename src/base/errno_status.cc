#include "base/errno_status.h"

#include <cerrno>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace firth {
namespace {

absl::StatusCode CodeFor(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case ENOMEM:
    case EMFILE:
    case ENFILE:
      return absl::StatusCode::kResourceExhausted;
    default:
      return absl::ErrnoToStatusCode(error);
  }
}

}  // namespace

absl::Status ErrnoStatus(int error, absl::string_view place,
                         absl::string_view doing) {
  return absl::Status(CodeFor(error),
                      absl::StrCat(place, ": ", doing, ": ",
                                   std::generic_category().message(error)));
}

}  // namespace firth
