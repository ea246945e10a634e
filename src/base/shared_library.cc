#include "base/shared_library.h"

#include <dlfcn.h>

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace firth {

absl::StatusOr<void*> LoadSharedLibrary(const char* carried,
                                        const char* installed,
                                        absl::string_view package) {
  if (void* const library = dlopen(carried, RTLD_NOW | RTLD_LOCAL)) {
    return library;
  }
  const std::string error = dlerror();
  if (void* const library = dlopen(installed, RTLD_NOW | RTLD_LOCAL)) {
    return library;
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "cannot load a library: ", error, "; ", dlerror(),
      ". The files of a release must stay together (bin and lib/firth). A "
      "program that was built on this system needs Debian's package ",
      package));
}

}  // namespace firth
