// Finds functions of ICU. Its libraries, with 30 MB of data, would slow down
// every start of the program, so they are loaded when they are first needed.
// Their names end in the version of the headers.

#ifndef FIRTH_BASE_ICU_H_
#define FIRTH_BASE_ICU_H_

#include <dlfcn.h>
#include <unicode/uvernum.h>

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/shared_library.h"

namespace firth {

// Loads one of ICU's libraries, such as "uc". A binary distribution carries one
// library with the functions of all. Errors: those of LoadSharedLibrary().
inline absl::StatusOr<void*> LoadIcuLibrary(absl::string_view name) {
  const std::string installed =
      absl::StrCat("libicu", name, ".so." U_ICU_VERSION_SHORT);
  return LoadSharedLibrary("libicuuc-firth.so", installed.c_str(),
                           "libicu" U_ICU_VERSION_SHORT);
}

// Sets *function to a function of the library. Returns false if it has none of
// that name; see dlerror().
template <class Function>
bool FindInIcu(void* library, const std::string& name, Function* function) {
  *function = reinterpret_cast<Function>(
      dlsym(library, (name + "_" U_ICU_VERSION_SHORT).c_str()));
  return *function != nullptr;
}

}  // namespace firth

#endif  // FIRTH_BASE_ICU_H_
