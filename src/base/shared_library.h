// Shared libraries that are loaded when they are first needed.

#ifndef FIRTH_BASE_SHARED_LIBRARY_H_
#define FIRTH_BASE_SHARED_LIBRARY_H_

#include <stdexcept>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace firth {

// Thrown where a library is needed in the middle of a computation. Everything
// that catches std::bad_alloc catches it, too.
struct MissingLibraryError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Loads `carried`, the file name of a library that comes with a binary
// distribution of Firth, or else `installed`, that of the system's library.
// Their names differ, because the loader takes a library of the same name that
// the process already has, such as NumPy's OpenBLAS. `package` is Debian's
// package with the second one. Errors: FailedPrecondition, with both names and
// the messages of the loader.
absl::StatusOr<void*> LoadSharedLibrary(const char* carried,
                                        const char* installed,
                                        absl::string_view package);

}  // namespace firth

#endif  // FIRTH_BASE_SHARED_LIBRARY_H_
